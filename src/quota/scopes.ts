/** Which pods a quota with scopes is about. Source: core/v1 ResourceQuotaSpec. */

import type { JsonObject } from '../json.ts'
import { podDemand } from '../types/core/demand.ts'
import { draftOf, objectAt, objectsAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'

/** One requirement: a scope, or a term of the scope selector. */
export interface Scope {
  readonly name: string
  readonly operator: string
  readonly values: readonly string[]
}

/** Both forms in which a quota says them. */
export function scopesOf(spec: JsonObject): readonly Scope[] {
  const { scopes } = spec
  const plain = Array.isArray(scopes) ? scopes.map(String) : []
  const terms = objectsAt(objectAt(spec, 'scopeSelector'), 'matchExpressions')
  return [
    ...plain.map((name) => ({ name, operator: 'Exists', values: [] })),
    ...terms.map((term) => ({
      name: textAt(term, 'scopeName'),
      operator: textAt(term, 'operator'),
      values: Array.isArray(term['values']) ? term['values'].map(String) : [],
    })),
  ]
}

export function podInScope(pod: ApiObject, { name, operator, values }: Scope): boolean {
  const spec = objectAt(pod, 'spec') ?? {}
  switch (name) {
    case 'Terminating':
      return hasDeadline(spec)
    case 'NotTerminating':
      return !hasDeadline(spec)
    case 'BestEffort':
      return isBestEffort(pod)
    case 'NotBestEffort':
      return !isBestEffort(pod)
    case 'CrossNamespacePodAffinity':
      return reachesOtherNamespaces(spec)
    case 'PriorityClass':
      return classMatches(textAt(spec, 'priorityClassName'), operator, values)
    default:
      return false
  }
}

function hasDeadline(spec: JsonObject): boolean {
  const seconds = spec['activeDeadlineSeconds']
  return typeof seconds === 'number' && seconds >= 0
}

/** Nothing is asked for, of processors and memory. */
function isBestEffort(pod: ApiObject): boolean {
  const { requests, limits } = podDemand(objectAt(draftOf(pod), 'spec') ?? {})
  return [requests, limits].every((amounts) =>
    ['cpu', 'memory'].every((resource) => (amounts.get(resource)?.nanos ?? 0n) === 0n),
  )
}

function classMatches(name: string, operator: string, values: readonly string[]): boolean {
  switch (operator) {
    case 'In':
      return values.includes(name)
    case 'NotIn':
      return !values.includes(name)
    case 'Exists':
      return name !== ''
    case 'DoesNotExist':
      return name === ''
    default:
      return false
  }
}

function reachesOtherNamespaces(spec: JsonObject): boolean {
  return ['podAffinity', 'podAntiAffinity'].some((kind) => {
    const affinity = objectAt(spec, 'affinity', kind)
    const terms = [
      ...objectsAt(affinity, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...objectsAt(affinity, 'preferredDuringSchedulingIgnoredDuringExecution').flatMap((weighted) => {
        const term = objectAt(weighted, 'podAffinityTerm')
        return term === undefined ? [] : [term]
      }),
    ]
    return terms.some(
      ({ namespaces, namespaceSelector }) =>
        (Array.isArray(namespaces) && namespaces.length > 0) || namespaceSelector !== undefined,
    )
  })
}
