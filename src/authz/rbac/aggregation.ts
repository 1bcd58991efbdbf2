/** Which roles an aggregated cluster role takes its rules from. Source: specification, "Access-control resources". */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { Requirement } from '../../storage/contract.ts'
import { compileLabels } from '../../storage/selector/selector.ts'
import type { ApiObject } from '../../types/object.ts'
import { type PolicyRule, rulesOf } from './rule.ts'

/** Undefined = the role is not aggregated. An empty list selects nothing. */
function aggregationSelectors(role: ApiObject): readonly (readonly Requirement[])[] | undefined {
  const rule = role['aggregationRule']
  if (!isJsonObject(rule)) return undefined
  const selectors = rule['clusterRoleSelectors']
  return (Array.isArray(selectors) ? selectors.filter(isJsonObject) : []).map(labelRequirements)
}

const operators: ReadonlyMap<JsonValue | undefined, Requirement['operator']> = new Map([
  ['In', 'in'],
  ['NotIn', 'notIn'],
  ['Exists', 'exists'],
  ['DoesNotExist', 'doesNotExist'],
])

/** The `matchLabels` and `matchExpressions` of a label selector. An operator that there is not selects nothing. */
function labelRequirements(selector: JsonObject): readonly Requirement[] {
  const { matchLabels, matchExpressions } = selector
  const labels = isJsonObject(matchLabels) ? Object.entries(matchLabels) : []
  const expressions = Array.isArray(matchExpressions) ? matchExpressions.filter(isJsonObject) : []
  return [
    ...labels.map(([name, value]): Requirement => ({ name, operator: 'in', values: [String(value)] })),
    ...expressions.map(({ key, operator, values }): Requirement => {
      const known = operators.get(operator)
      return {
        name: String(key),
        operator: known ?? 'in',
        values: known !== undefined && Array.isArray(values) ? values.map(String) : [],
      }
    }),
  ]
}

/**
 * The rules of all other roles that a selector matches, in the order of their names, each rule once. Undefined = the
 * role is not aggregated.
 */
export function aggregatedRules(
  role: ApiObject,
  roles: Iterable<ApiObject>,
): readonly PolicyRule[] | undefined {
  const selectors = aggregationSelectors(role)?.map(compileLabels)
  if (selectors === undefined) return undefined
  const sources = [...roles].filter(({ metadata }) => {
    if (metadata.name === role.metadata.name) return false
    const labels = new Map(Object.entries(metadata.labels ?? {}))
    return selectors.some((matches) => matches(labels))
  })
  const rules = new Map<string, PolicyRule>()
  for (const source of sources.sort(byName)) {
    for (const rule of rulesOf(source)) rules.set(JSON.stringify(rule), rule)
  }
  return [...rules.values()]
}

function byName(a: ApiObject, b: ApiObject): number {
  const [left = '', right = ''] = [a.metadata.name, b.metadata.name]
  return left < right ? -1 : left > right ? 1 : 0
}
