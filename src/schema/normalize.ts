/**
 * Gives an object the form that it is stored and answered in: members in the order of the schema, empty ones left
 * out or printed as the API prints them. Equal objects become equal bytes.
 *
 * What is printed when empty follows the JSON of the original (Go): messages that are not pointers always, as `{}`,
 * and times as null; of the rest what is not `omitempty`, lists, maps and bytes then as null.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { setOwn } from '../own.ts'
import type { Field, MessageType, ValueType } from './descriptor.ts'
import { structScalars, zeroScalars } from './scalars.ts'
import { madeOnce } from './walk.ts'

/** Returns the value itself where nothing is to change. */
type Normalizer = (value: JsonValue) => JsonValue

/**
 * Makes a new object; parts that need no change are shared with the old. The object must have passed the decoder.
 */
export function normalizeMessage(message: MessageType, object: JsonObject): JsonObject {
  const normalized = normalizerOf(message)(object)
  if (!isJsonObject(normalized)) throw new TypeError(`${message.id} is not an object`)
  return normalized
}

const normalizerOf = madeOnce<Normalizer>((message) =>
  message.jsonForm === undefined ? objectNormalizer(message) : formNormalizer(message),
)

interface Member {
  readonly name: string
  /** Undefined: the value stands as it is. */
  readonly normalize: Normalizer | undefined
  /** Is this value to be left out? */
  readonly dropped: (value: JsonValue) => boolean
  /** Printed when absent; undefined: nothing. */
  readonly absent: (() => JsonValue) | undefined
}

function objectNormalizer(message: MessageType): Normalizer {
  let members: readonly Member[] | undefined
  const root = message.root
  return (value) => {
    if (!isJsonObject(value)) return value
    members ??= [...message.jsonFields.values()].map(memberOf)
    const result: Record<string, JsonValue> = {}
    if (root) {
      const { kind, apiVersion } = value
      if (typeof kind === 'string' && kind !== '') result['kind'] = kind
      if (typeof apiVersion === 'string' && apiVersion !== '') result['apiVersion'] = apiVersion
    }
    for (let i = 0; i < members.length; i++) {
      const member = members[i] as Member
      const found = value[member.name]
      if (found === undefined || found === null || member.dropped(found)) {
        if (member.absent !== undefined) result[member.name] = member.absent()
      } else {
        result[member.name] = member.normalize === undefined ? found : member.normalize(found)
      }
    }
    return result
  }
}

const never = (): boolean => false
const isEmptyList = (value: JsonValue): boolean => Array.isArray(value) && value.length === 0
const isEmptyMap = (value: JsonValue): boolean => isJsonObject(value) && !hasMembers(value)
const isZero = (value: JsonValue): boolean => value === '' || value === 0 || value === false

function hasMembers(value: JsonObject): boolean {
  for (const key in value) if (Object.hasOwn(value, key)) return true
  return false
}

function memberOf(field: Field): Member {
  const { name, type, pointer, omitEmpty } = field
  const normalize = valueNormalizer(type)
  const nothing = (): JsonValue => null
  switch (type.kind) {
    case 'list':
      return { name, normalize, dropped: isEmptyList, absent: omitEmpty ? undefined : nothing }
    case 'map':
      return { name, normalize, dropped: isEmptyMap, absent: omitEmpty ? undefined : nothing }
    case 'message': {
      if (pointer) return { name, normalize, dropped: never, absent: omitEmpty ? undefined : nothing }
      const empty = normalizerOf(type.message)
      return { name, normalize, dropped: never, absent: () => empty({}) }
    }
    case 'scalar': {
      if (pointer) return { name, normalize, dropped: never, absent: omitEmpty ? undefined : nothing }
      const zero = zeroScalars[type.scalar]
      const printed = structScalars.has(type.scalar) || !omitEmpty
      const dropped = structScalars.has(type.scalar) ? never : isZero
      return { name, normalize, dropped, absent: printed ? () => zero : undefined }
    }
  }
}

function valueNormalizer(type: ValueType): Normalizer | undefined {
  switch (type.kind) {
    case 'scalar':
      return undefined
    case 'message': {
      const { message } = type
      let normalizer: Normalizer | undefined
      return (value) => {
        normalizer ??= normalizerOf(message)
        return normalizer(value)
      }
    }
    case 'list':
      return listNormalizer(valueNormalizer(type.element))
    case 'map':
      return mapNormalizer(valueNormalizer(type.value))
  }
}

function listNormalizer(element: Normalizer | undefined): Normalizer | undefined {
  if (element === undefined) return undefined
  return (value) => (Array.isArray(value) ? value.map(element) : value)
}

/** Keys in the order of their code units, as the original sorts them. */
function mapNormalizer(element: Normalizer | undefined): Normalizer {
  return (value) => {
    if (!isJsonObject(value)) return value
    const keys = Object.keys(value)
    if (element === undefined && isSorted(keys)) return value
    const sorted: Record<string, JsonValue> = {}
    for (const key of keys.sort()) {
      const member = value[key] ?? null
      setOwn(sorted, key, element === undefined ? member : element(member))
    }
    return sorted
  }
}

function isSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if ((keys[i] ?? '') < (keys[i - 1] ?? '')) return false
  return true
}

/** A schema of a custom resource definition, a list of them, or another value that stands as it is. */
function formNormalizer(message: MessageType): Normalizer {
  const field = message.fields.find((candidate) => candidate.name === 'schema')
  const schema = field === undefined ? undefined : valueNormalizer(field.type)
  if (schema === undefined) throw new TypeError(`${message.id} has no field schema`)
  return (value) => {
    if (Array.isArray(value))
      return value.map((element: JsonValue) => (isJsonObject(element) ? schema(element) : element))
    return isJsonObject(value) ? schema(value) : value
  }
}
