/**
 * Checks a parsed body against a message: types, ranges, formats and depth. Unknown fields are dropped and reported,
 * null means absent, times and quantities take their canonical form. Defaults, required fields and enumerations come
 * later (`defaults.ts`, `required.ts`, validation).
 *
 * The functions of a message are put together at its first use. The path is kept in one array that every level
 * writes its own place of, so it costs nothing until somebody wants to read it.
 */

import type { Result } from '../../store/contract.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { setOwn } from '../own.ts'
import type { DecodeFailure, DecodeReport } from '../types/resource.ts'
import type { Field, MessageType, ScalarType, ValueType } from './descriptor.ts'
import { formatPath, type PathSegment } from './path.ts'
import { canonicalScalars, expectations, zeroScalars } from './scalars.ts'
import { madeOnce } from './walk.ts'

/** Levels of objects and lists in one body. */
export const depthMax = 1000

interface Context {
  readonly path: PathSegment[]
  readonly unknown: string[]
}

/** `depth`: number of path segments that lead to the value. `undefined`: leave the field out. */
type Decoder = (value: JsonValue, context: Context, depth: number) => JsonValue | undefined

class DecodeProblem extends Error {}

/**
 * Takes ownership of `json`: parts of it become parts of the result. The result keeps the order of the input.
 * Failures: the first value of a wrong type or format, named by its path.
 */
export function decodeMessage(
  message: MessageType,
  json: JsonValue,
): Result<{ readonly value: JsonObject; readonly report: DecodeReport }, DecodeFailure> {
  const context: Context = { path: [], unknown: [] }
  try {
    const value = decoderOf(message)(json, context, 0)
    if (!isJsonObject(value)) return { ok: false, failure: { message: notObject(message, json) } }
    return { ok: true, value: { value, report: { unknownFields: context.unknown } } }
  } catch (error) {
    if (error instanceof DecodeProblem) return { ok: false, failure: { message: error.message } }
    throw error
  }
}

function notObject(message: MessageType, json: JsonValue): string {
  return `expected an object (${message.name}), found ${describe(json)}`
}

const decoderOf = madeOnce<Decoder>((message) =>
  message.jsonForm === undefined ? objectDecoder(message) : formDecoder(message),
)

/** A decoder that is made when it is first needed, so that messages may contain themselves. */
function lazily(message: MessageType): Decoder {
  let decoder: Decoder | undefined
  return (value, context, depth) => {
    decoder ??= decoderOf(message)
    return decoder(value, context, depth)
  }
}

function valueDecoder(type: ValueType): Decoder {
  switch (type.kind) {
    case 'scalar':
      return scalarDecoder(type.scalar)
    case 'message':
      return lazily(type.message)
    case 'list':
      return listDecoder(type.element)
    case 'map':
      return mapDecoder(type.value)
  }
}

function scalarDecoder(scalar: ScalarType): Decoder {
  const expected = expectations[scalar]
  if (scalar === 'string') {
    return (value, context, depth) =>
      typeof value === 'string' ? value : fail(context, depth, expected, value)
  }
  const canonical = canonicalScalars[scalar]
  const raw = scalar === 'json' || scalar === 'rawExtension'
  return (value, context, depth) => {
    if (raw) checkDepth(value, context, depth, depth)
    return canonical(value) ?? fail(context, depth, expected, value)
  }
}

function objectDecoder(message: MessageType): Decoder {
  const members = new Map<string, Decoder>()
  if (message.root) {
    members.set('kind', scalarDecoder('string'))
    members.set('apiVersion', scalarDecoder('string'))
  }
  for (const [name, field] of message.jsonFields) members.set(name, fieldDecoder(field))
  const expected = `an object (${message.name})`
  return (value, context, depth) => {
    if (!isJsonObject(value)) return fail(context, depth, expected, value)
    if (depth >= depthMax) return tooDeep(context, depth)
    const result: Record<string, JsonValue> = {}
    for (const name of Object.keys(value)) {
      const decoder = members.get(name)
      const member = value[name]
      context.path[depth] = name
      if (decoder === undefined) {
        context.unknown.push(formatPath(context.path, depth + 1))
      } else if (member !== null && member !== undefined) {
        const decoded = decoder(member, context, depth + 1)
        if (decoded !== undefined) result[name] = decoded
      }
    }
    return result
  }
}

