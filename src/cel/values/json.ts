/**
 * JSON as values, by declared type, one level at a time: what an expression does not touch is not converted.
 *
 * - int takes integral numbers, timestamp RFC 3339 texts and dates, duration Go's texts, bytes base64; null stays null.
 * - `dyn`: integral numbers are ints, others doubles.
 * - Only plain objects (of no class) have properties, and only their own: `constructor` and `__proto__` are keys as
 *   any other.
 */

import type { CelType, ListIdentity, ObjectType } from '../types.ts'
import { describeType } from '../types.ts'
import { intOf } from './int.ts'
import { isPlainObject, ownProperty, type PlainObject } from './plain-object.ts'
import { parseSchemaDuration } from './schema-duration.ts'
import { parseTimestamp } from './time.ts'
import { CelDouble, CelError, CelList, CelMap, CelOpaque, CelOptional, CelUint, type Value } from './value.ts'

/** Makes a value of JSON; an error where the JSON is not of the type. */
type Converter = (json: unknown) => Value

/** A member of a value of that type; `undefined` when there is none. */
function memberOf(json: PlainObject, name: string, { ofSchema }: Pick<ObjectType, 'ofSchema'>): unknown {
  const value = ownProperty(json, name)
  return value === null && ofSchema === true ? undefined : value
}

class JsonList extends CelList {
  readonly #items: readonly unknown[]
  readonly #convert: Converter
  override readonly identity: ListIdentity | undefined
  constructor(items: readonly unknown[], convert: Converter, identity: ListIdentity | undefined) {
    super()
    this.#items = items
    this.#convert = convert
    this.identity = identity
  }
  get size(): number {
    return this.#items.length
  }
  at(index: number): Value {
    return this.#convert(this.#items[index])
  }
}

