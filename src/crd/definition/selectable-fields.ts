/** Fields by which field selectors may select: scalars that the schema names, outside of the metadata. */

import type { JsonObject } from '../../json.ts'
import { duplicate, invalidValue, required } from '../../status/causes.ts'
import type { Causes } from '../../types/validation/checks.ts'
import { tooMany } from '../../types/validation/more-causes.ts'
import { textIn } from '../../types/validation/read.ts'
import { resolveFieldPath } from '../rules/field-path.ts'
import { readStructural } from '../schema/read.ts'
import type { Structural } from '../schema/structural.ts'
import type { Schema } from './json-schema.ts'
import { type Stated, schemaOf } from './stated.ts'
import { unsupportedPart } from './unsupported.ts'

const fieldsMax = 8
const selectableTypes = ['string', 'boolean', 'integer']

/** `path` leads to the version, or to what is common to all. */
export function checkSelectableFields(
  causes: Causes,
  path: string,
  { selectableFields, validation }: Stated,
  isCommon: boolean,
): void {
  if (selectableFields.length === 0) return
  const at = `${path}.selectableFields`
  const schema = schemaOf(validation)
  const without = isCommon
    ? 'selectableFields may only be set when validations.schema is included'
    : 'selectableFields may only be set when version.schema.openAPIV3Schema is not included'
  if (schema === undefined) causes.push(invalidValue(at, '', without))
  else checkFields(causes, at, selectableFields, schema)
}

function checkFields(causes: Causes, path: string, fields: readonly JsonObject[], schema: Schema): void {
  if (unsupportedPart(schema) !== undefined) return
  const structural = readStructural(schema)
  const seen = new Set<string>()
  for (const [i, field] of fields.entries()) {
    const at = `${path}[${i}].jsonPath`
    const jsonPath = textIn(field, 'jsonPath')
    if (jsonPath === '') {
      causes.push(required(at))
      continue
    }
    const found = resolveFieldPath(jsonPath, structural, { brackets: false })
    if (!found.ok) {
      causes.push(invalidValue(at, jsonPath, `is an invalid path: ${found.failure}`))
      continue
    }
    const { text, root, structural: leaf } = found.value
    if (root === 'metadata') causes.push(invalidValue(at, jsonPath, 'must not point to fields in metadata'))
    checkType(causes, at, jsonPath, leaf)
    if (seen.has(text)) causes.push(duplicate(at, jsonPath))
    seen.add(text)
  }
  if (seen.size > fieldsMax) causes.push(tooMany(path, seen.size, fieldsMax))
}

function checkType(causes: Causes, at: string, jsonPath: string, leaf: Structural | undefined): void {
  if (leaf?.type !== undefined && selectableTypes.includes(leaf.type)) return
  const detail =
    'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'
  causes.push(invalidValue(at, jsonPath, detail))
}
