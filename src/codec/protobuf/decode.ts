/**
 * Protobuf messages to objects, in the form in which the original would print them as JSON: what its decoder for
 * JSON bodies takes. Unknown fields are skipped. The functions of a message are put together at its first use.
 */

import type { Result } from '../../../store/contract.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { setOwn } from '../../own.ts'
import { depthMax } from '../../schema/decode.ts'
import type { Field, MessageType, ScalarType, ValueType } from '../../schema/descriptor.ts'
import { structScalars, zeroScalars } from '../../schema/scalars.ts'
import { type ProtobufFailure, reading } from './failure.ts'
import { formValue } from './forms.ts'
import { Reader, wire } from './reader.ts'
import { wireScalars } from './scalars.ts'

type Target = Record<string, JsonValue>

/** Reads the fields of a message up to its end into `target`. `depth`: segments of the path that lead to it. */
type FieldsReader = (reader: Reader, target: Target, depth: number) => void

/** Reads one field, or one of its values, into `target`. */
type FieldReader = (reader: Reader, wireType: number, target: Target, depth: number) => void

type ValueReader = (reader: Reader, wireType: number, depth: number) => JsonValue

/** Never throws for what `bytes` hold. Offsets count from the start of `bytes`; `from` and `to` bound the message. */
export function decodeProtobuf(
  message: MessageType,
  bytes: Buffer,
  from = 0,
  to = bytes.length,
): Result<JsonObject, ProtobufFailure> {
  const target: Target = {}
  return reading(new Reader(bytes, from, to), (reader) => {
    fieldsReader(message)(reader, target, 0)
    return target
  })
}

const fieldsReaders = new WeakMap<MessageType, FieldsReader>()

function fieldsReader(message: MessageType): FieldsReader {
  let known = fieldsReaders.get(message)
  if (known === undefined) {
    known = createFieldsReader(message)
    fieldsReaders.set(message, known)
  }
  return known
}

interface NumberedReader {
  readonly name: string
  readonly inline: boolean
  readonly read: FieldReader
}

function createFieldsReader(message: MessageType): FieldsReader {
  if (message.jsonOnly) throw new TypeError(`${message.id} has no protobuf form`)
  let byNumber: (NumberedReader | undefined)[] | undefined
  return (reader, target, depth) => {
    byNumber ??= numbered(message.fields)
    for (let tag = reader.tag(); tag !== undefined; tag = reader.tag()) {
      const field = byNumber[tag >>> 3]
      if (field === undefined) {
        reader.skip(tag)
      } else if (field.inline) {
        field.read(reader, tag & 7, target, depth)
      } else {
        reader.enter(depth, field.name)
        field.read(reader, tag & 7, target, depth + 1)
        reader.leave(depth)
      }
    }
  }
}

/** Numbers are small, so a list serves as the index. */
function numbered(fields: readonly Field[]): (NumberedReader | undefined)[] {
  const last = Math.max(0, ...fields.map(({ number }) => number))
  const byNumber = Array.from<NumberedReader | undefined>({ length: last + 1 })
  for (const field of fields) {
    byNumber[field.number] = { name: field.name, inline: field.inline, read: fieldReader(field) }
  }
  return byNumber
}

function fieldReader(field: Field): FieldReader {
  const { name, type } = field
  switch (type.kind) {
    case 'list':
      return type.wrapper === undefined
        ? listReader(name, type.element)
        : singleReader(name, valueReader(type))
    case 'map':
      return mapReader(name, type.value)
    case 'message':
      return messageReader(field, type.message)
    case 'scalar':
      return scalarReader(field, type.scalar)
  }
}

function singleReader(name: string, read: ValueReader): FieldReader {
  return (reader, wireType, target, depth) => {
    target[name] = read(reader, wireType, depth)
  }
}

/** Zero values that JSON would not print are left out. */
function scalarReader({ name, pointer, omitEmpty }: Field, scalar: ScalarType): FieldReader {
  const read = valueReader({ kind: 'scalar', scalar })
  // Most fields.
  if (scalar === 'string' && !pointer) return textReader(name, omitEmpty)
  const dropsZero = !pointer && scalar !== 'quantity' && (omitEmpty || structScalars.has(scalar))
  return (reader, wireType, target, depth) => {
    const value = read(reader, wireType, depth)
    const isZero = value === null || (dropsZero && (value === '' || value === 0 || value === false))
    if (!isZero) target[name] = value
    else if (target[name] !== undefined) delete target[name]
  }
}

function textReader(name: string, omitEmpty: boolean): FieldReader {
  return (reader, wireType, target) => {
    expect(reader, wireType, wire.bytes)
    const value = reader.string()
    if (value !== '' || !omitEmpty) target[name] = value
    else if (target[name] !== undefined) delete target[name]
  }
}

