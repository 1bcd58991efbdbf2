/**
 * Which rules a change is held to: what a definition did already, it may go on doing, so that a rule that is new does not
 * lock existing definitions out of every change.
 */

import type { JsonObject } from '../../json.ts'
import { sameJson } from '../../same-json.ts'
import type { ApiObject } from '../../types/object.ts'
import { itemsIn, objectIn, specOf, textIn, textsIn } from '../../types/validation/read.ts'
import { isTrue } from './conditions.ts'
import { isKnownReviewVersion } from './conversion.ts'
import { unprunedDefaults } from './default-values.ts'
import { type Schema, someSchema, withoutZeros } from './json-schema.ts'
import { mapKeyCauses, nonAtomicSetItem } from './lists.ts'
import { isSchemaType } from './schema-types.ts'
import { allSchemas, schemaOf } from './stated.ts'
import type { Strictness } from './strictness.ts'
import { structuralCauses } from './structural.ts'
import { unsupportedPart } from './unsupported.ts'

export function strictnessOf(old: ApiObject): Strictness {
  const spec = specOf(old)
  const schemas = allSchemas(spec)
  const none = (holds: (schema: Schema) => boolean): boolean =>
    !schemas.some((schema) => someSchema(schema, holds))
  const structural = !schemas.some(
    (schema) => unsupportedPart(schema) !== undefined || structuralCauses(schema, '').length > 0,
  )
  return {
    knownReviewVersion: mayRequireKnownVersion(spec),
    fixedNames: isTrue(old, 'Established'),
    schemas: schemas.length === itemsIn(spec, 'versions').length,
    knownTypes: none((schema) => !isSchemaType(textIn(schema, 'type'))),
    structural,
    prunedDefaults: !structural || !schemas.some((schema) => unprunedDefaults(schema)),
    atomicSets: none((schema) => nonAtomicSetItem(schema) !== undefined),
    mapKeys: none((schema) => mapKeyCauses(schema, '').length > 0),
  }
}

function mayRequireKnownVersion(spec: JsonObject): boolean {
  const versions = textsIn(objectIn(objectIn(spec, 'conversion'), 'webhook'), 'conversionReviewVersions')
  return versions.length === 0 || versions.some(isKnownReviewVersion)
}

/** Versions whose schema is as it was, by name: what their rules cost has been judged already. */
export function unchangedVersions(spec: JsonObject, old: JsonObject): ReadonlySet<string> {
  const before = new Map(itemsIn(old, 'versions').map((version) => [textIn(version, 'name'), version]))
  const same = itemsIn(spec, 'versions').filter((version) => {
    const known = before.get(textIn(version, 'name'))
    return known !== undefined && sameJson(meaning(version), meaning(known))
  })
  return new Set(same.map((version) => textIn(version, 'name')))
}

function meaning(version: JsonObject): JsonObject | undefined {
  const validation = objectIn(version, 'schema')
  const schema = schemaOf(validation)
  return schema === undefined ? validation : withoutZeros(schema)
}
