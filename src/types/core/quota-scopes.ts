/** Scopes of quotas: of which pods they count. */

import type { JsonObject } from '../../json.ts'
import { invalidValue, required } from '../../status/causes.ts'
import type { Causes } from '../validation/checks.ts'
import { quotaResourceProblems } from '../validation/quantities.ts'
import { entriesIn, itemsIn, objectIn, textIn, textsIn } from '../validation/read.ts'

/** Of two scopes of a pair a quota has one at most. */
const conflicting: readonly (readonly [string, string])[] = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
]
/** There is nothing to choose from. */
const valueless = [
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
]
const known: ReadonlySet<string> = new Set([...valueless, 'PriorityClass'])

const ofPods = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory', 'pods']

export function checkScopes(causes: Causes, path: string, spec: JsonObject): void {
  const hard = entriesIn(spec, 'hard').map(([name]) => name)
  const scopes = textsIn(spec, 'scopes')
  const at = `${path}.scopes`
  for (const scope of scopes) {
    if (!known.has(scope)) causes.push(invalidValue(at, scopes, 'unsupported scope'))
    for (const _ of unscoped(scope, hard))
      causes.push(invalidValue(at, scopes, 'unsupported scope applied to resource'))
  }
  checkConflicts(causes, at, scopes, scopes)
  const selector = objectIn(spec, 'scopeSelector')
  if (selector !== undefined) checkSelector(causes, `${path}.scopeSelector.matchExpressions`, selector, hard)
}

/** The bounded resources that cannot be counted in this scope. */
function unscoped(scope: string, hard: readonly string[]): readonly string[] {
  if (!known.has(scope)) return []
  return hard.filter(
    (name) =>
      !name.includes('/') &&
      quotaResourceProblems(name).length === 0 &&
      (scope === 'BestEffort' ? name !== 'pods' : !ofPods.includes(name)),
  )
}

function checkConflicts(causes: Causes, path: string, value: unknown, scopes: readonly string[]): void {
  for (const pair of conflicting) {
    if (pair.every((scope) => scopes.includes(scope)))
      causes.push(invalidValue(path, value, 'conflicting scopes'))
  }
}

/** What is wrong with a requirement is said of the list. */
function checkSelector(causes: Causes, path: string, selector: JsonObject, hard: readonly string[]): void {
  const requirements = itemsIn(selector, 'matchExpressions')
  for (const requirement of requirements) {
    const scope = textIn(requirement, 'scopeName')
    if (!known.has(scope)) causes.push(invalidValue(`${path}.scopeName`, scope, 'unsupported scope'))
    for (const _ of unscoped(scope, hard))
      causes.push(invalidValue(path, selector, 'unsupported scope applied to resource'))
    checkOperator(causes, path, requirement, scope)
  }
  checkConflicts(
    causes,
    path,
    selector,
    requirements.map((requirement) => textIn(requirement, 'scopeName')),
  )
}

function checkOperator(causes: Causes, path: string, requirement: JsonObject, scope: string): void {
  const operator = textIn(requirement, 'operator')
  const values = textsIn(requirement, 'values')
  const fail = (field: string, value: unknown, detail: string) =>
    causes.push(invalidValue(`${path}.${field}`, value, detail))
  if (valueless.includes(scope) && operator !== 'Exists')
    fail(
      'operator',
      operator,
      "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
    )
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0)
        causes.push(
          required(
            `${path}.values`,
            "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
          ),
        )
      break
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        fail(
          'values',
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        )
      break
    default:
      fail('operator', operator, 'not a valid selector operator')
  }
}
