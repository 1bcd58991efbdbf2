/** A quota, and what it says to an object. Source: core/v1 ResourceQuota. */

import type { Names } from '../names/names.ts'
import { type Amounts, readAmounts } from '../types/core/amounts.ts'
import { draftOf, objectAt, objectsAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import type { ResourceType } from '../types/resource.ts'
import { podInScope, type Scope, scopesOf } from './scopes.ts'
import { concerns } from './usage.ts'

export interface Quota {
  readonly namespace: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** What its specification allows. */
  readonly wanted: Amounts
  /** What is enforced. */
  readonly hard: Amounts
  readonly used: Amounts
}

export function readQuota(object: ApiObject): Quota {
  const { namespace = '', name = '' } = object.metadata
  const spec = objectAt(object, 'spec') ?? {}
  return {
    namespace,
    name,
    scopes: scopesOf(spec),
    wanted: readAmounts(objectAt(spec, 'hard')),
    hard: readAmounts(objectAt(object, 'status', 'hard')),
    used: readAmounts(objectAt(object, 'status', 'used')),
  }
}

/** Scopes choose among pods; with them a quota says nothing about other things. */
export function isInScopes({ scopes }: Quota, type: ResourceType, object: ApiObject): boolean {
  if (scopes.length === 0) return true
  return isPod(type) && scopes.every((scope) => podInScope(object, scope))
}

/** The bounds, of those given, that speak of objects of this type. */
export function boundsFor(bounds: Amounts, type: ResourceType, names: Names): readonly string[] {
  return [...bounds.keys()].filter((name) => concerns(type, name, names)).sort()
}

const explicit: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
])

/**
 * Where processors or memory are bounded, every container must say what it wants of them. Gives what is missing:
 * `must specify cpu for: a,b; memory for: a`; undefined = nothing.
 */
export function unspecified(
  type: ResourceType,
  object: ApiObject,
  bounds: readonly string[],
): string | undefined {
  if (!isPod(type)) return undefined
  const spec = objectAt(draftOf(object), 'spec')
  const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')]
  const missing = bounds
    .filter((name) => explicit.has(name))
    .flatMap((name) => {
      const list = name.startsWith('limits.') ? 'limits' : 'requests'
      const resource = name.replace(/^(limits|requests)\./, '')
      const without = containers
        .filter((container) => objectAt(container, 'resources', list)?.[resource] === undefined)
        .map((container) => textAt(container, 'name'))
        .sort()
      return without.length === 0 ? [] : [`${name} for: ${without.join(',')}`]
    })
  return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`
}

function isPod({ group, plural }: ResourceType): boolean {
  return group === '' && plural === 'pods'
}
