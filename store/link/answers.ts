import {
  type Key,
  type KeyValue,
  revision,
  type StoreEvent,
  type StoreFailure,
  type StoreStatus,
} from '../contract.ts'
import { readFailure, writeFailure } from './failure-codec.ts'
import { readKey } from './requests.ts'
import { WireReader, type WireWriter } from './wire.ts'

/**
 * What a member says to its worker.
 *
 *     message Answer    { kind = 1; id = 2; version = 3; revision = 4; Failure failure = 5; repeated Entry entries = 6;
 *                         count = 7; flags = 8; repeated Event events = 9; repeated Delivery deliveries = 10;
 *                         Status status = 11 }
 *     message Entry     { key = 1; value = 2; mod_revision = 3 }
 *     message Event     { key = 1; value = 2 (absent: deleted); revision = 3; Entry previous = 4 }
 *     message Delivery  { watch = 1; repeated event = 2 (place in events; none: progress) }
 *     message Status    { revision = 1; oldest = 2; keys = 3; bytes = 4; batches = 5; transactions = 6;
 *                         sum_microseconds = 7; repeated Bucket buckets = 8 }
 *     message Bucket    { upper_microseconds = 1; count = 2 }
 */
export type Answer =
  | { readonly kind: 'hello'; readonly version: number }
  /** A commit, a read index or a compaction that succeeded (its revision; 0 for a compaction). */
  | { readonly kind: 'done'; readonly id: number; readonly revision: number }
  | { readonly kind: 'failed' | 'watchEnded'; readonly id: number; readonly failure: StoreFailure }
  | { readonly kind: 'range'; readonly id: number; readonly part: RangePart }
  /** From here on this watch counts among the rest of a batch. */
  | { readonly kind: 'watching'; readonly id: number }
  | { readonly kind: 'batch'; readonly batch: LinkBatch }
  | { readonly kind: 'status'; readonly id: number; readonly status: StoreStatus }

/** Entries of a range; `last` has the rest of the response. */
export interface RangePart {
  readonly entries: readonly KeyValue[]
  readonly last: { readonly revision: number; readonly more: boolean; readonly count: number } | undefined
}

/** One revision for all watches of a link: each event once, however many watches want it. */
export interface LinkBatch {
  readonly revision: number
  readonly events: readonly StoreEvent[]
  readonly deliveries: readonly Delivery[]
  /** Every watch without a delivery gets progress. */
  readonly rest: boolean
}

/** What one watch gets of a batch. */
export interface Delivery {
  readonly watch: number
  /** Places in the events of the batch. */
  readonly events: readonly number[]
}

const kinds = ['hello', 'done', 'failed', 'watchEnded', 'range', 'watching', 'batch', 'status'] as const
const moreFlag = 1
const lastFlag = 2
const restFlag = 4

/** Writes one answer as the fields of its message. */
export function writeAnswer(writer: WireWriter, answer: Answer): void {
  writer.uint(1, kinds.indexOf(answer.kind) + 1)
  if (answer.kind !== 'hello' && answer.kind !== 'batch') writer.uint(2, answer.id)
  switch (answer.kind) {
    case 'hello':
      writer.uint(3, answer.version)
      break
    case 'done':
      writer.uint(4, answer.revision)
      break
    case 'failed':
    case 'watchEnded':
      writeFailure(writer, 5, answer.failure)
      break
    case 'range': {
      const { entries, last } = answer.part
      for (const entry of entries) writeEntry(writer, 6, entry)
      if (last === undefined) break
      writer.uint(4, last.revision)
      writer.uint(7, last.count)
      writer.uint(8, lastFlag | (last.more ? moreFlag : 0))
      break
    }
    case 'batch':
      writeBatch(writer, answer.batch)
      break
    case 'status':
      writeStatus(writer, answer.status)
      break
    case 'watching':
      break
  }
}

function writeEntry(writer: WireWriter, field: number, entry: KeyValue): void {
  const start = writer.begin(field)
  writer.key(1, entry.key)
  if (entry.value.length > 0) writer.bytes(2, entry.value)
  writer.uint(3, entry.modRevision)
  writer.end(start)
}

function writeBatch(writer: WireWriter, batch: LinkBatch): void {
  writer.uint(4, batch.revision)
  if (batch.rest) writer.uint(8, restFlag)
  for (const event of batch.events) {
    const start = writer.begin(9)
    writer.key(1, event.key)
    if (event.type === 'put') writer.bytes(2, event.value)
    writer.uint(3, event.revision)
    if (event.previous !== undefined) writeEntry(writer, 4, event.previous)
    writer.end(start)
  }
  for (const delivery of batch.deliveries) {
    const start = writer.begin(10)
    writer.uint(1, delivery.watch)
    // Places count from 1 on the wire, since 0 is not written.
    for (const place of delivery.events) writer.uint(2, place + 1)
    writer.end(start)
  }
}

