/**
 * A definition as its rules see it: what all versions say alike (schema, subresources, columns, selectable fields) is said
 * once for the whole definition, and the versions say nothing of it. So the paths of what is wrong are
 * `spec.validation.openAPIV3Schema…` where all versions agree, as they do when there is one, and
 * `spec.versions[1].schema.openAPIV3Schema…` where they differ.
 */

import type { JsonObject, JsonValue } from '../../json.ts'
import { sameJson } from '../../same-json.ts'
import { itemsIn, objectIn } from '../../types/validation/read.ts'
import { type Schema, withoutZeros } from './json-schema.ts'

/** What a version says, or all of them. */
export interface Stated {
  /** `CustomResourceValidation`: undefined = there is none; it may still hold no schema. */
  readonly validation: JsonObject | undefined
  readonly subresources: JsonObject | undefined
  readonly columns: readonly JsonObject[]
  readonly selectableFields: readonly JsonObject[]
}

export interface StatedDefinition {
  readonly common: Stated
  /** In the order of `spec.versions`, each without what is common. */
  readonly versions: readonly (Stated & { readonly version: JsonObject })[]
}

const members = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const
type Member = (typeof members)[number]

export function statedOf(spec: JsonObject): StatedDefinition {
  const versions = itemsIn(spec, 'versions')
  const [first = {}, ...others] = versions
  const shared = new Set<Member>(
    versions.length === 0 ? [] : members.filter((name) => others.every((one) => isSame(one, first, name))),
  )
  return {
    common: read(first, (name) => shared.has(name)),
    versions: versions.map((version) => ({ version, ...read(version, (name) => !shared.has(name)) })),
  }
}

function read(version: JsonObject, says: (name: Member) => boolean): Stated {
  return {
    validation: says('schema') ? objectIn(version, 'schema') : undefined,
    subresources: says('subresources') ? objectIn(version, 'subresources') : undefined,
    columns: says('additionalPrinterColumns') ? itemsIn(version, 'additionalPrinterColumns') : [],
    selectableFields: says('selectableFields') ? itemsIn(version, 'selectableFields') : [],
  }
}

function isSame(a: JsonObject, b: JsonObject, name: Member): boolean {
  return sameJson(meaning(a[name]), meaning(b[name]))
}

function meaning(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value) && value.length === 0) return undefined
  return withoutZeros({ value })['value']
}

/** The schema of a `CustomResourceValidation`. */
export function schemaOf(validation: JsonObject | undefined): Schema | undefined {
  return objectIn(validation, 'openAPIV3Schema')
}

/** The schemas of all versions. */
export function allSchemas(spec: JsonObject): readonly Schema[] {
  return itemsIn(spec, 'versions')
    .map((version) => schemaOf(objectIn(version, 'schema')))
    .filter((schema) => schema !== undefined)
}