class JsonMap extends CelMap {
  readonly #json: PlainObject
  readonly #convert: Converter
  constructor(json: PlainObject, convert: Converter) {
    super()
    this.#json = json
    this.#convert = convert
  }
  get size(): number {
    return this.keys().length
  }
  get(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined
    const value = ownProperty(this.#json, key)
    return value === undefined ? undefined : this.#convert(value)
  }
  keys(): readonly string[] {
    return Object.keys(this.#json).filter((key) => this.#json[key] !== undefined)
  }
}

/** The property of a declared object that is evaluated when an expression reads it. */
export class DeferredValue {
  readonly #evaluate: () => Value
  #value: Value | undefined
  constructor(evaluate: () => Value) {
    this.#evaluate = evaluate
  }
  /** Evaluated once. */
  get value(): Value {
    this.#value ??= this.#evaluate()
    return this.#value
  }
}

/** An object of declared properties: the others are not seen. */
class DeclaredMap extends CelMap {
  readonly #json: PlainObject
  #seen: ReadonlySet<string> | undefined
  override readonly object: ObjectType
  constructor(json: PlainObject, object: ObjectType) {
    super()
    this.#json = json
    this.object = object
  }
  get size(): number {
    return this.keys().length
  }
  get(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined
    const field = this.object.fields.get(key)
    if (field === undefined) return undefined
    const value = memberOf(this.#json, field.jsonName ?? key, this.object)
    if (value instanceof DeferredValue) return value.value
    return value === undefined ? undefined : converterOf(field.type)(value)
  }
  keys(): readonly string[] {
    return [...this.object.fields].flatMap(([name, field]) =>
      memberOf(this.#json, field.jsonName ?? name, this.object) === undefined ? [] : [name],
    )
  }
  override get unseen(): PlainObject | undefined {
    if (this.object.ofSchema !== true) return undefined
    this.#seen ??= new Set([...this.object.fields].map(([name, field]) => field.jsonName ?? name))
    const rest = Object.entries(this.#json).filter(([name]) => this.#seen?.has(name) === false)
    return rest.length === 0 ? undefined : Object.fromEntries(rest)
  }
}

const converters = new WeakMap<CelType, Converter>()

/** The type's converter, made once for each type. */
export function converterOf(type: CelType): Converter {
  const known = converters.get(type)
  if (known !== undefined) return known
  const made = makeConverter(type)
  converters.set(type, made)
  return made
}

function wrong(type: CelType): CelError {
  return new CelError(`invalid data, expected a value of type '${describeType(type)}'`)
}

function makeConverter(type: CelType): Converter {
  const failure = wrong(type)
  switch (type.kind) {
    case 'bool':
      return (json) => (typeof json === 'boolean' || json === null ? json : failure)
    case 'string':
      return (json) => (typeof json === 'string' || json === null ? json : failure)
    case 'int':
      return (json) =>
        typeof json === 'number' && Number.isSafeInteger(json) ? json + 0 : otherInt(json, failure)
    case 'uint':
      return (json) => (isCount(json) ? new CelUint(BigInt(json)) : json === null ? null : failure)
    case 'double':
      return (json) => (typeof json === 'number' ? new CelDouble(json) : json === null ? null : failure)
    case 'bytes':
      return (json) => bytesOf(json) ?? (json === null ? null : failure)
    case 'timestamp':
      return (json) =>
        typeof json === 'string' ? (parseTimeOrDate(json) ?? failure) : json === null ? null : failure
    case 'duration':
      return (json) =>
        typeof json === 'string' ? (parseSchemaDuration(json) ?? failure) : json === null ? null : failure
    case 'list':
      return listConverter(type, failure)
    case 'map':
      return mapConverter(type, failure)
    case 'object':
      return (json) => (isPlainObject(json) ? new DeclaredMap(json, type) : json === null ? null : failure)
    case 'optional':
      return (json) =>
        json === undefined ? CelOptional.none : new CelOptional(converterOf(type.element)(json))
    case 'opaque':
      return (json) => opaqueOf(json, type.name) ?? (json === null ? null : failure)
    case 'null':
      return (json) => (json === null ? null : failure)
    default:
      return dynamic
  }
}

function listConverter(type: CelType & { kind: 'list' }, failure: CelError): Converter {
  let element: Converter | undefined
  return (json) => {
    if (!Array.isArray(json)) return json === null ? null : failure
    element ??= converterOf(type.element)
    return new JsonList(json, element, type.set)
  }
}

function mapConverter(type: CelType & { kind: 'map' }, failure: CelError): Converter {
  let value: Converter | undefined
  return (json) => {
    if (!isPlainObject(json)) return json === null ? null : failure
    value ??= converterOf(type.value)
    return new JsonMap(json, value)
  }
}

/** A date (format `date`) is its midnight in UTC. */
function parseTimeOrDate(text: string): Value | undefined {
  return parseTimestamp(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)
}

function otherInt(json: unknown, failure: CelError): Value {
  if (json === null) return null
  const value = typeof json === 'number' && Number.isInteger(json) ? BigInt(json) : json
  return typeof value === 'bigint' && BigInt.asIntN(64, value) === value ? intOf(value) : failure
}

function isCount(json: unknown): json is number | bigint {
  if (typeof json === 'bigint') return BigInt.asUintN(64, json) === json
  return typeof json === 'number' && Number.isSafeInteger(json) && json >= 0
}

function bytesOf(json: unknown): Uint8Array | undefined {
  if (json instanceof Uint8Array) return json
  if (typeof json !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(json)) return undefined
  return new Uint8Array(Buffer.from(json, 'base64'))
}

function opaqueOf(json: unknown, name: string): CelOpaque | undefined {
  if (typeof json !== 'object' || json === null || !('celType' in json)) return undefined
  const { celType } = json
  const fits =
    typeof celType === 'object' &&
    celType !== null &&
    'kind' in celType &&
    celType.kind === 'opaque' &&
    'name' in celType &&
    celType.name === name
  // what was checked is all that OpaqueValue requires
  return fits ? new CelOpaque(json as CelOpaque['host']) : undefined
}

const notJson = new CelError('unsupported value')

function dynamic(json: unknown): Value {
  switch (typeof json) {
    case 'string':
    case 'boolean':
      return json
    case 'number':
      return dynamicNumber(json)
    case 'bigint':
      return BigInt.asIntN(64, json) === json ? intOf(json) : notJson
    case 'object':
      if (json === null) return null
      if (Array.isArray(json)) return new JsonList(json, dynamic, undefined)
      if (isPlainObject(json)) return new JsonMap(json, dynamic)
      return json instanceof Uint8Array ? json : notJson
    default:
      return notJson
  }
}

/** Integers beyond int64 are doubles. */
function dynamicNumber(json: number): Value {
  if (Number.isSafeInteger(json)) return json + 0
  if (!Number.isInteger(json) || Math.abs(json) >= 2 ** 63) return new CelDouble(json)
  return intOf(BigInt(json))
}
