/** The two plugins that ask webhooks: `MutatingAdmissionWebhook` and `ValidatingAdmissionWebhook`. */

import type { ApiFailure } from '../../status/status.ts'
import type { ResourceType } from '../../types/resource.ts'
import type { AdmissionPlugin, AdmissionRequest, Operation, Verdict } from '../admission.ts'
import { mayConcern } from '../dynamic/rules.ts'
import { isExempt, whenConfigured } from '../dynamic/when-configured.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Hook, HookKind } from './hook.ts'
import { Reinvocation } from './reinvocation.ts'
import type { HookSource } from './source.ts'

export interface WebhookParts {
  readonly source: HookSource
  /** Made when there is somebody to ask. */
  readonly dispatcher: () => Promise<Dispatcher>
}

export function createMutatingWebhooks({ source, dispatcher }: WebhookParts): AdmissionPlugin {
  const rounds = new WeakMap<AdmissionRequest, Reinvocation>()
  return {
    name: 'MutatingAdmissionWebhook',
    asksOthers: (type, operation) => isAsked(source, 'mutating', type, operation),
    again: (request) => rounds.get(request)?.isWanted === true,
    mutate: (request) =>
      withHooks(source, 'mutating', request, async (hooks) => {
        const before = rounds.get(request)
        const round = before ?? new Reinvocation()
        if (before === undefined) rounds.set(request, round)
        else before.again(request.object)
        const refused = await (await dispatcher()).mutate(hooks, request, round)
        round.ended(request.object)
        return refused
      }),
  }
}

export function createValidatingWebhooks({ source, dispatcher }: WebhookParts): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionWebhook',
    asksOthers: (type, operation) => isAsked(source, 'validating', type, operation),
    validate: (request) =>
      withHooks(source, 'validating', request, async (hooks) =>
        (await dispatcher()).validate(hooks, request),
      ),
  }
}

/** Answers at once where nobody is to be asked. */
function withHooks(
  source: HookSource,
  kind: HookKind,
  request: AdmissionRequest,
  ask: (hooks: readonly Hook[]) => Promise<ApiFailure | undefined>,
): Verdict {
  return whenConfigured(source, request, (all) => (all[kind].length === 0 ? undefined : ask(all[kind])))
}

function isAsked(source: HookSource, kind: HookKind, type: ResourceType, operation: Operation): boolean {
  if (isExempt(type)) return false
  const hooks = source.current?.[kind] ?? []
  return hooks.some(({ match }) => mayConcern(match.rules, type.plural, operation))
}
