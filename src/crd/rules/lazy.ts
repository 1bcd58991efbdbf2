/**
 * The rules of a schema as the strategy of its type uses them. Expressions are a library of their own, which most servers
 * never need: it is loaded with the first write of an object whose schema has rules.
 */

import type { JsonObject } from '../../json.ts'
import { createOnDemand } from '../../on-demand.ts'
import type { Cause } from '../../status/status.ts'
import type { Structural } from '../schema/structural.ts'
import { hasRules } from './present.ts'
import type { Rules } from './rules.ts'

interface LazyRules {
  /** To be awaited before `validate`; undefined = there is nothing to wait for. */
  load(): Promise<void> | undefined
  /**
   * What breaks rules, beside what validation found before: of values that are not what the schema says, rules say nothing.
   * @param change `ratchets` = values that did not change need not keep rules; those are told by `warnings`
   */
  validate(
    object: JsonObject,
    found: readonly Cause[],
    change?: { readonly old: JsonObject; readonly ratchets: boolean },
  ): readonly Cause[]
  /** Rules that a valid object breaks, as it did before. */
  warnings(object: JsonObject, old: JsonObject | undefined): readonly string[]
}

const engine = createOnDemand(() => import('./rules.ts'))

/** `structural` is asked for when it is needed. */
export function createLazyRules(structural: () => Structural): LazyRules {
  let rules: Rules | undefined
  /** What was there before changes of which there is something to tell. */
  const lenient = new WeakSet<JsonObject>()
  const made = (): Rules => {
    rules ??= engine.loaded.createRules(structural())
    return rules
  }
  return {
    load: () => (hasRules(structural()) ? engine.load() : undefined),
    validate(object, found, change) {
      if (!hasRules(structural())) return found
      if (found.some(({ reason }) => blocking.has(reason))) return [...found, unchecked]
      const old = change?.old
      const warn = old !== undefined && change?.ratchets === true ? () => lenient.add(old) : undefined
      return [...found, ...made().validate(object, old, warn === undefined ? {} : { warn })]
    },
    warnings(object, old) {
      if (old === undefined || !lenient.has(old)) return []
      const told: string[] = []
      const warn = ({ field, message }: Cause): void => void told.push(`${field}: ${message}`)
      made().validate(object, old, { warn })
      return told
    },
  }
}

const blocking: ReadonlySet<string> = new Set(
  ['NotSupported', 'Required', 'TooLong', 'TooMany', 'TypeInvalid'].map((reason) => `FieldValue${reason}`),
)

const unchecked: Cause = {
  reason: 'FieldValueInvalid',
  message:
    'Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
  field: '<nil>',
}
