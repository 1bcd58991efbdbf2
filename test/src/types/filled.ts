/** Objects with a value in every field, in canonical order: what goes through decoder and normalizer unchanged. */

import type { JsonValue } from '../../../src/json.ts'
import type { Field, MessageType, ScalarType, ValueType } from '../../../src/schema/descriptor.ts'
import type { Random } from '../../support/random.ts'

/** Levels of a message inside itself. */
const recursionMax = 1

type Draft = Record<string, JsonValue>

export function filled(message: MessageType, random: Random, within: readonly MessageType[] = []): Draft {
  const object: Draft = {}
  if (message.root) {
    object['kind'] = message.name
    object['apiVersion'] = 'v1'
  }
  const path = [...within, message]
  for (const field of message.jsonFields.values()) {
    if (!isTooDeep(field.type, path)) object[field.name] = valueFor(field.type, random, path, field)
  }
  return object
}

function isTooDeep(type: ValueType, path: readonly MessageType[]): boolean {
  switch (type.kind) {
    case 'scalar':
      return false
    case 'message':
      return path.filter((message) => message === type.message).length > recursionMax
    case 'list':
      return isTooDeep(type.element, path)
    case 'map':
      return isTooDeep(type.value, path)
  }
}

function valueFor(type: ValueType, random: Random, path: readonly MessageType[], field: Field): JsonValue {
  switch (type.kind) {
    case 'scalar':
      return scalarOf(type.scalar, random)
    case 'message':
      return type.message.jsonForm === undefined
        ? filled(type.message, random, path)
        : formOf(type.message, random, path)
    case 'list':
      return [valueFor(type.element, random, path, field)]
    case 'map':
      return { [`key-${random.below(100)}`]: valueFor(type.value, random, path, field) }
  }
}

function formOf(message: MessageType, random: Random, path: readonly MessageType[]): JsonValue {
  const schema = message.fields.find(({ name }) => name === 'schema')?.type
  if (schema?.kind !== 'message') throw new Error(`${message.id} has no schema`)
  const wraps = path.filter((one) => one === schema.message).length > recursionMax
  const object = wraps ? {} : filled(schema.message, random, path)
  if (message.jsonForm === 'schemaOrBool') return random.pick<JsonValue>([true, false, object])
  if (message.jsonForm === 'schemaOrStrings') return random.pick<JsonValue>([['a', 'b'], object])
  return random.pick<JsonValue>([[object, {}], object])
}

function scalarOf(scalar: ScalarType, random: Random): JsonValue {
  const number = random.below(1000) + 1
  const digits = String(number).padStart(4, '0')
  switch (scalar) {
    case 'string':
      return `text-${number}`
    case 'bool':
      return true
    case 'int32':
    case 'int64':
      return number
    case 'double':
      return number + 0.5
    case 'bytes':
      return Buffer.from(digits).toString('base64')
    case 'quantity':
      return `${number}Mi`
    case 'intOrString':
      return random.pick<JsonValue>([number, `${number}%`])
    case 'time':
      return `2${digits.slice(1)}-01-02T03:04:05Z`
    case 'microTime':
      return `2${digits.slice(1)}-01-02T03:04:05.67${digits}Z`
    case 'rawExtension':
      return { anything: [number, null, { goes: '' }] }
    case 'json':
      return random.pick<JsonValue>([number, 'text', { deep: [1, { list: [] }] }, [null]])
  }
}

/** The same object with the members of every message in another order. */
export function shuffled(value: JsonValue, random: Random): JsonValue {
  if (Array.isArray(value)) return value.map((element: JsonValue) => shuffled(element, random))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, member]): [string, JsonValue] => [
    key,
    shuffled(member ?? null, random),
  ])
  for (let i = entries.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const [a, b] = [entries[i], entries[j]]
    if (a !== undefined && b !== undefined) [entries[i], entries[j]] = [b, a]
  }
  return Object.fromEntries(entries)
}