function fieldDecoder(field: Field): Decoder {
  return valueDecoder(field.type)
}

/** The list itself is reused; elements are replaced where their form changes. Null elements become zero values. */
function listDecoder(element: ValueType): Decoder {
  const decoder = valueDecoder(element)
  const zero = zeroOf(element)
  return (value, context, depth) => {
    if (!Array.isArray(value)) return fail(context, depth, 'a list', value)
    if (depth >= depthMax) return tooDeep(context, depth)
    const list: JsonValue[] = value
    for (let i = 0; i < list.length; i++) {
      const member = list[i] ?? null
      context.path[depth] = i
      const decoded = member === null ? zero() : (decoder(member, context, depth + 1) ?? zero())
      if (decoded !== member) list[i] = decoded
    }
    return list
  }
}

function mapDecoder(element: ValueType): Decoder {
  const decoder = valueDecoder(element)
  const zero = zeroOf(element)
  return (value, context, depth) => {
    if (!isJsonObject(value)) return fail(context, depth, 'a map', value)
    if (depth >= depthMax) return tooDeep(context, depth)
    const map = value as Record<string, JsonValue>
    for (const key of Object.keys(map)) {
      const member = map[key] ?? null
      if (typeof member === 'string' && element.kind === 'scalar' && element.scalar === 'string') continue
      context.path[depth] = { key }
      const decoded = member === null ? zero() : (decoder(member, context, depth + 1) ?? zero())
      if (decoded !== member) setOwn(map, key, decoded)
    }
    return map
  }
}

/** Zero value of a list element or map value. */
function zeroOf(type: ValueType): () => JsonValue {
  if (type.kind === 'scalar') {
    const zero = zeroScalars[type.scalar]
    return () => zero
  }
  return type.kind === 'list' ? () => [] : () => ({})
}

/** A schema of a custom resource definition, or what may stand in its place. Unknown fields inside are not reported. */
function formDecoder(message: MessageType): Decoder {
  const schemaField = message.fields.find((field) => field.name === 'schema')
  if (schemaField === undefined) throw new TypeError(`${message.id} has no field schema`)
  const schema = valueDecoder(schemaField.type)
  const schemas = listDecoder(schemaField.type)
  const strings = listDecoder({ kind: 'scalar', scalar: 'string' })
  const quiet =
    (decoder: Decoder): Decoder =>
    (value, context, depth) =>
      decoder(value, { path: context.path, unknown: [] }, depth)
  const object = quiet(schema)
  const list = quiet(message.jsonForm === 'schemaOrStrings' ? strings : schemas)
  const expected = {
    list: '',
    schemaOrList: 'a schema or a list of schemas',
    schemaOrBool: 'a schema or a boolean',
    schemaOrStrings: 'a schema or a list of strings',
  }[message.jsonForm ?? 'list']
  return (value, context, depth) => {
    if (isJsonObject(value)) return object(value, context, depth)
    if (message.jsonForm === 'schemaOrBool') {
      return typeof value === 'boolean' ? value : fail(context, depth, expected, value)
    }
    return Array.isArray(value) ? list(value, context, depth) : fail(context, depth, expected, value)
  }
}

/** Values that are kept as they came still have to end somewhere. */
function checkDepth(value: JsonValue, context: Context, depth: number, at: number): void {
  if (typeof value !== 'object' || value === null) return
  if (at >= depthMax) tooDeep(context, depth)
  for (const member of Array.isArray(value) ? value : Object.values(value))
    checkDepth(member, context, depth, at + 1)
}

function tooDeep(context: Context, depth: number): never {
  throw new DecodeProblem(
    `${formatPath(context.path, Math.min(depth, 8))}…: nested deeper than ${depthMax} levels`,
  )
}

function fail(context: Context, depth: number, expected: string, found: JsonValue): never {
  const path = formatPath(context.path, depth)
  throw new DecodeProblem(`${path === '' ? '' : `${path}: `}expected ${expected}, found ${describe(found)}`)
}

const shownMax = 60

/** `string "three"`, `number 1.5`, `a list`. Long texts are cut. */
function describe(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  const text = JSON.stringify(value)
  return `${typeof value} ${text.length > shownMax ? `${text.slice(0, shownMax)}…` : text}`
}
