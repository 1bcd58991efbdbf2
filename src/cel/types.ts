/**
 * The types of the Common Expression Language (CEL), as declarations write them and as the checker infers them.
 *
 * Goals: one closed union, cheap to compare, written in messages as cel-go writes it (`list(string)`, `map(string, dyn)`).
 * Non-goals: conversion of JSON by type (see `values/json.ts`), assignability during inference (see `check/unify.ts`).
 */

/** A type without parameters; `dyn` = known only at run time. */
interface PlainType {
  /** Longest value, where a schema says so. For estimates of cost. */
  readonly sizeMax?: number
  readonly kind:
    | 'bool'
    | 'int'
    | 'uint'
    | 'double'
    | 'string'
    | 'bytes'
    | 'null'
    | 'timestamp'
    | 'duration'
    | 'dyn'
    /** The type of an expression that the checker refused: fits everywhere, so that one mistake is told once. */
    | 'error'
}

/** One property of an object type. */
export interface ObjectField {
  readonly type: CelType
  /** True when a value may lack it: `has(x.f)` is how to find out, selecting it then is a runtime error. */
  readonly optional?: boolean
  /** Its name in JSON, where CEL's differs because of escapes (`__dash__`). */
  readonly jsonName?: string
}

/** Properties known by name, as a structural schema or an API type declares them. May refer to itself: compare by identity. */
export interface ObjectType {
  readonly kind: 'object'
  /** As messages and `type()` show it: `kubernetes.UserInfo`. Equal names mean equal types. */
  readonly name: string
  readonly fields: ReadonlyMap<string, ObjectField>
  /** Values may be evaluated when they are read. */
  readonly deferred?: true
  /**
   * Values follow a schema: a property that is null counts as absent, and what the schema does not let expressions see
   * still tells values apart.
   */
  readonly ofSchema?: true
}

export type CelType =
  | PlainType
  | ObjectType
  /** `sizeMax`: most elements, where a schema says so. */
  | {
      readonly kind: 'list'
      readonly element: CelType
      readonly set?: ListIdentity
      readonly sizeMax?: number
    }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType; readonly sizeMax?: number }
  /** `optional_type(T)`: what `?.`, `[?]` and `optional.of` give. */
  | { readonly kind: 'optional'; readonly element: CelType }
  /** A value that only its own functions understand; the host class says its type by {@link OpaqueValue}. */
  | { readonly kind: 'opaque'; readonly name: string }
  /** The type of a type: `type(1)`; `of` is absent where it is unknown. */
  | { readonly kind: 'type'; readonly of?: CelType }
  /** A type parameter of a function's signature: `list(A).indexOf(A)`. */
  | { readonly kind: 'param'; readonly name: string }

/**
 * Lists that a schema declares as sets or maps compare and concatenate without regard to order
 * (`x-kubernetes-list-type`): by the whole element, or by the values under some of its properties.
 */
export type ListIdentity =
  | { readonly by: 'element' }
  | { readonly by: 'keys'; readonly keys: readonly string[] }

/** What a value of an opaque type must carry. */
export interface OpaqueValue {
  readonly celType: CelType & { readonly kind: 'opaque' }
  /** CEL's `==`; absent = identity. */
  equals?(other: OpaqueValue): boolean
}

/** Declares an object type. `optional` names the properties that a value may lack; the others are always there. */
function object(name: string, fields: Readonly<Record<string, CelType | ObjectField>>): ObjectType {
  return {
    kind: 'object',
    name,
    fields: new Map(
      Object.entries(fields).map(([field, type]) => [
        field,
        'type' in type ? (type as ObjectField) : { type },
      ]),
    ),
  }
}

function atMost(type: CelType, sizeMax: number): CelType {
  switch (type.kind) {
    case 'string':
    case 'bytes':
    case 'list':
    case 'map':
      return { ...type, sizeMax }
    default:
      return type
  }
}

/** Constructors of types: `cel.list(cel.string)`, `cel.object('kubernetes.UserInfo', { uid: cel.string })`. */
export const cel = {
  bool: { kind: 'bool' },
  int: { kind: 'int' },
  uint: { kind: 'uint' },
  double: { kind: 'double' },
  string: { kind: 'string' },
  bytes: { kind: 'bytes' },
  null: { kind: 'null' },
  timestamp: { kind: 'timestamp' },
  duration: { kind: 'duration' },
  dyn: { kind: 'dyn' },
  error: { kind: 'error' },
  type: { kind: 'type' },
  url: { kind: 'opaque', name: 'kubernetes.URL' },
  quantity: { kind: 'opaque', name: 'kubernetes.Quantity' },
  ip: { kind: 'opaque', name: 'net.IP' },
  cidr: { kind: 'opaque', name: 'net.CIDR' },
  list: (element: CelType, set?: ListIdentity): CelType =>
    set === undefined ? { kind: 'list', element } : { kind: 'list', element, set },
  map: (key: CelType, value: CelType): CelType => ({ kind: 'map', key, value }),
  optional: (element: CelType): CelType => ({ kind: 'optional', element }),
  opaque: (name: string): CelType & { kind: 'opaque' } => ({ kind: 'opaque', name }),
  typeOf: (of: CelType): CelType => ({ kind: 'type', of }),
  param: (name: string): CelType => ({ kind: 'param', name }),
  object,
  /** The same type for values of at most this size: code points, bytes, elements or entries. */
  atMost,
  /** A property that a value may lack. */
  maybe: (type: CelType): ObjectField => ({ type, optional: true }),
} as const satisfies Record<string, CelType | ((...args: never[]) => CelType | ObjectField)>

/** As cel-go writes it in messages. */
export function describeType(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${describeType(type.element)})`
    case 'map':
      return `map(${describeType(type.key)}, ${describeType(type.value)})`
    case 'optional':
      return `optional_type(${describeType(type.element)})`
    case 'type':
      return type.of === undefined ? 'type' : `type(${describeType(type.of)})`
    case 'object':
    case 'opaque':
    case 'param':
      return type.name
    case 'error':
      return '!error!'
    default:
      return type.kind
  }
}

/** Structural equality; objects and opaque types by name. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true
  switch (a.kind) {
    case 'list':
      return b.kind === 'list' && sameType(a.element, b.element)
    case 'map':
      return b.kind === 'map' && sameType(a.key, b.key) && sameType(a.value, b.value)
    case 'optional':
      return b.kind === 'optional' && sameType(a.element, b.element)
    case 'type':
      return b.kind === 'type' && (a.of === undefined || b.of === undefined || sameType(a.of, b.of))
    case 'object':
    case 'opaque':
    case 'param':
      return b.kind === a.kind && b.name === a.name
    default:
      return a.kind === b.kind
  }
}

/** The runtime name of a declared type: `type(x) == string`. */
export function runtimeNameOf(type: CelType): string {
  switch (type.kind) {
    case 'null':
      return 'null_type'
    case 'timestamp':
      return 'google.protobuf.Timestamp'
    case 'duration':
      return 'google.protobuf.Duration'
    case 'optional':
      return 'optional_type'
    case 'object':
    case 'opaque':
    case 'param':
      return type.name
    default:
      return type.kind
  }
}
