/**
 * Values at run time. What is common is a JavaScript primitive:
 *
 *     null, bool, string   themselves
 *     int                  number while it is a safe integer, else bigint (never both for one value: see int.ts)
 *     bytes                Uint8Array
 *
 * and the rest are classes. An error is a value too ({@link CelError}): it travels up until `&&`, `||`, a macro or the
 * caller takes it. So nothing throws, and absorbing an error costs nothing.
 */

import type { ListIdentity, ObjectType, OpaqueValue } from '../types.ts'

export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | CelDouble
  | CelUint
  | CelTimestamp
  | CelDuration
  | CelList
  | CelMap
  | CelOptional
  | CelTypeValue
  | CelOpaque
  | CelError

export class CelDouble {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

export class CelUint {
  /** 0 to 2^64 - 1. */
  readonly value: bigint
  constructor(value: bigint) {
    this.value = value
  }
}

/** Years 1 to 9999. */
export class CelTimestamp {
  /** Nanoseconds since 1970. */
  readonly nanos: bigint
  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

export class CelDuration {
  /** Within int64. */
  readonly nanos: bigint
  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** A list; elements may be converted when they are asked for. */
export abstract class CelList {
  abstract readonly size: number
  /** `index` is within the list. */
  abstract at(index: number): Value
  /** Set for lists that a schema declares as sets or maps: their order means nothing. */
  readonly identity: ListIdentity | undefined = undefined
}

/** A map or an object: entries in a fixed order; values may be converted when they are asked for. */
export abstract class CelMap {
  abstract readonly size: number
  /** `undefined` when there is none. */
  abstract get(key: Value): Value | undefined
  abstract keys(): readonly Value[]
  /** Set for objects that a declaration names. */
  readonly object: ObjectType | undefined = undefined
  /** JSON that no expression sees and that counts when objects are compared; undefined = there is none. */
  get unseen(): unknown {
    return undefined
  }
}

export class CelOptional {
  /** Absent = none. */
  readonly value: Value | undefined
  constructor(value: Value | undefined) {
    this.value = value
  }
  static readonly none: CelOptional = new CelOptional(undefined)
}

export class CelTypeValue {
  /** Runtime name: `int`, `google.protobuf.Timestamp`, `list`. */
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** A value of the host, which only functions of its type look into. */
export class CelOpaque {
  readonly host: OpaqueValue
  constructor(host: OpaqueValue) {
    this.host = host
  }
}

export class CelError {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** The budget is used up: no operator may absorb it. */
export const halted = new CelError('operation cancelled: actual cost limit exceeded')

export const noSuchOverload = new CelError('no such overload')

export function noSuchKey(key: string): CelError {
  return new CelError(`no such key: ${key}`)
}

/** Lists made by literals, macros and functions. */
export class ArrayList extends CelList {
  readonly items: readonly Value[]
  override readonly identity: ListIdentity | undefined
  constructor(items: readonly Value[], identity?: ListIdentity) {
    super()
    this.items = items
    this.identity = identity
  }
  get size(): number {
    return this.items.length
  }
  at(index: number): Value {
    return this.items[index] ?? null
  }
}

/** The same text or number for equal keys, whatever their numeric type; `undefined` = no key can be this. */
export function mapKey(key: Value): string | number | bigint | boolean | undefined {
  switch (typeof key) {
    case 'string':
      return `s${key}`
    case 'boolean':
    case 'number':
    case 'bigint':
      return key
    default:
      if (key instanceof CelUint) return narrow(key.value)
      if (!(key instanceof CelDouble) || !Number.isInteger(key.value)) return undefined
      return Number.isSafeInteger(key.value) ? key.value + 0 : BigInt(key.value)
  }
}

function narrow(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** Maps made by literals. */
export class EntryMap extends CelMap {
  readonly #entries: ReadonlyMap<string | number | bigint | boolean, readonly [Value, Value]>
  constructor(entries: ReadonlyMap<string | number | bigint | boolean, readonly [Value, Value]>) {
    super()
    this.#entries = entries
  }
  get size(): number {
    return this.#entries.size
  }
  get(key: Value): Value | undefined {
    const normal = mapKey(key)
    return normal === undefined ? undefined : this.#entries.get(normal)?.[1]
  }
  keys(): readonly Value[] {
    return [...this.#entries.values()].map(([key]) => key)
  }
}

/** The runtime type's name, as `type()` and messages show it. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'number':
    case 'bigint':
      return 'int'
    default:
      return value === null ? 'null_type' : classNameOf(value)
  }
}

function classNameOf(value: Exclude<Value, null | string | boolean | number | bigint>): string {
  if (value instanceof CelMap) return value.object?.name ?? 'map'
  if (value instanceof CelList) return 'list'
  if (value instanceof CelDouble) return 'double'
  if (value instanceof CelUint) return 'uint'
  if (value instanceof CelTimestamp) return 'google.protobuf.Timestamp'
  if (value instanceof CelDuration) return 'google.protobuf.Duration'
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof CelOptional) return 'optional_type'
  if (value instanceof CelTypeValue) return 'type'
  if (value instanceof CelOpaque) return value.host.celType.name
  return 'error'
}
