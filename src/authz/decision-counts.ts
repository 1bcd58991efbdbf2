/** Which authorizer has decided, and how. Names and labels are those that dashboards of this API know. */

import { labelText, Numbers } from '../observe/exposition.ts'
import type { AuthorizationModule, Decision } from './authorizer.ts'

export class DecisionCounts {
  readonly #decisions = new Numbers(
    'apiserver_authorization_decisions_total',
    'Requests that an authorizer of the chain has allowed or denied.',
    'counter',
  )

  /** The same module, whose decisions are counted; where it has no opinion there is nothing to count. */
  counted(
    module: AuthorizationModule,
    authorizer: { readonly type: string; readonly name: string },
  ): AuthorizationModule {
    const allowed = labelText({ decision: 'allowed', ...authorizer })
    const denied = labelText({ decision: 'denied', ...authorizer })
    const count = ({ decision }: Decision): void => {
      if (decision !== 'noOpinion') this.#decisions.add(decision === 'allow' ? allowed : denied, 1)
    }
    return {
      authorize(attributes) {
        const decision = module.authorize(attributes)
        if (decision instanceof Promise) void decision.then(count, () => {})
        else count(decision)
        return decision
      },
      rulesFor: (user, namespace) => module.rulesFor(user, namespace),
    }
  }

  readonly text = (): string => this.#decisions.text()
}
