/**
 * What the server knows of a message of the API: the run-time form of the `.proto` sources under `src/types/`.
 * Checking, pruning, defaulting, merge keys, apply, protobuf and OpenAPI all read this and nothing else; a custom
 * resource definition will make the same from its schema.
 */

import type { Structural } from '../crd/schema/structural.ts'
import type { JsonValue } from '../json.ts'

/**
 * Leaf types. `json` is any JSON value; `rawExtension` an object kept as it came; `intOrString`, `quantity`, `time`
 * (RFC 3339, whole seconds) and `microTime` (RFC 3339, six digits) are strings or numbers in JSON.
 */
export type ScalarType =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'double'
  | 'bytes'
  | 'quantity'
  | 'intOrString'
  | 'time'
  | 'microTime'
  | 'rawExtension'
  | 'json'

export type ValueType =
  | { readonly kind: 'scalar'; readonly scalar: ScalarType }
  | { readonly kind: 'message'; readonly message: MessageType }
  | {
      readonly kind: 'list'
      readonly element: ValueType
      /** The list stands alone in JSON, but is the one field of this message on the wire (`ExtraValue`). */
      readonly wrapper?: MessageType
    }
  | { readonly kind: 'map'; readonly value: ValueType }

type ListType = 'atomic' | 'set' | 'map'
export type MapType = 'atomic' | 'granular'

/**
 * Messages whose JSON is not an object of their fields. `list`: a list of the one field (types that use such a
 * message say `list` with a `wrapper`, so nobody meets it in a ValueType). The others, all of
 * CustomResourceDefinition schemas, are a schema or: a list of schemas, a boolean, a list of strings.
 */
export type JsonForm = 'list' | 'schemaOrList' | 'schemaOrBool' | 'schemaOrStrings'

export interface Field {
  /** JSON name. */
  readonly name: string
  /** Protobuf name, where it differs from the JSON name it is given; else the same. */
  readonly protoName: string
  /** Protobuf field number. */
  readonly number: number
  readonly type: ValueType
  readonly required: boolean
  /** JSON leaves it out when it has the zero value. */
  readonly omitEmpty: boolean
  /** The original is a pointer: absent and zero are different. */
  readonly pointer: boolean
  /** Its members appear at the parent's level in JSON but nest on the wire. */
  readonly inline: boolean
  /** Null is a value of its own (schemas of custom resources; no built-in type has it). */
  readonly nullable: boolean
  readonly listType?: ListType
  readonly listMapKeys?: readonly string[]
  /** Of a message field: overrides the `structType` of the message. */
  readonly mapType?: MapType
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[]
  readonly patchMergeKey?: string
  /** Applied by the defaulter. */
  readonly default?: JsonValue
  /** OpenAPI shows the default. */
  readonly defaultPublished: boolean
  /** Of a list or map: of its values. */
  readonly enum?: readonly string[]
  /** The constants of `enum` exist, but the type is open: other values are not refused on their account. */
  readonly enumOpen: boolean
  /** The other fields of the message are alternatives, and this one says which is meant. */
  readonly unionDiscriminator: boolean
  /** Served only while this gate is on; dropped otherwise. */
  readonly featureGate?: string
}

export interface MessageType {
  /** `<package>.<Name>`, e.g. `core/v1.PodSpec`, `meta/v1.ObjectMeta`. */
  readonly id: string
  readonly name: string
  /** Carries apiVersion and kind in JSON (only in the envelope on the wire). */
  readonly root: boolean
  /** In the order of the source. Inline fields as declared: see `jsonFields` for the flattened view. */
  readonly fields: readonly Field[]
  /** JSON name → field, members of inline fields included, in the order of JSON output. */
  readonly jsonFields: ReadonlyMap<string, Field>
  /** Stated by the type: apply replaces it whole. */
  readonly structType?: MapType | undefined
  readonly jsonForm?: JsonForm | undefined
  /** Has no protobuf form (Table). */
  readonly jsonOnly: boolean
  /**
   * Of a custom resource: bodies are checked, pruned and defaulted by this, not by `fields`, which say what apply and
   * published schemas need to know.
   */
  readonly structural?: Structural
}
