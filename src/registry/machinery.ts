/** What the verbs share: the parts of the server that they are handed, and what they know of a request. */

import type { Duplex } from 'node:stream'
import type { Clock, Result } from '../../store/contract.ts'
import type { Admission } from '../admission/admission.ts'
import type { AuditedRequest } from '../audit/annotations.ts'
import type { Negotiated } from '../codec/accept.ts'
import type { BodyFormat } from '../codec/body.ts'
import type { ExpectedBody } from '../codec/protobuf/body.ts'
import type { Rendering } from '../codec/rendering.ts'
import type { IncludeObject } from '../codec/shape.ts'
import type { JsonValue } from '../json.ts'
import type { Names } from '../names/names.ts'
import type { Log } from '../observe/log.ts'
import type { Exchange, Headers, ResponseStream } from '../pipeline/exchange.ts'
import type { Identifiers } from '../pipeline/identifiers.ts'
import type { Query } from '../pipeline/query.ts'
import type { ResourceRequest } from '../pipeline/request-info.ts'
import type { StreamOwner } from '../pipeline/stream.ts'
import type { User } from '../pipeline/user.ts'
import type { MessageType } from '../schema/descriptor.ts'
import type { ResourceRef } from '../status/failures.ts'
import type { ApiFailure, Cause } from '../status/status.ts'
import type { ObjectName, ResourceStorage, Storage } from '../storage/contract.ts'
import type { ColumnsOf } from '../types/columns/columns.ts'
import type { ApiObject } from '../types/object.ts'
import type { DecodeResult, ResourceType, TypeRegistry } from '../types/resource.ts'
import type { Allocation, Allocator } from './allocator.ts'
import type { Ownership } from './ownership.ts'

/** The door to the schemas: values are checked, pruned and defaulted behind it. */
export interface ObjectSchema {
  /** Checks a body against a message and drops what it does not know. Takes ownership of the value. */
  decode(message: MessageType, value: JsonValue): DecodeResult
  /** Fills in defaults of the object's own version. */
  applyDefaults(message: MessageType, object: ApiObject): void
  /** The object as it is stored and shown: fields in the order of the schema, empty ones left out. */
  normalize(message: MessageType, object: ApiObject): ApiObject
  /** How a body in protobuf is read; undefined = it has no such form. */
  protobufBody(expected: ExpectedBody): BodyFormat | undefined
  /** Required fields that are not there, one cause each. */
  missing(message: MessageType, object: ApiObject): readonly Cause[]
}

export interface Machinery {
  /** What objects hold of limited things, by the storage prefix of their type. */
  readonly allocations: ReadonlyMap<string, Allocation>
  readonly names: Names
  readonly clock: Clock
  readonly identifiers: Identifiers
  readonly log: Log
  readonly types: TypeRegistry
  readonly storage: Storage
  /** What tables show of a kind. */
  readonly columnsOf: ColumnsOf
  readonly schema: ObjectSchema
  readonly admission: Admission
  /** Watches without a timeout of their own end after one to two times this. Milliseconds. */
  readonly minRequestTimeoutMs: number
  /** `sendInitialEvents` is served. */
  readonly watchList: boolean
}

/** One served resource with everything that its requests need, resolved once. */
export interface ResourceRoute {
  readonly type: ResourceType
  readonly ref: ResourceRef
  readonly storage: ResourceStorage
  /**
   * For types whose objects are converted: the same for those who look at metadata alone. Objects are in whatever
   * version they are stored, and are stored as they are, so nobody is asked to convert them. Absent = this one.
   */
  readonly stored?: ResourceRoute
  /** Of the object itself. */
  readonly ownership: Ownership
  /** For types whose objects hold what no two may hold. */
  readonly allocator?: Allocator
  /** What can be negotiated, for those who ask for something else. */
  readonly mediaTypes: readonly string[]
  /** By `Accept`; undefined = 406. */
  readonly negotiate: (accept: string | undefined) => Negotiated | undefined
  readonly negotiateWatch: (accept: string | undefined) => Negotiated | undefined
  rendering(form: Negotiated, pretty: boolean, includeObject: IncludeObject): Rendering
}

export interface ApiRequest {
  readonly exchange: Exchange
  readonly info: ResourceRequest
  readonly query: Query
  readonly user: User
  /** Texts of `Warning` headers, in order, added while the request is served. */
  readonly warnings: string[]
  /** Absent = nothing is written down of it. */
  readonly audit?: AuditedRequest | undefined
  /**
   * Opens the answer as a stream, with the headers of every answer and these. For watches. `ended` runs once: when
   * the stream is ended or aborted, or the client is gone.
   */
  openStream(headers: Headers, owner: StreamOwner, code?: number): ResponseStream
  /**
   * Agrees to the protocol that the client asks for, with these headers, and hands over its connection. Undefined = the
   * client asks for none, or its connection cannot change. `ended` as above.
   */
  openTunnel(headers: Headers, owner: StreamOwner): Duplex | undefined
}

/** Namespace and name that the path names. */
export function objectName(request: ApiRequest): ObjectName {
  return { namespace: request.info.namespace, name: request.info.name }
}

/** The time now, or so many seconds from now, as {@link timestampOf} writes it. */
export function timestamp(clock: Clock, offsetSeconds = 0): string {
  return timestampOf(Math.floor(clock.wallMs() / 1000 + offsetSeconds))
}

/** RFC 3339 in whole seconds, as object metadata carries times. `second`: since 1970. */
export function timestampOf(second: number): string {
  if (second !== lastSecond) {
    lastSecond = second
    lastTimestamp = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`
  }
  return lastTimestamp
}

/** Many writes fall into one second: its text is made once. */
let lastSecond = Number.NaN
let lastTimestamp = ''

export type Checked<T> = Result<T, ApiFailure>
