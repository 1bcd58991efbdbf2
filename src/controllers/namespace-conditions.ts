/**
 * What the status of a terminating namespace says of why it is still there: five conditions, each with what is in the
 * way, or that nothing is. Pure.
 *
 * Source: conditions of namespaces of the Kubernetes API, with its reasons and messages.
 */

import { isJsonObject, type JsonObject } from '../json.ts'
import type { ApiObject } from '../types/object.ts'

/** What one look at the content of a namespace has found. */
export interface Leftovers {
  /** `<plural>.<group>` → objects that are still there. */
  readonly remaining: ReadonlyMap<string, number>
  /** Finalizer → objects that wait for it. */
  readonly finalizers: ReadonlyMap<string, number>
  /** What could not be deleted, in words. */
  readonly problems: readonly string[]
}

interface Finding {
  readonly type: string
  /** Reason and message while nothing is in the way. */
  readonly fine: readonly [reason: string, message: string]
  /** What is in the way; undefined = nothing. */
  readonly bad: readonly [reason: string, message: string] | undefined
}

function findingsOf({ remaining, finalizers, problems }: Leftovers): readonly Finding[] {
  return [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      fine: ['ResourcesDiscovered', 'All resources successfully discovered'],
      bad: undefined,
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      fine: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
      bad: undefined,
    },
    {
      type: 'NamespaceDeletionContentFailure',
      fine: ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
      bad:
        problems.length === 0
          ? undefined
          : [
              'ContentDeletionFailed',
              `Failed to delete all resource types, ${problems.length} remaining: ${joined(problems)}`,
            ],
    },
    {
      type: 'NamespaceContentRemaining',
      fine: ['ContentRemoved', 'All content successfully removed'],
      bad:
        remaining.size === 0
          ? undefined
          : [
              'SomeResourcesRemain',
              `Some resources are remaining: ${listed(remaining, (what, count) => `${what} has ${count} resource instances`)}`,
            ],
    },
    {
      type: 'NamespaceFinalizersRemaining',
      fine: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
      bad:
        finalizers.size === 0
          ? undefined
          : [
              'SomeFinalizersRemain',
              `Some content in the namespace has finalizers remaining: ${listed(finalizers, (what, count) => `${what} in ${count} resource instances`)}`,
            ],
    },
  ]
}

const joined = (problems: readonly string[]): string =>
  problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`

function listed(counts: ReadonlyMap<string, number>, text: (what: string, count: number) => string): string {
  return [...counts]
    .map(([what, count]) => text(what, count))
    .sort()
    .join(', ')
}

/** The namespace with these conditions; undefined = it says so already. */
export function withConditions(
  namespace: ApiObject,
  leftovers: Leftovers,
  now: string,
): ApiObject | undefined {
  const { status: given } = namespace
  const status: JsonObject = isJsonObject(given) ? given : {}
  const before = Array.isArray(status['conditions']) ? status['conditions'].filter(isJsonObject) : []
  const conditions = [...before]
  let changed = false
  for (const { type, fine, bad } of findingsOf(leftovers)) {
    const [reason, message] = bad ?? fine
    const wanted = {
      type,
      status: bad === undefined ? 'False' : 'True',
      lastTransitionTime: now,
      reason,
      message,
    }
    const at = conditions.findIndex((condition) => condition['type'] === type)
    const known = conditions[at]
    if (known === undefined) conditions.push(wanted)
    else if (known['status'] !== wanted.status || known['reason'] !== reason || known['message'] !== message)
      conditions[at] = wanted
    else continue
    changed = true
  }
  return changed ? { ...namespace, status: { ...status, conditions } } : undefined
}
