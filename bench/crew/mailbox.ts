/** Messages by their type: kept until somebody waits for them. */

export class Mailbox<M extends { readonly type: string }> {
  readonly #kept: M[] = []
  readonly #waiting: {
    readonly type: M['type']
    readonly resolve: (message: M) => void
    readonly reject: (error: Error) => void
  }[] = []
  #failure: Error | undefined

  put(message: M): void {
    const at = this.#waiting.findIndex(({ type }) => type === message.type)
    const [waiter] = at < 0 ? [] : this.#waiting.splice(at, 1)
    if (waiter === undefined) this.#kept.push(message)
    else waiter.resolve(message)
  }

  /** Nothing more comes: whoever waits is told why. */
  fail(failure: Error): void {
    this.#failure ??= failure
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure)
  }

  /** The next message of a type. */
  take<T extends M['type']>(type: T): Promise<Extract<M, { readonly type: T }>> {
    const at = this.#kept.findIndex((message) => message.type === type)
    const [kept] = at < 0 ? [] : this.#kept.splice(at, 1)
    return new Promise((resolve, reject) => {
      // A message of the type asked for is one of that part of the union.
      const give = (message: M) => resolve(message as Extract<M, { readonly type: T }>)
      if (kept !== undefined) give(kept)
      else if (this.#failure !== undefined) reject(this.#failure)
      else this.#waiting.push({ type, resolve: give, reject })
    })
  }
}
