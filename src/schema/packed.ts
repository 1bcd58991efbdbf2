/**
 * The form in which the build step hands the schema sources to the running server: small JSON files, one for each
 * group version, and an index with all that is needed to know what is served. Written by `source.ts`, read by
 * `schemas.ts`; nobody else looks inside.
 */

import type { JsonValue } from '../json.ts'
import type { JsonForm } from './descriptor.ts'

/** Bits of {@link PackedField}. */
export const flags = {
  required: 1,
  omitEmpty: 2,
  pointer: 4,
  inline: 8,
  enumOpen: 16,
  unionDiscriminator: 32,
  defaultPublished: 64,
} as const

/** What few fields have. */
export interface PackedFieldExtras {
  protoName?: string
  listType?: 'atomic' | 'set' | 'map'
  listMapKeys?: string[]
  mapType?: 'atomic' | 'granular'
  patchStrategy?: ('merge' | 'replace' | 'retainKeys')[]
  patchMergeKey?: string
  default?: JsonValue
  enum?: string[]
  featureGate?: string
}

/** JSON name, number, type, flags, extras. Type: `string`, `core/v1.PodSpec`, `[]string` (list), `{}quantity` (map). */
export type PackedField = [string, number, string, number, PackedFieldExtras?]

export interface PackedMessage {
  fields: PackedField[]
  root?: true
  structType?: 'atomic'
  jsonForm?: JsonForm
  jsonOnly?: true
}

/** By message name. */
export type PackedPackage = Record<string, PackedMessage>

interface PackedSubresource {
  name: string
  /** Message id. */
  message: string
  verbs: string[]
}

export interface PackedResource {
  /** Message id, `core/v1.Pod`: also package and kind. */
  message: string
  plural: string
  shortNames: string[]
  categories: string[]
  namespaced: boolean
  verbs: string[]
  featureGate?: string
  subresources: PackedSubresource[]
  /** Set when the type names selectable fields of its own. */
  selectable?: string[]
  /** Message id of the stored form, where it is not the preferred version's. */
  storedAs?: string
  hashVersion?: string
  generation?: true
  createOnUpdate?: true
  unconditionalUpdate?: false
  nameFormat?: 'label' | 'pathSegment'
}

export interface PackedIndex {
  /** By package id, `rbac/v1`. `group` with placeholders. */
  packages: Record<string, { group: string; version: string; servedByDefault: boolean }>
  resources: PackedResource[]
}

/** Doc comments by message id and JSON name of the field; the message's own is under ''. */
export type PackedDescriptions = Record<string, Record<string, string>>

/** Beside `index.json`, and apart from the packages: only OpenAPI documents need it. */
export const descriptionsFile = 'descriptions.json'

/** File of a package beside `index.json`. */
export function packageFile(packageId: string): string {
  return `${packageId.replace('/', '.')}.json`
}
