/**
 * Which webhooks are asked a second time about one request: those that want to, when the object has changed after them.
 *
 * Source: admissionregistration/v1 MutatingWebhook, reinvocationPolicy.
 */

import type { ApiObject } from '../../types/object.ts'
import type { Hook } from './hook.ts'

export class Reinvocation {
  /** Asked already, and nothing has changed since. */
  readonly #upToDate = new Set<string>()
  readonly #outdated = new Set<string>()
  #output = ''
  #changed = false
  #isSecond = false

  get number(): 0 | 1 {
    return this.#isSecond ? 1 : 0
  }

  /** A webhook has changed the object in the first round. */
  get isWanted(): boolean {
    return this.#changed && !this.#isSecond
  }

  /** The second round begins: other plugins may have changed the object since the first one. */
  again(object: ApiObject | undefined): void {
    this.#isSecond = true
    if (JSON.stringify(object) !== this.#output) this.#outdate()
  }

  isAsked({ id }: Hook): boolean {
    return !this.#isSecond || this.#outdated.has(id)
  }

  answered(hook: Hook, changed: boolean): void {
    if (changed) {
      this.#changed = true
      this.#outdate()
    }
    if (hook.reinvoked) this.#upToDate.add(hook.id)
  }

  /** A round is over. */
  ended(object: ApiObject | undefined): void {
    this.#output = JSON.stringify(object)
  }

  #outdate(): void {
    for (const id of this.#upToDate) this.#outdated.add(id)
    this.#upToDate.clear()
  }
}
