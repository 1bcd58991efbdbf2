/** Everything that is wrong with a definition, or with a change of one. Pure. */

import type { JsonObject } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import { invalidValue, notSupported, required } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import { changedCauses } from '../../types/immutable.ts'
import type { ApiObject } from '../../types/object.ts'
import type { Causes } from '../../types/validation/checks.ts'
import { jsonOf, objectIn, specOf, textIn, textsIn } from '../../types/validation/read.ts'
import type { RuleCheckOptions } from '../rules/check.ts'
import { approvalCauses } from './approval.ts'
import { checkColumns } from './columns.ts'
import { checkConversion } from './conversion.ts'
import { type Schema, someSchema } from './json-schema.ts'
import { checkGroup, checkNames, checkNamesGiven, ownNameCauses } from './names.ts'
import { knownRules, strictnessOf } from './ratcheting.ts'
import { checkSchema } from './schema-rules.ts'
import { checkSelectableFields } from './selectable-fields.ts'
import { allSchemas, statedOf } from './stated.ts'
import { type Strictness, strict } from './strictness.ts'
import { checkSubresources, hasStatus } from './subresources.ts'
import {
  checkDeprecation,
  checkSchemasGiven,
  checkTogether,
  checkVersionName,
  storedVersionCauses,
} from './versions.ts'

export function newDefinitionCauses(object: ApiObject, names: Names): readonly Cause[] {
  return [...ownNameCauses(object), ...definitionCauses(object, undefined, names, strict)]
}

export function changedDefinitionCauses(object: ApiObject, old: ApiObject, names: Names): readonly Cause[] {
  return definitionCauses(object, old, names, strictnessOf(old))
}

/** Of a change through `status`. */
export function definitionStatusCauses(object: ApiObject): readonly Cause[] {
  const causes: Cause[] = []
  checkNames(causes, 'status.acceptedNames', objectIn(objectIn(jsonOf(object), 'status'), 'acceptedNames'))
  return causes
}

function definitionCauses(
  object: ApiObject,
  old: ApiObject | undefined,
  names: Names,
  strictness: Strictness,
): readonly Cause[] {
  const causes: Cause[] = []
  const spec = specOf(object)
  checkSpec(causes, spec, strictness, knownRules(spec, old === undefined ? undefined : specOf(old)))
  if (old !== undefined) causes.push(...fixedCauses(object, old, strictness))
  causes.push(...definitionStatusCauses(object))
  const stored = textsIn(objectIn(jsonOf(object), 'status'), 'storedVersions')
  causes.push(...storedVersionCauses(stored, spec))
  causes.push(...approvalCauses(object, old, names))
  if (
    spec['preserveUnknownFields'] === true &&
    (old === undefined || specOf(old)['preserveUnknownFields'] !== true)
  )
    causes.push(
      invalidValue(
        'spec.preserveUnknownFields',
        true,
        'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ),
    )
  return causes
}

/** Where objects are stored cannot change, nor what they are once some may be there. */
function fixedCauses(object: ApiObject, old: ApiObject, { fixedNames }: Strictness): readonly Cause[] {
  const established = fixedNames ? ['spec.scope', 'spec.names.kind'] : []
  return changedCauses(object, old, [...established, 'spec.group', 'spec.names.plural'])
}

function checkSpec(
  causes: Causes,
  spec: JsonObject,
  given: Strictness,
  known: (version: string) => RuleCheckOptions,
): void {
  const stated = statedOf(spec)
  const strictness = { ...given, structural: given.structural || mustBeStructural(spec) }
  checkGroup(causes, spec)
  checkScope(causes, spec)
  checkSchemasGiven(causes, spec, stated, strictness)
  if (spec['preserveUnknownFields'] === true && someIn(spec, (schema) => schema['default'] !== undefined))
    causes.push(
      invalidValue(
        'spec.preserveUnknownFields',
        true,
        'must be false in order to use defaults in the schema',
      ),
    )
  const { common, versions } = stated
  for (const [i, one] of versions.entries()) {
    const path = `spec.versions[${i}]`
    const first = versions.find(({ version }) => version['name'] === one.version['name'])
    const ownStatus = hasStatus(first?.subresources ?? common.subresources)
    checkVersionName(causes, `${path}.name`, one.version)
    checkDeprecation(causes, path, one.version)
    checkSchema(causes, `${path}.schema`, one.validation, {
      strictness,
      hasStatus: ownStatus,
      known: known(textIn(one.version, 'name')),
    })
    checkSubresources(causes, `${path}.subresources`, one.subresources)
    checkColumns(causes, `${path}.additionalPrinterColumns`, one.columns)
    checkSelectableFields(causes, path, one, false)
  }
  checkTogether(causes, spec, stated)
  const names = objectIn(spec, 'names')
  checkNamesGiven(causes, 'spec.names', names)
  checkNames(causes, 'spec.names', names)
  const anyStatus = [common, ...versions].some(({ subresources }) => hasStatus(subresources))
  checkSchema(causes, 'spec.validation', common.validation, {
    strictness,
    hasStatus: anyStatus,
    known: known(textIn(versions[0]?.version, 'name')),
  })
  checkSubresources(causes, 'spec.subresources', common.subresources)
  checkColumns(causes, 'spec.additionalPrinterColumns', common.columns)
  checkSelectableFields(causes, 'spec', common, true)
  checkConversion(causes, spec, strictness)
}

function checkScope(causes: Causes, spec: JsonObject): void {
  const scope = textIn(spec, 'scope')
  if (scope === '') causes.push(required('spec.scope'))
  else if (scope !== 'Cluster' && scope !== 'Namespaced')
    causes.push(notSupported('spec.scope', scope, ['Cluster', 'Namespaced']))
}

function someIn(spec: JsonObject, holds: (schema: Schema) => boolean): boolean {
  return allSchemas(spec).some((schema) => someSchema(schema, holds))
}

/** Unknown fields are dropped, values are filled in, or extensions are used: all that reads the structure. */
function mustBeStructural(spec: JsonObject): boolean {
  return (
    spec['preserveUnknownFields'] !== true ||
    someIn(spec, (schema) => needsStructure.some((name) => isUsed(schema[name])))
  )
}

const needsStructure = [
  'default',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-validations',
]

function isUsed(value: unknown): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)
}
