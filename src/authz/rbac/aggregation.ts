/** Which roles an aggregated cluster role takes its rules from. Source: specification, "Access-control resources". */

import { isJsonObject, type JsonObject } from '../../json.ts'
import { selectorMatches } from '../../types/label-selector.ts'
import type { ApiObject } from '../../types/object.ts'
import { type PolicyRule, rulesOf } from './rule.ts'

/** Undefined = the role is not aggregated. An empty list selects nothing. */
function aggregationSelectors(role: ApiObject): readonly JsonObject[] | undefined {
  const rule = role['aggregationRule']
  if (!isJsonObject(rule)) return undefined
  const selectors = rule['clusterRoleSelectors']
  return Array.isArray(selectors) ? selectors.filter(isJsonObject) : []
}

/**
 * The rules of all other roles that a selector matches, in the order of their names, each rule once. Undefined = the
 * role is not aggregated.
 */
export function aggregatedRules(
  role: ApiObject,
  roles: Iterable<ApiObject>,
): readonly PolicyRule[] | undefined {
  const selectors = aggregationSelectors(role)
  if (selectors === undefined) return undefined
  const sources = [...roles].filter(({ metadata }) => {
    if (metadata.name === role.metadata.name) return false
    return selectors.some((selector) => selectorMatches(selector, metadata.labels ?? {}))
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
