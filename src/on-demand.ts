/** Modules that are loaded with the first use, since most servers never use them. */

import assert from 'node:assert/strict'

interface OnDemand<T> {
  /** Undefined = it is there. To be awaited before {@link loaded} is asked for. */
  load(): Promise<void> | undefined
  readonly isLoaded: boolean
  /** A bug (throws) before it is there. */
  readonly loaded: T
}

/** Shared: what is loaded once is there for all. */
export function createOnDemand<T>(start: () => Promise<T>): OnDemand<T> {
  let known: { readonly value: T } | undefined
  return {
    load() {
      if (known !== undefined) return undefined
      return start().then((value) => {
        known ??= { value }
      })
    },
    get isLoaded() {
      return known !== undefined
    },
    get loaded() {
      assert(known !== undefined, 'used before it was loaded')
      return known.value
    },
  }
}
