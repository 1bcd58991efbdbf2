/** The versions of a definition: their names, which is stored, what is said of those on their way out. */

import type { JsonObject } from '../../json.ts'
import { invalidValue, required } from '../../status/causes.ts'
import { isPrintable } from '../../status/quote.ts'
import type { Cause } from '../../status/status.ts'
import type { Causes } from '../../types/validation/checks.ts'
import { invalidObject } from '../../types/validation/more-causes.ts'
import { hostLabelProblems } from '../../types/validation/names.ts'
import { has, itemsIn, textIn } from '../../types/validation/read.ts'
import { type StatedDefinition, schemaOf } from './stated.ts'
import type { Strictness } from './strictness.ts'

/** Every version has a schema; of definitions of before only those that are served, and whose fields are pruned. */
export function checkSchemasGiven(
  causes: Causes,
  spec: JsonObject,
  stated: StatedDefinition,
  { schemas }: Strictness,
): void {
  if (schemaOf(stated.common.validation) !== undefined) return
  if (!schemas && spec['preserveUnknownFields'] === true) return
  for (const [i, { version, validation }] of stated.versions.entries()) {
    if (schemaOf(validation) !== undefined || (!schemas && version['served'] !== true)) continue
    const detail = schemas ? 'schemas are required' : 'because otherwise all fields are pruned'
    causes.push(required(`spec.versions[${i}].schema.openAPIV3Schema`, detail))
  }
}

export function checkVersionName(causes: Causes, path: string, version: JsonObject): void {
  const name = textIn(version, 'name')
  const problems = hostLabelProblems(name)
  if (problems.length > 0) causes.push(invalidValue(path, name, problems.join(',')))
}

const warningBytesMax = 256

export function checkDeprecation(causes: Causes, path: string, version: JsonObject): void {
  if (!has(version, 'deprecationWarning')) return
  const warning = textIn(version, 'deprecationWarning')
  const wrong = (detail: string): void =>
    void causes.push(invalidValue(`${path}.deprecationWarning`, warning, detail))
  if (version['deprecated'] !== true) {
    wrong('can only be set for deprecated versions')
    return
  }
  if (Buffer.byteLength(warning) > warningBytesMax) wrong(`must be <= ${warningBytesMax} characters long`)
  if (warning === '') wrong('must not be an empty string')
  const at = [...warning].findIndex((letter) => !isPrintable(letter))
  if (at < 0) return
  const index = Buffer.byteLength([...warning].slice(0, at).join(''))
  wrong(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`)
}

/** What the versions say together. */
export function checkTogether(causes: Causes, spec: JsonObject, { versions }: StatedDefinition): void {
  const wrong = (detail: string): void => void causes.push(invalidObject('spec.versions', detail))
  const names = itemsIn(spec, 'versions').map((version) => textIn(version, 'name'))
  if (new Set(names).size < names.length) wrong('must contain unique version names')
  if (versions.filter(({ version }) => version['storage'] === true).length !== 1)
    wrong('must have exactly one version marked as storage version')
  const [first] = names
  const problems = first === undefined || first === '' ? [] : hostLabelProblems(first)
  if (first !== undefined && problems.length > 0)
    causes.push(invalidValue('spec.version', first, problems.join(',')))
}

/** Objects are stored in these versions: each is one of the definition, and that which is stored now is among them. */
export function storedVersionCauses(stored: readonly string[], spec: JsonObject): readonly Cause[] {
  const field = 'status.storedVersions'
  if (stored.length === 0) {
    const message = 'Invalid value: []string(nil): must have at least one stored version'
    return [{ reason: 'FieldValueInvalid', message, field }]
  }
  const causes: Cause[] = []
  const left = new Map(stored.map((name, i) => [name, i]))
  for (const version of itemsIn(spec, 'versions')) {
    const name = textIn(version, 'name')
    if (version['storage'] === true && !left.has(name))
      causes.push(invalidValue(field, stored, `must have the storage version ${name}`))
    left.delete(name)
  }
  for (const [name, i] of left)
    causes.push(invalidValue(`${field}[${i}]`, name, 'must appear in spec.versions'))
  return causes
}
