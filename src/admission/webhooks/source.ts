/** The webhooks that are configured now, in the order in which they are asked: by configuration, then as it lists them. */

import type { ApiObject } from '../../types/object.ts'
import { createFollowed, type Followed, type FollowedParts, inOrder } from '../dynamic/followed.ts'
import type { Hook, HookKind } from './hook.ts'

type Hooks = Readonly<Record<HookKind, readonly Hook[]>>

export type HookSource = Followed<Hooks>

export function createHookSource(parts: FollowedParts): HookSource {
  const compiled = new WeakMap<ApiObject, readonly Hook[]>()
  return createFollowed(parts, {
    resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
    empty: { mutating: [], validating: [] },
    async build({ mutatingwebhookconfigurations: mutating, validatingwebhookconfigurations: validating }) {
      // Loaded with the first webhook: most servers have none, and expressions are a library of their own.
      const { hooksOf } = await import('./hook.ts')
      const hooks = (kind: HookKind, configuration: ApiObject): readonly Hook[] => {
        const made = compiled.get(configuration) ?? hooksOf(kind, configuration)
        compiled.set(configuration, made)
        return made
      }
      return {
        mutating: inOrder(mutating).flatMap((one) => hooks('mutating', one)),
        validating: inOrder(validating).flatMap((one) => hooks('validating', one)),
      }
    },
  })
}
