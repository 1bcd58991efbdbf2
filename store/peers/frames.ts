/**
 * What members say to each other, as frames (link/wire.ts):
 *
 *     message Frame  { kind = 1; first = 2; second = 3; third = 4; fourth = 5; text = 6; data = 7; Message message = 8;
 *                      repeated Record records = 9; address = 10 }
 *     message Record { key = 1; value = 2 }
 *
 * A connection belongs to whoever dialled it: requests go one way, answers the other.
 *
 *     messages   hello → welcome; then message, forward, digest, question, ping → … forwardRefused, answer, pong
 *     snapshot   hello → welcome; then message (the snapshot), records …, end → received
 *     join       hello → welcome with the cluster in `text`
 */
import { crc32 } from 'node:zlib'
import { WireReader, type WireWriter } from '../link/wire.ts'
import type { Message } from '../raft/message.ts'
import { readMessage, writeMessage } from './message-codec.ts'

const purposes = ['messages', 'snapshot', 'join'] as const
export type Purpose = (typeof purposes)[number]

export interface Hello {
  readonly kind: 'hello'
  readonly version: number
  readonly purpose: Purpose
  /** Empty when joining: not known yet. */
  readonly clusterId: string
  readonly from: number
  readonly to: number
  readonly name: string
  /** Where the sender listens: for those who do not know it yet. */
  readonly address: string
}

/** Keys and values as they stand in a database. */
export type Records = readonly (readonly [Buffer, Buffer])[]

export type Frame =
  | Hello
  /** `text`: what a joining member wants to know. */
  | { readonly kind: 'welcome' | 'refused'; readonly text: string }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'forward'; readonly term: number; readonly sequence: number; readonly data: Buffer }
  | { readonly kind: 'forwardRefused'; readonly sequence: number }
  | {
      readonly kind: 'digest'
      readonly index: number
      readonly high: number
      readonly low: number
      readonly records: number
    }
  | { readonly kind: 'question' | 'answer'; readonly id: number; readonly text: string }
  | { readonly kind: 'ping' | 'pong' }
  /** `crc` is over all keys and values. */
  | { readonly kind: 'records'; readonly records: Records; readonly crc: number }
  | { readonly kind: 'end'; readonly records: number }
  | { readonly kind: 'received' }

/** Raised with every change that the other side must know. */
export const peerVersion = 1

const kinds = [
  'hello',
  'welcome',
  'refused',
  'message',
  'forward',
  'forwardRefused',
  'digest',
  'question',
  'answer',
  'ping',
  'pong',
  'records',
  'end',
  'received',
] as const satisfies readonly Frame['kind'][]

/** CRC-32 over keys and values, one behind the other. */
export function recordsCrc(records: Records): number {
  let crc = 0
  for (const [key, value] of records) crc = crc32(value, crc32(key, crc))
  return crc
}

/** Writes one frame as the fields of its message. */
export function writeFrame(writer: WireWriter, frame: Frame): void {
  writer.uint(1, kinds.indexOf(frame.kind) + 1)
  switch (frame.kind) {
    case 'hello':
      writer.uint(2, frame.version)
      writer.uint(3, frame.from)
      writer.uint(4, frame.to)
      writer.uint(5, purposes.indexOf(frame.purpose))
      writer.text(6, frame.clusterId)
      writer.bytes(7, Buffer.from(frame.name))
      writer.bytes(10, Buffer.from(frame.address))
      return
    case 'welcome':
    case 'refused':
      writer.text(6, frame.text)
      return
    case 'message':
      writeMessage(writer, 8, frame.message)
      return
    case 'forward':
      writer.uint(2, frame.term)
      writer.uint(3, frame.sequence)
      writer.bytes(7, frame.data)
      return
    case 'forwardRefused':
      writer.uint(3, frame.sequence)
      return
    case 'digest':
      writer.uint(2, frame.index)
      writer.uint(3, frame.high)
      writer.uint(4, frame.low)
      writer.uint(5, frame.records)
      return
    case 'question':
    case 'answer':
      writer.uint(2, frame.id)
      writer.text(6, frame.text)
      return
    case 'records':
      writer.uint(2, frame.crc)
      for (const [key, value] of frame.records) {
        const start = writer.begin(9)
        writer.bytes(1, key)
        writer.bytes(2, value)
        writer.end(start)
      }
      return
    case 'end':
      writer.uint(2, frame.records)
      return
    case 'ping':
    case 'pong':
    case 'received':
      return
  }
}

const nothing = Buffer.alloc(0)

/** Undefined when the bytes are no frame. Data are slices of them. */
export function readFrame(bytes: Buffer): Frame | undefined {
  const reader = new WireReader(bytes)
  const numbers = [0, 0, 0, 0, 0, 0]
  let text = ''
  let data: Buffer = nothing
  let address: Buffer = nothing
  let message: Message | undefined
  const records: (readonly [Buffer, Buffer])[] = []
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field <= 5) numbers[field] = reader.uint()
    else if (field === 6) text = reader.text()
    else if (field === 7) data = reader.bytes()
    else if (field === 8) message = readMessage(reader.message())
    else if (field === 9) records.push(readRecord(reader.message()))
    else if (field === 10) address = reader.bytes()
    else reader.skip()
  }
  const [, kindNumber = 0, first = 0, second = 0, third = 0, fourth = 0] = numbers
  const kind = kinds[kindNumber - 1]
  if (reader.broken || kind === undefined) return undefined
  switch (kind) {
    case 'hello': {
      const purpose = purposes[fourth]
      if (purpose === undefined) return undefined
      const [name, from] = [data.toString(), address.toString()]
      return { kind, version: first, from: second, to: third, purpose, clusterId: text, name, address: from }
    }
    case 'welcome':
    case 'refused':
      return { kind, text }
    case 'message':
      return message === undefined ? undefined : { kind, message }
    case 'forward':
      return { kind, term: first, sequence: second, data }
    case 'forwardRefused':
      return { kind, sequence: second }
    case 'digest':
      return { kind, index: first, high: second, low: third, records: fourth }
    case 'question':
    case 'answer':
      return { kind, id: first, text }
    case 'records':
      return { kind, records, crc: first }
    case 'end':
      return { kind, records: first }
    case 'ping':
    case 'pong':
    case 'received':
      return { kind }
  }
}

function readRecord(reader: WireReader): readonly [Buffer, Buffer] {
  let key: Buffer = nothing
  let value: Buffer = nothing
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) key = reader.bytes()
    else if (field === 2) value = reader.bytes()
    else reader.skip()
  }
  return [key, value]
}
