/**
 * Which rules a change is held to: what a definition did already, it may go on doing, so that a rule that is new does not
 * lock existing definitions out of every change.
 */

import type { JsonObject } from '../../json.ts'
import { sameJson } from '../../same-json.ts'
import type { ApiObject } from '../../types/object.ts'
import { itemsIn, objectIn, specOf, textIn, textsIn } from '../../types/validation/read.ts'
import type { RuleCheckOptions } from '../rules/check.ts'
import { isKnownReviewVersion } from './conversion.ts'
import { hasUnprunedDefaults } from './default-values.ts'
import { type Schema, someSchema, withoutZeros } from './json-schema.ts'
import { mapKeyCauses, nonAtomicSetItem } from './lists.ts'
import { isSchemaType } from './schema-types.ts'
import { hasTrue } from './set-condition.ts'
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
    fixedNames: hasTrue(old, 'Established'),
    schemas: schemas.length === itemsIn(spec, 'versions').length,
    knownTypes: none((schema) => !isSchemaType(textIn(schema, 'type'))),
    structural,
    prunedDefaults: !structural || !schemas.some(hasUnprunedDefaults),
    atomicSets: none((schema) => nonAtomicSetItem(schema) !== undefined),
    mapKeys: none((schema) => mapKeyCauses(schema, '').length > 0),
  }
}

function mayRequireKnownVersion(spec: JsonObject): boolean {
  const versions = textsIn(objectIn(objectIn(spec, 'conversion'), 'webhook'), 'conversionReviewVersions')
  return versions.length === 0 || versions.some(isKnownReviewVersion)
}

/** What of the rules of a version, by name, was accepted before; a new definition has nothing of before. */
export function knownRules(
  spec: JsonObject,
  old: JsonObject | undefined,
): (version: string) => RuleCheckOptions {
  if (old === undefined) return () => ({})
  const accepted = { rules: new Set<string>(), messageExpressions: new Set<string>() }
  for (const schema of allSchemas(old))
    someSchema(schema, (one) => {
      for (const rule of itemsIn(one, 'x-kubernetes-validations')) {
        accepted.rules.add(textIn(rule, 'rule'))
        accepted.messageExpressions.add(textIn(rule, 'messageExpression'))
      }
      return false
    })
  return (version) => ({ accepted, isUnchanged: isUnchanged(version, spec, old) })
}

function isUnchanged(version: string, spec: JsonObject, old: JsonObject): boolean {
  const [now, before] = [spec, old].map((one) =>
    itemsIn(one, 'versions').find(({ name }) => name === version),
  )
  return now !== undefined && before !== undefined && sameJson(meaning(now), meaning(before))
}

function meaning(version: JsonObject): JsonObject | undefined {
  const schema = schemaOf(objectIn(version, 'schema'))
  return schema === undefined ? undefined : withoutZeros(schema)
}
