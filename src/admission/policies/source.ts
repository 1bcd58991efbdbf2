/** The policies that are in force now: those that are bound, by name, with their bindings. */

import type { Cause } from '../../status/status.ts'
import type { ApiObject } from '../../types/object.ts'
import { createFollowed, type Followed, type FollowedParts, inOrder } from '../dynamic/followed.ts'
import type { Binding, Policy } from './policy.ts'

export interface BoundPolicy {
  readonly policy: Policy
  /** Why it cannot be evaluated at all; undefined = it can. Written by another version of this server. */
  readonly problem: string | undefined
  readonly bindings: readonly Binding[]
}

export type PolicySource = Followed<readonly BoundPolicy[]>

export function createPolicySource(parts: FollowedParts): PolicySource {
  const compiled = new WeakMap<ApiObject, Pick<BoundPolicy, 'policy' | 'problem'>>()
  return createFollowed(parts, {
    resources: ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
    empty: [],
    async build({ validatingadmissionpolicies: policies, validatingadmissionpolicybindings: bindings }) {
      // Loaded with the first policy: most servers have none, and expressions are a library of their own.
      const { bindingOf, compilePolicy } = await import('./policy.ts')
      const all = inOrder(bindings).map(bindingOf)
      return inOrder(policies).flatMap((object) => {
        const own = all.filter(({ policyName }) => policyName === object.metadata.name)
        if (own.length === 0) return []
        let made = compiled.get(object)
        if (made === undefined) {
          const causes: Cause[] = []
          const policy = compilePolicy(object, causes)
          const [first] = causes
          made = { policy, problem: first && `${first.field ?? ''}: ${first.message}` }
          compiled.set(object, made)
        }
        return [{ ...made, bindings: own }]
      })
    },
  })
}
