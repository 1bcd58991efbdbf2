/** Request bodies in protobuf. */

import { fail, ok } from '../../../store/contract.ts'
import type { MessageType } from '../../schema/descriptor.ts'
import { badRequest } from '../../status/failures.ts'
import type { BodyFormat } from '../body.ts'
import { decodeProtobuf } from './decode.ts'
import { openEnvelope, type TypeMeta } from './envelope.ts'
import { describeFailure, type ProtobufFailure } from './failure.ts'

/** What a body may hold: an empty apiVersion or kind in the envelope fits any. */
export interface ExpectedBody {
  /** Absent = any version. */
  readonly apiVersion?: string
  readonly kind: string
  readonly message: MessageType
}

/**
 * The JSON value of a body. An object of another kind is not looked into: only its apiVersion and kind come back, for
 * whoever judges them.
 */
export function protobufBody(mediaType: string, expected: ExpectedBody): BodyFormat {
  return {
    mediaType,
    parse(bytes) {
      if (bytes.length === 0) return fail(badRequest('the request has no body'))
      const envelope = openEnvelope(bytes, mediaType)
      if (!envelope.ok) return refuse(envelope.failure)
      const { from, to } = envelope.value
      const typeMeta = givenTypeMeta(envelope.value)
      if (!fits(envelope.value, expected)) return ok(typeMeta)
      const object = decodeProtobuf(expected.message, bytes, from, to)
      return object.ok ? ok({ ...object.value, ...typeMeta }) : refuse(object.failure)
    },
  }
}

function refuse(failure: ProtobufFailure) {
  return fail(badRequest(`the body is not a valid protobuf message: ${describeFailure(failure)}`))
}

function givenTypeMeta({ apiVersion, kind }: TypeMeta): { apiVersion?: string; kind?: string } {
  return { ...(apiVersion === '' ? {} : { apiVersion }), ...(kind === '' ? {} : { kind }) }
}

function fits({ apiVersion, kind }: TypeMeta, expected: ExpectedBody): boolean {
  return (
    (kind === '' || kind === expected.kind) &&
    (apiVersion === '' || expected.apiVersion === undefined || apiVersion === expected.apiVersion)
  )
}
