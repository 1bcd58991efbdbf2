/**
 * The envelope around every protobuf document: four bytes that say what follows, then the message `Unknown` with the
 * kind of the object and its bytes.
 *
 * Source: specification, "Protobuf envelope".
 */

import type { Result } from '../../../store/contract.ts'
import { type ProtobufFailure, reading } from './failure.ts'
import { Reader, wire } from './reader.ts'
import type { ReverseWriter } from './writer.ts'

/** The same in all dialects. */
const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00])

export interface TypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

interface Envelope extends TypeMeta {
  /** Where the object's bytes are. */
  readonly from: number
  readonly to: number
}

const tag = (number: number): number => (number << 3) | wire.bytes
const [first, second, third, fourth] = [tag(1), tag(2), tag(3), tag(4)]
/** contentEncoding and contentType: none. */
const tail = Buffer.from([third, 0, fourth, 0])

/** Writes an envelope whose object `write` writes. */
export function writeEnvelope(
  writer: ReverseWriter,
  typeMeta: TypeMeta,
  write: (writer: ReverseWriter) => void,
): void {
  writer.raw(tail)
  const before = writer.length
  write(writer)
  writeHead(writer, typeMeta, writer.length - before)
}

/** What stands before and behind the bytes of an object of that length, where those are written on their own. */
export function writeHead(writer: ReverseWriter, { apiVersion, kind }: TypeMeta, rawBytes: number): void {
  writer.varint(rawBytes)
  writer.byte(second)
  const before = writer.length
  writer.string(kind)
  writer.byte(second)
  writer.string(apiVersion)
  writer.byte(first)
  writer.varint(writer.length - before)
  writer.byte(first)
  writer.raw(magic)
}

export const envelopeTail: Buffer = tail

/** `mediaType`: what `contentType` may say, beside nothing. */
export function openEnvelope(bytes: Buffer, mediaType: string): Result<Envelope, ProtobufFailure> {
  return reading(new Reader(bytes), (reader) => {
    if (!bytes.subarray(0, magic.length).equals(magic))
      reader.fail(`the bytes do not start as a protobuf document does (${magic.toString('hex')})`)
    reader.at = magic.length
    return readUnknown(reader, mediaType)
  })
}

function readUnknown(reader: Reader, mediaType: string): Envelope {
  let typeMeta: TypeMeta = { apiVersion: '', kind: '' }
  let from = reader.at
  let to = reader.at
  for (let found = reader.tag(); found !== undefined; found = reader.tag()) {
    switch (found) {
      case first:
        typeMeta = readTypeMeta(reader)
        break
      case second: {
        const length = reader.length()
        from = reader.at
        to = from + length
        reader.at = to
        break
      }
      case third:
        if (reader.string() !== '') reader.fail('the object is encoded in a way that is not served')
        break
      case fourth: {
        const contentType = reader.string()
        if (contentType !== '' && contentType !== mediaType)
          reader.fail(`the object is ${JSON.stringify(contentType)}, expected ${mediaType}`)
        break
      }
      default:
        reader.skip(found)
    }
  }
  return { ...typeMeta, from, to }
}

function readTypeMeta(reader: Reader): TypeMeta {
  let apiVersion = ''
  let kind = ''
  const length = reader.length()
  const { end } = reader
  reader.end = reader.at + length
  for (let found = reader.tag(); found !== undefined; found = reader.tag()) {
    if (found === first) apiVersion = reader.string()
    else if (found === second) kind = reader.string()
    else reader.skip(found)
  }
  reader.end = end
  return { apiVersion, kind }
}
