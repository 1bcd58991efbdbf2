/**
 * What expressions may ask about access, answered by the server's own authorizer. An answer that takes time (a webhook
 * decides) makes the evaluation fail; {@link evaluateWithAccess} waits for it and evaluates again.
 */

import {
  serviceAccountGroups,
  serviceAccountUserName,
  splitServiceAccountName,
} from '../../authn/service-account-name.ts'
import type { Authorizer, Decision, RequestAttributes } from '../../authz/authorizer.ts'
import type { AccessAnswer, AccessChecker, AccessQuestion } from '../../cel/library/extensions/authorizer.ts'
import type { User } from '../../pipeline/user.ts'

/** The answers of one request: each question is asked once. */
export class AccessAnswers {
  readonly #authorizer: Authorizer
  readonly #known = new Map<string, AccessAnswer>()
  readonly #pending = new Map<string, Promise<void>>()

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer
  }

  checkerFor(user: User): AccessChecker {
    return {
      check: (question) => this.#answer(user, question),
      forServiceAccount: (namespace, name) => {
        const userName = serviceAccountUserName({ namespace, name })
        if (splitServiceAccountName(userName) === undefined)
          return `Invalid service account ${JSON.stringify(name)} in namespace ${JSON.stringify(namespace)}`
        const groups = [...serviceAccountGroups(namespace), 'system:authenticated']
        return this.checkerFor({ name: userName, uid: '', groups, extra: new Map() })
      },
    }
  }

  /** Resolves when what was asked has been answered; undefined = nothing is open. */
  settled(): Promise<unknown> | undefined {
    return this.#pending.size === 0 ? undefined : Promise.all(this.#pending.values())
  }

  #answer(user: User, question: AccessQuestion): AccessAnswer | undefined {
    const key = JSON.stringify([user.name, question])
    const known = this.#known.get(key)
    if (known !== undefined || this.#pending.has(key)) return known
    const decision = this.#authorizer.authorize({ user, request: attributesOf(question) })
    if (!(decision instanceof Promise)) return this.#know(key, answerOf(decision))
    const asked = decision.then(
      (settled) => void this.#know(key, answerOf(settled)),
      (error: unknown) => void this.#know(key, { allowed: false, reason: '', error: String(error) }),
    )
    this.#pending.set(key, asked)
    return undefined
  }

  #know(key: string, answer: AccessAnswer): AccessAnswer {
    this.#known.set(key, answer)
    this.#pending.delete(key)
    return answer
  }
}

/** Evaluates, again when answers about access have come: each round knows one more at least. */
export async function evaluateWithAccess<T>(answers: AccessAnswers, evaluate: () => T): Promise<T> {
  for (;;) {
    const result = evaluate()
    const open = answers.settled()
    if (open === undefined) return result
    await open
  }
}

function answerOf({ decision, reason }: Decision): AccessAnswer {
  return { allowed: decision === 'allow', reason, error: '' }
}

function attributesOf(question: AccessQuestion): RequestAttributes {
  if (question.type === 'path') return { type: 'nonResource', path: question.path, verb: question.verb }
  return { ...question, version: '*' }
}
