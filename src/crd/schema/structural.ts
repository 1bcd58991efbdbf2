/**
 * The schema of a custom resource, as its definition states it in `openAPIV3Schema` and as everything at run time reads
 * it: pruning, defaulting, validation, rules, apply, printed columns, published schemas. One node for each place where a
 * value can be.
 *
 * A structural schema says the type of every place outside of `allOf`, `anyOf`, `oneOf` and `not`; what stands inside of
 * those only narrows ({@link ValueValidation}).
 */

import type { JsonValue } from '../../json.ts'

export type StructuralType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'

export interface Structural {
  /** Undefined where any type may stand: `x-kubernetes-int-or-string`, `x-kubernetes-preserve-unknown-fields`. */
  readonly type: StructuralType | undefined
  readonly title: string
  readonly description: string
  /** Null is a value of its own; elsewhere null is dropped where there is a default, and else refused. */
  readonly nullable: boolean
  /** Undefined = none. Shared: copy before it becomes part of an object. */
  readonly default: JsonValue | undefined
  readonly properties: ReadonlyMap<string, Structural>
  /** Of all members that `properties` does not name; true = they may be anything. */
  readonly additionalProperties: Structural | true | undefined
  /** Of lists. */
  readonly items: Structural | undefined
  /** `x-kubernetes-preserve-unknown-fields`: members that nothing names are kept as they came. */
  readonly preserveUnknownFields: boolean
  /** `x-kubernetes-embedded-resource`: an object with apiVersion, kind and metadata of its own. */
  readonly embeddedResource: boolean
  /** `x-kubernetes-int-or-string`. */
  readonly intOrString: boolean
  /** `x-kubernetes-list-type`; undefined = atomic. */
  readonly listType: 'atomic' | 'set' | 'map' | undefined
  /** `x-kubernetes-list-map-keys`. */
  readonly listMapKeys: readonly string[]
  /** `x-kubernetes-map-type`; undefined = granular. */
  readonly mapType: 'atomic' | 'granular' | undefined
  /** `x-kubernetes-validations`. */
  readonly rules: readonly ValidationRule[]
  readonly validation: ValueValidation
}

/** What a value of the right type must be. Undefined = nothing is asked. */
export interface ValueValidation {
  readonly format: string | undefined
  readonly maximum: number | undefined
  readonly exclusiveMaximum: boolean
  readonly minimum: number | undefined
  readonly exclusiveMinimum: boolean
  readonly multipleOf: number | undefined
  readonly maxLength: number | undefined
  readonly minLength: number | undefined
  readonly pattern: string | undefined
  readonly maxItems: number | undefined
  readonly minItems: number | undefined
  readonly uniqueItems: boolean
  readonly maxProperties: number | undefined
  readonly minProperties: number | undefined
  readonly required: readonly string[]
  readonly enum: readonly JsonValue[] | undefined
  readonly allOf: readonly NestedValidation[]
  readonly anyOf: readonly NestedValidation[]
  readonly oneOf: readonly NestedValidation[]
  readonly not: NestedValidation | undefined
}

/** Inside of `allOf`, `anyOf`, `oneOf` and `not`: it asks more of a value, and of what is within it. */
export interface NestedValidation extends ValueValidation {
  readonly items: NestedValidation | undefined
  readonly properties: ReadonlyMap<string, NestedValidation>
  readonly additionalProperties: NestedValidation | undefined
  /** `type` may stand inside for int-or-string alone. */
  readonly type: StructuralType | undefined
}

/** One of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string
  readonly message: string
  readonly messageExpression: string
  readonly reason: string
  readonly fieldPath: string
  readonly optionalOldSelf: boolean | undefined
}
