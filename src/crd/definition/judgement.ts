/**
 * What the conditions of a definition say of it beyond its names: that its schemas are not structural, which only
 * definitions of before can be, and whether one in a group of the community's says that it was approved. Pure.
 */

import type { Names } from '../../names/names.ts'
import { invalidValue } from '../../status/causes.ts'
import type { ApiObject } from '../../types/object.ts'
import { itemsIn, objectIn, specOf, textIn } from '../../types/validation/read.ts'
import { approvalCondition } from './approval.ts'
import { type Condition, hasCondition, removeCondition, setCondition } from './set-condition.ts'
import { schemaOf } from './stated.ts'
import { structuralCauses } from './structural.ts'
import { unsupportedPart } from './unsupported.ts'

const nonStructural = 'NonStructuralSchema'

/** The conditions say what is so. */
export function isJudged(definition: ApiObject, names: Names): boolean {
  const { hold, gone } = judgementOf(definition, names)
  return (
    hold.every((one) => hasCondition(definition, one)) && !gone.some((one) => hasCondition(definition, one))
  )
}

/** Changes the definition. `now`: RFC 3339, whole seconds. */
export function judge(definition: ApiObject, names: Names, now: string): void {
  const { hold, gone } = judgementOf(definition, names)
  for (const condition of hold) setCondition(definition, condition, now)
  for (const { type } of gone) removeCondition(definition, type)
}

interface Judgement {
  readonly hold: readonly Condition[]
  readonly gone: readonly { readonly type: string }[]
}

function judgementOf(definition: ApiObject, names: Names): Judgement {
  const structure = structureCondition(definition)
  const approval = approvalCondition(definition, names)
  return {
    hold: [structure, approval].filter((one) => one !== undefined),
    // The group never changes, so what it asks is asked for ever.
    gone: structure === undefined ? [{ type: nonStructural }] : [],
  }
}

/** Undefined = every schema is structural. */
function structureCondition(definition: ApiObject): Condition | undefined {
  const spec = specOf(definition)
  const causes =
    spec['preserveUnknownFields'] === true
      ? [invalidValue('spec.preserveUnknownFields', true, 'must be false')]
      : []
  for (const [i, version] of itemsIn(spec, 'versions').entries()) {
    const schema = schemaOf(objectIn(version, 'schema'))
    if (schema === undefined) continue
    const unsupported = unsupportedPart(schema)
    if (unsupported !== undefined) {
      const message = `failed to check validation schema for version ${textIn(version, 'name')}: ${unsupported}`
      return { type: nonStructural, status: 'Unknown', reason: 'StructuralError', message }
    }
    causes.push(...structuralCauses(schema, `spec.versions[${i}].schema.openAPIV3Schema`))
  }
  if (causes.length === 0) return undefined
  const said = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))]
  const message = said.length === 1 ? said.join('') : `[${said.join(', ')}]`
  return { type: nonStructural, status: 'True', reason: 'Violations', message }
}
