/**
 * What is wrong with the values of a custom resource. A change is first judged like a new object; only when something is
 * wrong with it is it compared with what was there, to forgive what was wrong before.
 */

import type { JsonObject, JsonValue } from '../../json.ts'
import { own } from '../../own.ts'
import type { Cause } from '../../status/status.ts'
import { createCorrelation } from './correlation.ts'
import { embeddedCauses } from './embedded.ts'
import { listCauses } from './lists.ts'
import type { Problem } from './problems.ts'
import { type Run, toldMax } from './run.ts'
import type { Structural } from './structural.ts'
import { checkOf } from './value-check.ts'

/**
 * `value`: a whole object, decoded and defaulted; `old`: what is stored, in the same version. Empty = all is well.
 * `between`: what else is wrong with the object, to be told behind what its schema says.
 */
export function validateValue(
  structural: Structural,
  value: JsonObject,
  old?: JsonObject,
  between: readonly Cause[] = noCauses,
): readonly Cause[] {
  return [
    ...schemaCauses(structural, value, old),
    ...between,
    ...embeddedCauses(structural, value).slice(0, toldMax),
    ...newListCauses(structural, value, old),
  ]
}

/** What the schema asks of a part of an object; fields begin at the part, which itself is `<nil>`. */
export function validatePart(structural: Structural, value: JsonValue): readonly Cause[] {
  return schemaCauses(structural, value)
}

/** Of a change through the status subresource: the status is judged alone and as it is, and named from within. */
export function validateStatus(
  structural: Structural,
  value: JsonObject,
  old: JsonObject,
  between: readonly Cause[] = noCauses,
): readonly Cause[] {
  const schema = structural.properties.get('status')
  const status = own(value, 'status')
  return [
    ...(schema === undefined || status === undefined ? noCauses : schemaCauses(schema, status)),
    ...between,
    ...newListCauses(structural, value, old),
  ]
}

/** What is twice in a list, unless something was before. */
function newListCauses(
  structural: Structural,
  value: JsonObject,
  old: JsonObject | undefined,
): readonly Cause[] {
  const causes = listCauses(structural, value).slice(0, toldMax)
  const isForgiven = causes.length > 0 && old !== undefined && listCauses(structural, old).length > 0
  return isForgiven ? noCauses : causes
}

/** What the schema asks of a value, which may be a part of an object: paths begin at the value. */
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

/** Each problem once; those behind the first {@link toldMax} have no words. */
function told(problems: readonly Problem[]): readonly Cause[] {
  const causes = new Map<string, Cause>()
  for (const { said, cause } of problems.slice(0, toldMax)) if (!causes.has(said)) causes.set(said, cause)
  return [...causes.values()]
}
