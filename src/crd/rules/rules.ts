/**
 * The validation rules of a schema (`x-kubernetes-validations`) on objects: along the value, wherever a rule stands
 * there or further in. Programs are compiled when a value first reaches their place.
 *
 * Specification: "Expression language", "Limits".
 */

import { customResourceCostMax } from '../../cel/limits.ts'
import type { JsonObject } from '../../json.ts'
import type { Cause } from '../../status/status.ts'
import { createCorrelation } from '../schema/correlation.ts'
import type { Structural } from '../schema/structural.ts'
import { placeOf } from './places.ts'
import { hasRules } from './present.ts'
import { runRules } from './walk.ts'

interface RulesOptions {
  /**
   * Hears of rules that a value breaks which did not change, and which therefore need not keep them. Absent = every value
   * must.
   */
  readonly warn?: (cause: Cause) => void
}

export interface Rules {
  /**
   * Everything that breaks a rule; empty = nothing does, or there is none. The object follows the schema: what it is
   * of wrong types is told first, and rules are then not run.
   * @param old what the object takes the place of; undefined = it is new
   */
  validate(object: JsonObject, old: JsonObject | undefined, options?: RulesOptions): readonly Cause[]
}

const noRules: Rules = { validate: () => [] }

export function createRules(structural: Structural): Rules {
  if (!hasRules(structural)) return noRules
  const root = placeOf(structural, true)
  return {
    validate(object, old, { warn } = {}) {
      const causes: Cause[] = []
      const run = { causes, warn, budget: customResourceCostMax, isOver: false }
      runRules(root, '', object, old, warn === undefined ? undefined : createCorrelation(), run)
      return causes
    },
  }
}
