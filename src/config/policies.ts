/** The admission policies of one server. What judges by them is loaded with the first one. */

import type { FollowedParts } from '../admission/dynamic/followed.ts'
import type { Lookups } from '../admission/lookup.ts'
import { PolicyMetrics } from '../admission/policies/metrics.ts'
import type { PolicyPluginParts } from '../admission/policies/plugin.ts'
import { createPolicySource } from '../admission/policies/source.ts'
import type { Authorizer } from '../authz/authorizer.ts'

interface PoliciesParts extends FollowedParts {
  readonly lookups: Lookups
  readonly authorizer: Authorizer
}

interface Policies extends PolicyPluginParts {
  metricsText(): string
  start(): void
  close(): void
}

export function createPolicies(parts: PoliciesParts): Policies {
  const { names, types, clock, lookups, authorizer } = parts
  const metrics = new PolicyMetrics()

  async function make() {
    const { PolicyDispatcher } = await import('../admission/policies/dispatcher.ts')
    const namespaces = lookups('core/namespaces')
    const nowMs = (): number => clock.monotonicMs()
    return new PolicyDispatcher({ names, types, lookups, namespaces, authorizer, metrics, nowMs })
  }

  let made: ReturnType<typeof make> | undefined
  const source = createPolicySource(parts)
  return {
    source,
    start: source.start,
    close: source.close,
    dispatcher() {
      made ??= make()
      return made
    },
    metricsText: metrics.text,
  }
}
