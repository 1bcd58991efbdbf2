import {
  type Guard,
  type Key,
  keyBytesMax,
  type Operation,
  type RangeRequest,
  type Revision,
  revision,
  type Transaction,
  type WatchRequest,
} from '../contract.ts'
import { WireReader, type WireWriter } from './wire.ts'

/**
 * What a worker says to its member.
 *
 *     message Request    { kind = 1; id = 2; version = 3; revision = 4; repeated Guard guards = 5;
 *                          repeated Operation ops = 6; start = 7; end = 8; limit = 9; flags = 10 }
 *     message Guard      { key = 1; mod_revision = 2 }
 *     message Operation  { key = 1; value = 2 (absent: a delete); ttl_ms = 3 }
 */
export type Request =
  | { readonly kind: 'hello'; readonly version: number }
  | { readonly kind: 'commit'; readonly id: number; readonly transaction: Transaction }
  | { readonly kind: 'range'; readonly id: number; readonly request: RangeRequest }
  | { readonly kind: 'watch'; readonly id: number; readonly request: WatchRequest }
  | { readonly kind: 'closeWatch' | 'readIndex' | 'status'; readonly id: number }
  | { readonly kind: 'compact'; readonly id: number; readonly at: Revision }

/** Raised with every change that the other side must know; both sides run the same release in one deployment. */
export const linkVersion = 1

const kinds = ['hello', 'commit', 'range', 'watch', 'closeWatch', 'readIndex', 'compact', 'status'] as const
const keysOnlyFlag = 1
const atRevisionFlag = 2
const previousFlag = 1

/** Writes one request as the fields of its message. */
export function writeRequest(writer: WireWriter, request: Request): void {
  writer.uint(1, kinds.indexOf(request.kind) + 1)
  if (request.kind !== 'hello') writer.uint(2, request.id)
  switch (request.kind) {
    case 'hello':
      writer.uint(3, request.version)
      break
    case 'commit':
      writeTransaction(writer, request.transaction)
      break
    case 'range': {
      const { start, end, limit, revision, keysOnly } = request.request
      writer.key(7, start)
      writer.key(8, end)
      writer.uint(4, revision ?? 0)
      writer.uint(9, limit ?? 0)
      const flags = (keysOnly === true ? keysOnlyFlag : 0) | (revision !== undefined ? atRevisionFlag : 0)
      writer.uint(10, flags)
      break
    }
    case 'watch':
      writer.key(7, request.request.start)
      writer.key(8, request.request.end)
      writer.uint(4, request.request.from)
      writer.uint(10, request.request.previous === true ? previousFlag : 0)
      break
    case 'compact':
      writer.uint(4, request.at)
      break
    case 'closeWatch':
    case 'readIndex':
    case 'status':
      break
  }
}

function writeTransaction(writer: WireWriter, { guards, ops }: Transaction): void {
  for (const guard of guards) {
    const start = writer.begin(5)
    writer.key(1, guard.key)
    writer.uint(2, guard.modRevision)
    writer.end(start)
  }
  for (const op of ops) {
    const start = writer.begin(6)
    writer.key(1, op.key)
    if (op.type === 'put') {
      writer.bytes(2, op.value)
      writer.uint(3, Math.ceil(op.ttlMs ?? 0))
    }
    writer.end(start)
  }
}

/** Undefined when the frame is not a request. Values are slices of `frame`. */
export function readRequest(frame: Buffer): Request | undefined {
  const reader = new WireReader(frame)
  let kind = 0
  let id = 0
  let version = 0
  let at = 0
  let start = ''
  let end = ''
  let limit = 0
  let flags = 0
  const guards: Guard[] = []
  const ops: Operation[] = []
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) kind = reader.uint()
    else if (field === 2) id = reader.uint()
    else if (field === 3) version = reader.uint()
    else if (field === 4) at = reader.uint()
    else if (field === 5) guards.push(readGuard(reader.message()))
    else if (field === 6) ops.push(readOperation(reader.message()))
    else if (field === 7) start = readKey(reader)
    else if (field === 8) end = readKey(reader)
    else if (field === 9) limit = reader.uint()
    else if (field === 10) flags = reader.uint()
    else reader.skip()
  }
  const name = kinds[kind - 1]
  if (reader.broken || name === undefined) return undefined
  if (name === 'commit') return { kind: 'commit', id, transaction: { guards, ops } }
  // Checked above: readKey breaks the reader on what is not a key, and these kinds need both.
  const range = { start: start as Key, end: end as Key }
  const complete = start !== '' && end !== ''
  switch (name) {
    case 'hello':
      return { kind: 'hello', version }
    case 'range': {
      const request: RangeRequest = {
        ...range,
        keysOnly: (flags & keysOnlyFlag) !== 0,
        ...(limit > 0 ? { limit } : {}),
        ...((flags & atRevisionFlag) !== 0 ? { revision: revision(at) } : {}),
      }
      return complete ? { kind: 'range', id, request } : undefined
    }
    case 'watch': {
      const request = { ...range, from: revision(at), previous: (flags & previousFlag) !== 0 }
      return complete ? { kind: 'watch', id, request } : undefined
    }
    case 'compact':
      return { kind: 'compact', id, at: revision(at) }
    case 'closeWatch':
    case 'readIndex':
    case 'status':
      return { kind: name, id }
  }
}

/** A key of a message; breaks the reader when it is empty or too long. */
export function readKey(reader: WireReader): Key {
  const name = reader.binary()
  if (name.length === 0 || name.length > keyBytesMax) reader.fail()
  // A binary string of a legal length, or the reader is broken and nothing of it is used.
  return name as Key
}

function readGuard(reader: WireReader): Guard {
  let name: Key | undefined
  let modRevision = 0
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) name = readKey(reader)
    else if (field === 2) modRevision = reader.uint()
    else reader.skip()
  }
  if (name === undefined) reader.fail()
  return { key: name ?? ('' as Key), modRevision: revision(modRevision) }
}

function readOperation(reader: WireReader): Operation {
  let name: Key | undefined
  let value: Buffer | undefined
  let ttlMs = 0
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) name = readKey(reader)
    else if (field === 2) value = reader.bytes()
    else if (field === 3) ttlMs = reader.uint()
    else reader.skip()
  }
  if (name === undefined) reader.fail()
  const key = name ?? ('' as Key)
  if (value === undefined) return { type: 'delete', key }
  return ttlMs > 0 ? { type: 'put', key, value, ttlMs } : { type: 'put', key, value }
}
