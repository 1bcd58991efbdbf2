/** What checks of pods are made of. */

import type { Draft } from '../../schema/defaults.ts'
import { objectAt, textAt } from '../../types/draft.ts'
import { containersOf } from '../request.ts'

/** What stands against a pod: `<reason> (<detail>)`. */
interface Violation {
  readonly reason: string
  readonly detail: string
}

export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>
  readonly spec: Draft
  /** Minor version of the standard that counts. */
  readonly minor: number
  /** Domain of annotations. */
  readonly labelDomain: string
}

/** undefined = the pod passes. */
export type Check = (pod: CheckedPod) => Violation | undefined

/** undefined = there are no details, so nothing is violated. */
export function violation(reason: string, details: readonly string[]): Violation | undefined {
  return details.length === 0 ? undefined : { reason, detail: details.join('; ') }
}

/** All containers: ordinary, init and ephemeral ones. */
export function containersIn({ spec }: CheckedPod): readonly Draft[] {
  return containersOf(spec).map(({ container }) => container)
}

/** The security context of a pod or container; empty where there is none. */
export function context(holder: Draft): Draft {
  return objectAt(holder, 'securityContext') ?? {}
}

export const nameOf = (object: Draft): string => textAt(object, 'name')

/** `container "a"`, `containers "a", "b"`. */
export function listed(word: string, names: readonly string[]): string {
  return `${names.length === 1 ? word : `${word}s`} ${quoted(names)}`
}

/** `"a", "b"`. */
export function quoted(texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(', ')
}

export const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort()

/** Who did it: `pod`, `container "a"`, `pod and containers "a", "b"`; '' = nobody. */
export function culprits(pod: boolean, containers: readonly string[]): string {
  const parts = [...(pod ? ['pod'] : []), ...(containers.length > 0 ? [listed('container', containers)] : [])]
  return parts.join(' and ')
}
