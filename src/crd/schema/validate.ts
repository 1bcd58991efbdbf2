/**
 * What is wrong with the values of a custom resource. A change is first judged like a new object; only when something is
 * wrong with it is it compared with what was there, to forgive what was wrong before.
 */

import type { JsonObject, JsonValue } from '../../json.ts'
import type { Cause } from '../../status/status.ts'
import { createCorrelation } from './correlation.ts'
import { embeddedCauses } from './embedded.ts'
import { listCauses } from './lists.ts'
import type { Problem } from './problems.ts'
import type { Run } from './run.ts'
import type { Structural } from './structural.ts'
import { checkOf } from './value-check.ts'

/** `value`: a whole object, decoded and defaulted; `old`: what is stored, in the same version. Empty = all is well. */
export function validateValue(structural: Structural, value: JsonObject, old?: JsonObject): readonly Cause[] {
  const causes = [...schemaCauses(structural, value, old), ...embeddedCauses(structural, value)]
  // What is twice in a list is told unless something was before.
  const lists = listCauses(structural, value)
  const isForgiven = lists.length > 0 && old !== undefined && listCauses(structural, old).length > 0
  return isForgiven ? causes : [...causes, ...lists]
}

/** What the schema asks of a part of an object; fields begin at the part, which itself is `<nil>`. */
export function validatePart(structural: Structural, value: JsonValue): readonly Cause[] {
  return schemaCauses(structural, value)
}

function schemaCauses(structural: Structural, value: JsonValue, old?: JsonValue): readonly Cause[] {
  const run: Run = { path: [], problems: [], correlation: undefined, quiet: false }
  const check = checkOf(structural)
  check(value, undefined, run, 0)
  if (run.problems.length === 0) return noCauses
  if (old === undefined) return told(run.problems)
  const again: Run = { path: [], problems: [], correlation: createCorrelation(), quiet: false }
  check(value, old, again, 0)
  return told(again.problems)
}

const noCauses: readonly Cause[] = []

/** Each problem once. */
function told(problems: readonly Problem[]): readonly Cause[] {
  const causes = new Map<string, Cause>()
  for (const { said, cause } of problems) if (!causes.has(said)) causes.set(said, cause)
  return [...causes.values()]
}