function writeStatus(writer: WireWriter, status: StoreStatus): void {
  const start = writer.begin(11)
  writer.uint(1, status.revision)
  writer.uint(2, status.oldest)
  writer.uint(3, status.keys)
  writer.uint(4, status.bytes)
  writer.uint(5, status.commits.batches)
  writer.uint(6, status.commits.transactions)
  writer.uint(7, Math.round(status.commits.sumSeconds * 1e6))
  for (const [upperSeconds, count] of status.commits.buckets) {
    const bucket = writer.begin(8)
    writer.uint(1, Math.round(upperSeconds * 1e6))
    writer.uint(2, count)
    writer.end(bucket)
  }
  writer.end(start)
}

/** Undefined when the frame is not an answer. Values are slices of `frame`. */
export function readAnswer(frame: Buffer): Answer | undefined {
  const reader = new WireReader(frame)
  let kind = 0
  let id = 0
  let version = 0
  let at = 0
  let count = 0
  let flags = 0
  let failure: StoreFailure | undefined
  let status: StoreStatus | undefined
  const entries: KeyValue[] = []
  const events: StoreEvent[] = []
  const deliveries: Delivery[] = []
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) kind = reader.uint()
    else if (field === 2) id = reader.uint()
    else if (field === 3) version = reader.uint()
    else if (field === 4) at = reader.uint()
    else if (field === 5) failure = readFailure(reader.message())
    else if (field === 6) entries.push(readEntry(reader.message()))
    else if (field === 7) count = reader.uint()
    else if (field === 8) flags = reader.uint()
    else if (field === 9) events.push(readEvent(reader.message()))
    else if (field === 10) deliveries.push(readDelivery(reader.message()))
    else if (field === 11) status = readStatus(reader.message())
    else reader.skip()
  }
  const name = kinds[kind - 1]
  if (reader.broken || name === undefined) return undefined
  switch (name) {
    case 'hello':
      return { kind: name, version }
    case 'done':
      return { kind: name, id, revision: at }
    case 'failed':
    case 'watchEnded':
      return failure === undefined ? undefined : { kind: name, id, failure }
    case 'range': {
      const more = (flags & moreFlag) !== 0
      const last = (flags & lastFlag) !== 0 ? { revision: at, more, count } : undefined
      return { kind: name, id, part: { entries, last } }
    }
    case 'watching':
      return { kind: name, id }
    case 'batch':
      return { kind: name, batch: { revision: at, events, deliveries, rest: (flags & restFlag) !== 0 } }
    case 'status':
      return status === undefined ? undefined : { kind: name, id, status }
  }
}

const noValue = Buffer.alloc(0)

function readEntry(reader: WireReader): KeyValue {
  let name: Key | undefined
  let value: Buffer = noValue
  let modRevision = 0
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) name = readKey(reader)
    else if (field === 2) value = reader.bytes()
    else if (field === 3) modRevision = reader.uint()
    else reader.skip()
  }
  if (name === undefined) reader.fail()
  return { key: name ?? ('' as Key), value, modRevision: revision(modRevision) }
}

function readEvent(reader: WireReader): StoreEvent {
  let name: Key | undefined
  let value: Buffer | undefined
  let at = 0
  let previous: KeyValue | undefined
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) name = readKey(reader)
    else if (field === 2) value = reader.bytes()
    else if (field === 3) at = reader.uint()
    else if (field === 4) previous = readEntry(reader.message())
    else reader.skip()
  }
  if (name === undefined) reader.fail()
  const key = name ?? ('' as Key)
  const was = previous === undefined ? {} : { previous }
  if (value === undefined) return { type: 'delete', key, revision: revision(at), ...was }
  return { type: 'put', key, value, revision: revision(at), ...was }
}

function readDelivery(reader: WireReader): Delivery {
  let watch = 0
  const events: number[] = []
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) watch = reader.uint()
    else if (field === 2) events.push(reader.uint() - 1)
    else reader.skip()
  }
  return { watch, events }
}

function readStatus(reader: WireReader): StoreStatus {
  const numbers = [0, 0, 0, 0, 0, 0, 0, 0]
  const buckets: [number, number][] = []
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field <= 7) numbers[field] = reader.uint()
    else if (field === 8) buckets.push(readBucket(reader.message()))
    else reader.skip()
  }
  const [, at = 0, oldest = 0, keys = 0, bytes = 0, batches = 0, transactions = 0, sumMicroseconds = 0] =
    numbers
  const commits = { buckets, sumSeconds: sumMicroseconds / 1e6, batches, transactions }
  return { revision: revision(at), oldest: revision(oldest), keys, bytes, commits }
}

function readBucket(reader: WireReader): [number, number] {
  let upperMicroseconds = 0
  let count = 0
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) upperMicroseconds = reader.uint()
    else if (field === 2) count = reader.uint()
    else reader.skip()
  }
  return [upperMicroseconds / 1e6, count]
}
