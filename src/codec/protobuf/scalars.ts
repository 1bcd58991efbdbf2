/**
 * Leaf values on the wire. Some are numbers and texts, the others small messages of their own: `scalars.proto`
 * says their fields.
 */

import { isUtf8 } from 'node:buffer'
import type { JsonValue } from '../../json.ts'
import { depthMax } from '../../schema/decode.ts'
import type { ScalarType } from '../../schema/descriptor.ts'
import { canonicalQuantity } from '../../schema/quantity.ts'
import { nestingDepth } from '../json-scan.ts'
import { type Reader, type WireType, wire } from './reader.ts'
import type { ReverseWriter } from './writer.ts'

interface WireScalar {
  readonly wireType: WireType
  /** What stands behind the tag. The value has passed the schema's decoder: another type is a bug (throws). */
  write(writer: ReverseWriter, value: JsonValue): void
  /** Reads what stands behind the tag. */
  read(reader: Reader): JsonValue
}

const tagOf = (number: number, wireType: WireType): number => (number << 3) | wireType

function textOf(value: JsonValue): string {
  if (typeof value !== 'string') throw new TypeError(`expected a string, found ${typeof value}`)
  return value
}

function numberOf(value: JsonValue): number {
  if (typeof value !== 'number') throw new TypeError(`expected a number, found ${typeof value}`)
  return value
}

const string: WireScalar = {
  wireType: wire.bytes,
  write: (writer, value) => writer.string(textOf(value)),
  read: (reader) => reader.string(),
}

const bool: WireScalar = {
  wireType: wire.varint,
  write: (writer, value) => writer.byte(value === true ? 1 : 0),
  read: (reader) => reader.bool(),
}

const int32: WireScalar = {
  wireType: wire.varint,
  write: (writer, value) => writer.signed(numberOf(value)),
  read: (reader) => reader.int32(),
}

const int64: WireScalar = {
  wireType: wire.varint,
  write: (writer, value) => writer.signed(numberOf(value)),
  read: (reader) => reader.int64(),
}

const double: WireScalar = {
  wireType: wire.fixed64,
  write: (writer, value) => writer.double(numberOf(value)),
  read(reader) {
    const value = reader.double()
    return Number.isFinite(value) ? value : reader.fail('JSON has no such number')
  },
}

const bytes: WireScalar = {
  wireType: wire.bytes,
  write: (writer, value) => (value === null ? writer.byte(0) : writer.base64(textOf(value))),
  read: (reader) => reader.base64(),
}

/** Writes a message whose fields `write` writes, last first. */
function nested(write: (writer: ReverseWriter, value: JsonValue) => void): WireScalar['write'] {
  return (writer, value) => {
    const before = writer.length
    write(writer, value)
    writer.varint(writer.length - before)
  }
}

/** Reads a message: `read` gets each tag, and says whether it has read the value. */
function fields(reader: Reader, read: (tag: number) => boolean): void {
  const length = reader.length()
  const { end } = reader
  reader.end = reader.at + length
  for (let tag = reader.tag(); tag !== undefined; tag = reader.tag()) if (!read(tag)) reader.skip(tag)
  reader.end = end
}

const quantityText = tagOf(1, wire.bytes)

const quantity: WireScalar = {
  wireType: wire.bytes,
  write: nested((writer, value) => {
    writer.string(textOf(value))
    writer.tag(quantityText)
  }),
  read(reader) {
    let found = '0'
    fields(reader, (tag) => {
      if (tag !== quantityText) return false
      const start = reader.at
      const text = reader.string()
      found = canonicalQuantity(text) ?? reader.fail('the text is not a quantity', start)
      return true
    })
    return found
  },
}

const choice = tagOf(1, wire.varint)
const choiceInteger = tagOf(2, wire.varint)
const choiceText = tagOf(3, wire.bytes)

const intOrString: WireScalar = {
  wireType: wire.bytes,
  write: nested((writer, value) => {
    const isText = typeof value === 'string'
    writer.string(isText ? value : '')
    writer.tag(choiceText)
    writer.signed(isText ? 0 : numberOf(value))
    writer.tag(choiceInteger)
    writer.byte(isText ? 1 : 0)
    writer.tag(choice)
  }),
  read(reader) {
    let isText = false
    let integer = 0
    let text = ''
    fields(reader, (tag) => {
      if (tag === choice) isText = reader.int64() === 1
      else if (tag === choiceInteger) integer = reader.int32()
      else if (tag === choiceText) text = reader.string()
      else return false
      return true
    })
    return isText ? text : integer
  },
}

const seconds = tagOf(1, wire.varint)
const nanos = tagOf(2, wire.varint)
/** First and last second of the years that RFC 3339 can write. */
const secondsMin = Date.parse('0000-01-01T00:00:00Z') / 1000
const secondsMax = Date.parse('9999-12-31T23:59:59Z') / 1000
const nanosPerMicro = 1000

/** No time at all is an empty message. `fraction`: microseconds are kept. */
function timeOf(fraction: boolean): WireScalar {
  return {
    wireType: wire.bytes,
    write: nested((writer, value) => {
      if (value === null) return
      const text = textOf(value)
      const wholeSeconds = Date.parse(`${text.slice(0, 19)}Z`) / 1000
      if (Number.isNaN(wholeSeconds)) throw new TypeError('expected a time')
      writer.varint(fraction ? Number(text.slice(20, 26)) * nanosPerMicro : 0)
      writer.tag(nanos)
      writer.signed(wholeSeconds)
      writer.tag(seconds)
    }),
    read(reader) {
      const start = reader.at
      let found = false
      let wholeSeconds = 0
      let rest = 0
      fields(reader, (tag) => {
        if (tag === seconds) wholeSeconds = reader.int64()
        else if (tag === nanos) rest = reader.int32()
        else return false
        found = true
        return true
      })
      if (!found) return null
      if (wholeSeconds < secondsMin || wholeSeconds > secondsMax || rest < 0 || rest > 999_999_999)
        reader.fail('the time is out of range', start)
      const text = new Date(wholeSeconds * 1000).toISOString().slice(0, 19)
      return fraction ? `${text}.${String(Math.floor(rest / nanosPerMicro)).padStart(6, '0')}Z` : `${text}Z`
    },
  }
}

const rawJson = tagOf(1, wire.bytes)

/** The text of a JSON value inside a message; none for null. */
const json: WireScalar = {
  wireType: wire.bytes,
  write: nested((writer, value) => {
    if (value === null) return
    writer.string(JSON.stringify(value))
    writer.tag(rawJson)
  }),
  read(reader) {
    let found: JsonValue = null
    fields(reader, (tag) => {
      if (tag !== rawJson) return false
      found = jsonIn(reader)
      return true
    })
    return found
  },
}

function jsonIn(reader: Reader): JsonValue {
  const start = reader.at
  const text = reader.slice()
  if (text.length === 0) return null
  if (!isUtf8(text)) reader.fail('the JSON text is not valid UTF-8', start)
  if (nestingDepth(text, depthMax) > depthMax)
    reader.fail(`the JSON text nests more than ${depthMax} levels deep`, start)
  try {
    const value: JsonValue = JSON.parse(text.toString('utf8'))
    return value
  } catch {
    return reader.fail('the bytes are not a JSON text', start)
  }
}

export const wireScalars: Readonly<Record<ScalarType, WireScalar>> = {
  string,
  bool,
  int32,
  int64,
  double,
  bytes,
  quantity,
  intOrString,
  time: timeOf(false),
  microTime: timeOf(true),
  rawExtension: json,
  json,
}
