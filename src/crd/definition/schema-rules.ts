/** What a schema of a definition must be: structural, with defaults that fit it, and with rules that compile. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, invalidValue } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import type { Causes } from '../../types/validation/checks.ts'
import { invalidObject } from '../../types/validation/more-causes.ts'
import { textIn } from '../../types/validation/read.ts'
import { checkRules, type RuleCheckOptions } from '../rules/check.ts'
import { readStructural } from '../schema/read.ts'
import { defaultCauses } from './default-values.ts'
import { isSaid, type Schema } from './json-schema.ts'
import { openApiCauses } from './openapi-schema.ts'
import { schemaOf } from './stated.ts'
import type { Strictness } from './strictness.ts'
import { structuralCauses } from './structural.ts'
import { unsupportedPart } from './unsupported.ts'

interface SchemaRules {
  readonly strictness: Strictness
  /** Spec and status are written apart. */
  readonly hasStatus: boolean
  /** What of its rules was accepted before. */
  readonly known: RuleCheckOptions
}

/** `path` leads to the CustomResourceValidation. */
export function checkSchema(
  causes: Causes,
  path: string,
  validation: JsonObject | undefined,
  { strictness, hasStatus, known }: SchemaRules,
): void {
  const schema = schemaOf(validation)
  if (schema === undefined) return
  const at = `${path}.openAPIV3Schema`
  const own: Cause[] = []
  if (hasStatus) checkRootWithStatus(own, schema, at)
  if (schema['nullable'] === true)
    own.push(forbiddenField(`${at}.nullable`, 'nullable cannot be true at the root'))
  const unsupported = strictness.structural ? unsupportedPart(schema) : undefined
  if (strictness.structural && unsupported === undefined) own.push(...structureCauses(schema, at, strictness))
  own.push(...openApiCauses(schema, at, strictness))
  // What cannot be read is mostly said better by then.
  if (own.length === 0 && unsupported !== undefined) own.push(invalidValue(at, '', unsupported))
  if (own.length === 0) own.push(...checkRules(readStructural(schema), at, known))
  causes.push(...own)
}

function structureCauses(schema: Schema, path: string, strictness: Strictness): readonly Cause[] {
  const structural = structuralCauses(schema, path)
  return structural.length > 0 ? structural : defaultCauses(schema, path, strictness.prunedDefaults)
}

/** In the order in which the members of a schema are looked at. */
const members = [
  'id',
  '$schema',
  '$ref',
  'description',
  'type',
  'nullable',
  'format',
  'title',
  'default',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'enum',
  'maxProperties',
  'minProperties',
  'required',
  'items',
  'allOf',
  'oneOf',
  'anyOf',
  'not',
  'properties',
  'additionalProperties',
  'patternProperties',
  'dependencies',
  'additionalItems',
  'definitions',
  'externalDocs',
  'example',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
]

/** Of these the part below `status` keeps its meaning when it is taken alone. Clients know them by these names. */
const allowedAtRoot: ReadonlyMap<string, string> = new Map([
  ['description', 'Description'],
  ['type', 'Type'],
  ['format', 'Format'],
  ['title', 'Title'],
  ['maximum', 'Maximum'],
  ['exclusiveMaximum', 'ExclusiveMaximum'],
  ['minimum', 'Minimum'],
  ['exclusiveMinimum', 'ExclusiveMinimum'],
  ['maxLength', 'MaxLength'],
  ['minLength', 'MinLength'],
  ['pattern', 'Pattern'],
  ['maxItems', 'MaxItems'],
  ['minItems', 'MinItems'],
  ['uniqueItems', 'UniqueItems'],
  ['multipleOf', 'MultipleOf'],
  ['required', 'Required'],
  ['items', 'Items'],
  ['properties', 'Properties'],
  ['externalDocs', 'ExternalDocs'],
  ['example', 'Example'],
  ['x-kubernetes-preserve-unknown-fields', 'XPreserveUnknownFields'],
  ['x-kubernetes-validations', 'XValidations'],
])

/** The first that is wrong is said, and no other. */
function checkRootWithStatus(causes: Causes, schema: Schema, path: string): void {
  for (const name of members) {
    if (!isSaid(name, schema[name])) continue
    const type = textIn(schema, 'type')
    if (name === 'type' && type !== 'object') {
      causes.push(
        invalidValue(
          `${path}.type`,
          type,
          'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
        ),
      )
      return
    }
    if (allowedAtRoot.has(name)) continue
    const allowed = [...allowedAtRoot.values()].join(' ')
    causes.push(
      invalidObject(
        path,
        `only [${allowed}] fields are allowed at the root of the schema if the status subresource is enabled`,
      ),
    )
    return
  }
}