/** A message that comes in parts is put together. */
function messageReader({ name, inline }: Field, message: MessageType): FieldReader {
  const { jsonForm } = message
  if (jsonForm !== undefined) return singleReader(name, valueReader({ kind: 'message', message }))
  const read = nestedReader(message)
  return (reader, wireType, target, depth) => {
    const before = target[name]
    const inner: Target = inline ? target : isJsonObject(before) ? (before as Target) : {}
    if (!inline) target[name] = inner
    read(reader, wireType, inner, depth)
  }
}

function listReader(name: string, element: ValueType): FieldReader {
  const read = valueReader(element)
  const packable = element.kind === 'scalar' && wireScalars[element.scalar].wireType !== wire.bytes
  return (reader, wireType, target, depth) => {
    const before = target[name]
    const list: JsonValue[] = Array.isArray(before) ? before : []
    if (before === undefined) target[name] = list
    if (packable && wireType === wire.bytes) {
      unpack(reader, list, read, element, depth)
      return
    }
    reader.enter(depth, list.length)
    list.push(read(reader, wireType, depth + 1))
  }
}

/** Numbers of a list, one behind the other without tags. */
function unpack(
  reader: Reader,
  list: JsonValue[],
  read: ValueReader,
  element: ValueType,
  depth: number,
): void {
  const wireType = element.kind === 'scalar' ? wireScalars[element.scalar].wireType : wire.bytes
  const length = reader.length()
  const { end } = reader
  reader.end = reader.at + length
  while (reader.at < reader.end) {
    reader.enter(depth, list.length)
    list.push(read(reader, wireType, depth + 1))
  }
  reader.end = end
}

const entryKey = (1 << 3) | wire.bytes

function mapReader(name: string, type: ValueType): FieldReader {
  const read = valueReader(type)
  const zero = zeroOf(type)
  return (reader, wireType, target, depth) => {
    expect(reader, wireType, wire.bytes)
    const before = target[name]
    const map: Target = isJsonObject(before) ? (before as Target) : {}
    if (before === undefined) target[name] = map
    const length = reader.length()
    const { end } = reader
    reader.end = reader.at + length
    let key = ''
    let value: JsonValue | undefined
    for (let tag = reader.tag(); tag !== undefined; tag = reader.tag()) {
      if (tag === entryKey) {
        key = reader.string()
      } else if (tag >>> 3 === 2) {
        reader.enter(depth, { key })
        value = read(reader, tag & 7, depth + 1)
        reader.leave(depth)
      } else {
        reader.skip(tag)
      }
    }
    reader.end = end
    setOwn(map, key, value ?? zero())
  }
}

/** Of a map's value that is not there. */
function zeroOf(type: ValueType): () => JsonValue {
  if (type.kind !== 'scalar') return type.kind === 'list' ? () => [] : () => ({})
  const zero = type.scalar === 'bytes' ? '' : zeroScalars[type.scalar]
  return () => zero
}

function valueReader(type: ValueType): ValueReader {
  switch (type.kind) {
    case 'scalar': {
      const { wireType: expected, read } = wireScalars[type.scalar]
      return (reader, wireType) => {
        expect(reader, wireType, expected)
        return read(reader)
      }
    }
    case 'message': {
      const { message } = type
      const read = nestedReader(message)
      const { jsonForm } = message
      return (reader, wireType, depth) => {
        const target: Target = {}
        read(reader, wireType, target, depth)
        return jsonForm === undefined ? target : formValue(jsonForm, target)
      }
    }
    case 'list': {
      const { wrapper } = type
      if (wrapper === undefined) throw new TypeError('a list cannot be in a list')
      const read = nestedReader(wrapper)
      return (reader, wireType, depth) => {
        const target: Target = {}
        read(reader, wireType, target, depth)
        return formValue('list', target)
      }
    }
    case 'map':
      throw new TypeError('a map can only be a field')
  }
}

/** Reads a message behind its length. Its functions are made at the first value, so that it may contain itself. */
function nestedReader(message: MessageType): FieldReader {
  let read: FieldsReader | undefined
  return (reader, wireType, target, depth) => {
    read ??= fieldsReader(message)
    expect(reader, wireType, wire.bytes)
    if (depth > depthMax) reader.fail(`messages nest more than ${depthMax} levels deep`)
    const length = reader.length()
    const { end } = reader
    reader.end = reader.at + length
    read(reader, target, depth)
    reader.end = end
  }
}

function expect(reader: Reader, found: number, expected: number): void {
  if (found !== expected) reader.fail(`the wire type is ${found}, expected ${expected}`)
}
