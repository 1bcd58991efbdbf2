/** What holds for every built-in type beside its own rules: values of enumerations, names of finalizers. */

import type { Names } from '../../names/names.ts'
import type { MessageType } from '../../schema/descriptor.ts'
import { invalidValue } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import type { StrategyRules } from '../module.ts'
import type { ApiObject } from '../object.ts'
import type { Causes } from './checks.ts'
import { checkEnums } from './enums.ts'
import { jsonOf } from './read.ts'

type Validate = (object: ApiObject) => readonly Cause[]

/** `message`: of the storage version. `own`: the rules of the type. */
export function createValidator(
  message: MessageType,
  names: Names,
  { validate: own, finalizersWithoutDomain = false }: StrategyRules,
): Validate {
  const standard = new Set([names.product, 'orphan', 'foregroundDeletion'])
  return (object) => {
    const causes: Causes = []
    if (!finalizersWithoutDomain) checkFinalizers(causes, object, standard)
    checkEnums(causes, message, jsonOf(object))
    if (own !== undefined) causes.push(...own(object))
    return causes
  }
}

/** A finalizer belongs to whoever owns its domain; a few without one are the server's. */
function checkFinalizers(
  causes: Causes,
  { metadata: { finalizers } }: ApiObject,
  standard: ReadonlySet<string>,
): void {
  if (finalizers === undefined) return
  for (const [i, finalizer] of finalizers.entries()) {
    if (finalizer.includes('/') || standard.has(finalizer)) continue
    const detail = 'name is neither a standard finalizer name nor is it fully qualified'
    causes.push(invalidValue(`metadata.finalizers[${i}]`, finalizer, detail))
  }
}

/** Turns a function that collects causes into one that gives them. */
export function validates(check: (causes: Causes, object: ApiObject) => void): Validate {
  return (object) => {
    const causes: Causes = []
    check(causes, object)
    return causes
  }
}
