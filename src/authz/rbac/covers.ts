/**
 * Whether rules hold at least what other rules hold: the measure of escalation. What is asked is broken into its
 * smallest parts, and each part must be covered by one rule.
 *
 * Source: specification, "Access-control resources", escalation prevention; the measure that users of this API know.
 */

import type { PolicyRule } from './rule.ts'

/** The parts of `wanted` that no rule of `held` covers; empty = all are covered. */
export function missingRules(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly PolicyRule[] {
  return wanted.flatMap(breakDown).filter((part) => !held.some((rule) => covers(rule, part)))
}

const empty: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] }

/** One verb, one group, one resource and at most one name each; or one verb and one path. */
function breakDown(rule: PolicyRule): readonly PolicyRule[] {
  const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name])
  const ofResources = rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        names.map((resourceNames) => ({
          ...empty,
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames,
        })),
      ),
    ),
  )
  const ofPaths = rule.nonResourceURLs.flatMap((url) =>
    rule.verbs.map((verb) => ({ ...empty, verbs: [verb], nonResourceURLs: [url] })),
  )
  return [...ofResources, ...ofPaths]
}

function covers(held: PolicyRule, part: PolicyRule): boolean {
  return (
    hasAll(held.verbs, part.verbs) &&
    hasAll(held.apiGroups, part.apiGroups) &&
    part.resources.every((resource) => coversResource(held.resources, resource)) &&
    part.nonResourceURLs.every((url) => held.nonResourceURLs.some((own) => coversPath(own, url))) &&
    coversNames(held.resourceNames, part.resourceNames)
  )
}

function hasAll(held: readonly string[], wanted: readonly string[]): boolean {
  return held.includes('*') || wanted.every((one) => held.includes(one))
}

function coversResource(held: readonly string[], resource: string): boolean {
  if (held.includes('*') || held.includes(resource)) return true
  const slash = resource.indexOf('/')
  return slash >= 0 && held.includes(`*${resource.slice(slash)}`)
}

/** No names = every name, which only a rule without names covers. */
function coversNames(held: readonly string[], wanted: readonly string[]): boolean {
  if (held.length === 0) return true
  return wanted.length > 0 && wanted.every((name) => held.includes(name))
}

function coversPath(held: string, path: string): boolean {
  return held === path || (held.endsWith('*') && path.startsWith(held.replace(/\*+$/, '')))
}

/** Parts that differ in their verbs alone become one rule again; the rest comes first. */
export function compactRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const simple = new Map<string, PolicyRule>()
  const rest: PolicyRule[] = []
  for (const rule of rules) {
    const { apiGroups, resources, resourceNames, nonResourceURLs } = rule
    if (
      apiGroups.length !== 1 ||
      resources.length !== 1 ||
      resourceNames.length > 1 ||
      nonResourceURLs.length > 0
    ) {
      rest.push(rule)
      continue
    }
    const key = JSON.stringify([apiGroups, resources, resourceNames])
    const known = simple.get(key)
    simple.set(
      key,
      known === undefined ? rule : { ...known, verbs: [...new Set([...known.verbs, ...rule.verbs])] },
    )
  }
  return [...rest, ...simple.values()]
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`. */
export function describeRule(rule: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ]
  const texts = parts
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `${name}:${quoted(values)}`)
  return `{${texts.join(', ')}}`
}

/** `["a" "b"]`. */
export function quoted(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`
}
