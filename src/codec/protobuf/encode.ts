/**
 * Objects to protobuf messages. The functions of a message are put together at its first use.
 *
 * What is written follows the original: fields in the order of their numbers; scalars and messages that are not
 * pointers always, zero or not; pointers, lists, maps and bytes when they are there; maps as entries in the order of
 * their keys; numbers of a list one by one. apiVersion and kind stay with the envelope.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { Field, MessageType, ValueType } from '../../schema/descriptor.ts'
import { zeroScalars } from '../../schema/scalars.ts'
import { formFields } from './forms.ts'
import { wire } from './reader.ts'
import { wireScalars } from './scalars.ts'
import { ReverseWriter } from './writer.ts'

/** Writes the fields of an object, the last first, without a length. */
export type ObjectWriter = (writer: ReverseWriter, object: JsonObject) => void

/** Writes a value with its length, then its tag. */
type ValueWriter = (writer: ReverseWriter, value: JsonValue) => void

/** All encoding happens within one turn, so one buffer serves it. */
const shared = new ReverseWriter()

/** What `write` writes, the last thing first. Must not be called from inside itself. */
export function writtenBy(write: (writer: ReverseWriter) => void): Buffer {
  try {
    write(shared)
    return shared.take()
  } finally {
    shared.clear()
  }
}

/** How many bytes `write` writes, without making them. */
export function measured(write: (writer: ReverseWriter) => void): number {
  try {
    write(shared)
    return shared.length
  } finally {
    shared.clear()
  }
}

const objectWriters = new WeakMap<MessageType, ObjectWriter>()

/** The same for the same message. */
export function objectWriter(message: MessageType): ObjectWriter {
  let known = objectWriters.get(message)
  if (known === undefined) {
    known = createObjectWriter(message)
    objectWriters.set(message, known)
  }
  return known
}

function createObjectWriter(message: MessageType): ObjectWriter {
  if (message.jsonOnly) throw new TypeError(`${message.id} has no protobuf form`)
  let fields: readonly ObjectWriter[] | undefined
  return (writer, object) => {
    fields ??= [...message.fields].sort((a, b) => b.number - a.number).map(fieldWriter)
    for (let i = 0; i < fields.length; i++) fields[i]?.(writer, object)
  }
}

const nothing: JsonObject = {}

function fieldWriter(field: Field): ObjectWriter {
  const { name, type, pointer, number } = field
  if (field.inline) return inlineWriter(field)
  switch (type.kind) {
    case 'list':
      if (type.wrapper !== undefined) return optionalWriter(name, valueWriter(type, number))
      return listWriter(name, valueWriter(type.element, number))
    case 'map':
      return mapWriter(name, type.value, number)
    case 'message': {
      const write = valueWriter(type, number)
      return pointer ? optionalWriter(name, write) : requiredWriter(name, write, nothing)
    }
    case 'scalar': {
      const write = valueWriter(type, number)
      const isOptional = pointer || type.scalar === 'bytes'
      return isOptional ? optionalWriter(name, write) : requiredWriter(name, write, zeroScalars[type.scalar])
    }
  }
}

function optionalWriter(name: string, write: ValueWriter): ObjectWriter {
  return (writer, object) => {
    const value = object[name]
    if (value !== undefined && value !== null) write(writer, value)
  }
}

function requiredWriter(name: string, write: ValueWriter, zero: JsonValue): ObjectWriter {
  return (writer, object) => write(writer, object[name] ?? zero)
}

/** Its members stand in the parent. */
function inlineWriter({ type, number }: Field): ObjectWriter {
  if (type.kind !== 'message') throw new TypeError('only a message can be inline')
  return valueWriter(type, number)
}

function listWriter(name: string, write: ValueWriter): ObjectWriter {
  return (writer, object) => {
    const list = object[name]
    if (!Array.isArray(list)) return
    for (let i = list.length - 1; i >= 0; i--) write(writer, list[i] ?? null)
  }
}

const entryKey = (1 << 3) | wire.bytes

function mapWriter(name: string, type: ValueType, number: number): ObjectWriter {
  const write = valueWriter(type, 2)
  const tag = (number << 3) | wire.bytes
  const isBytes = type.kind === 'scalar' && type.scalar === 'bytes'
  return (writer, object) => {
    const map = object[name]
    if (!isJsonObject(map)) return
    const keys = Object.keys(map)
    if (keys.length > 1) keys.sort()
    for (let i = keys.length - 1; i >= 0; i--) {
      const key = keys[i] ?? ''
      const value = map[key] ?? null
      const before = writer.length
      if (value !== null || !isBytes) write(writer, value)
      writer.string(key)
      writer.byte(entryKey)
      writer.varint(writer.length - before)
      writer.tag(tag)
    }
  }
}

function valueWriter(type: ValueType, number: number): ValueWriter {
  switch (type.kind) {
    case 'scalar': {
      const { wireType, write } = wireScalars[type.scalar]
      const tag = (number << 3) | wireType
      return (writer, value) => {
        write(writer, value)
        writer.tag(tag)
      }
    }
    case 'message': {
      const { message } = type
      const fields = lazily(message)
      return nestedWriter(number, message.jsonForm === undefined ? fields : formWriter(message, fields))
    }
    case 'list': {
      const { wrapper } = type
      const items = wrapper?.fields[0]
      if (wrapper === undefined || items === undefined) throw new TypeError('a list cannot be in a list')
      const write = listWriter(items.name, valueWriter(type.element, items.number))
      return nestedWriter(number, (writer, value) => write(writer, { [items.name]: value }))
    }
    case 'map':
      throw new TypeError('a map can only be a field')
  }
}

function nestedWriter(number: number, write: ValueWriter): ValueWriter {
  const tag = (number << 3) | wire.bytes
  return (writer, value) => {
    const before = writer.length
    write(writer, value)
    writer.varint(writer.length - before)
    writer.tag(tag)
  }
}

/** Made at the first value, so that messages may contain themselves. Null stands for an empty message. */
function lazily(message: MessageType): ValueWriter {
  let write: ObjectWriter | undefined
  return (writer, value) => {
    write ??= objectWriter(message)
    if (value !== null && !isJsonObject(value)) throw new TypeError(`expected an object (${message.name})`)
    write(writer, value ?? nothing)
  }
}

function formWriter({ jsonForm = 'list' }: MessageType, write: ValueWriter): ValueWriter {
  return (writer, value) => write(writer, formFields(jsonForm, value))
}
