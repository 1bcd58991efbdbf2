/** The default values of a schema must keep its rules: as a value that is new, and as one that was there. */

import { customResourceCostMax } from '../../cel/limits.ts'
import type { JsonValue } from '../../json.ts'
import type { Cause } from '../../status/status.ts'
import type { Structural } from '../schema/structural.ts'
import type { Run } from './evaluate.ts'
import { placeOf } from './places.ts'
import { hasRules } from './present.ts'
import { runRules } from './walk.ts'

/** Empty = all do. @param path of the schema, `spec.versions[0].schema.openAPIV3Schema` */
export function checkDefaults(structural: Structural, path: string): readonly Cause[] {
  const run: Run = { causes: [], warn: undefined, budget: customResourceCostMax, isOver: false }
  visit(structural, path, run)
  return run.causes
}

/** Values of maps have no defaults. */
function visit(structural: Structural, path: string, run: Run): void {
  if (run.isOver || !hasRules(structural)) return
  if (structural.default !== undefined) check(structural, structural.default, `${path}.default`, run)
  if (structural.items !== undefined) visit(structural.items, `${path}.items`, run)
  for (const [name, child] of structural.properties) visit(child, `${path}.properties[${name}]`, run)
}

/** Of both ways the dearer counts. */
function check(structural: Structural, value: JsonValue, path: string, run: Run): void {
  const place = placeOf(structural, structural.embeddedResource)
  const { budget, causes } = run
  const before = causes.length
  runRules(place, path, value, value, undefined, run)
  if (causes.length > before) return
  const left = run.budget
  run.budget = budget
  runRules(place, path, value, undefined, undefined, run)
  run.budget = Math.min(left, run.budget)
}
