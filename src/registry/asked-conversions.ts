/**
 * Conversions between versions for computations that cannot wait for them, since they are pure and know only on the way
 * what they need: the computation is tried, told that what is missing is not there, and tried again when it is.
 */

import { fail, ok, type Result } from '../../store/contract.ts'
import type { ApiObject } from '../types/object.ts'
import type { Converted, VersionConversion } from '../types/resource.ts'

/** More attempts than there are steps that need a conversion of what the one before made. */
const attemptsMax = 16

interface Missing {
  readonly key: string
  readonly converted: Promise<Converted>
}

/** What is known in one computation. */
interface Round {
  readonly known: Map<string, ApiObject>
  missing: Missing[]
  /** Of a conversion that was answered at once. */
  failure: string | undefined
}

export class AskedConversions {
  readonly #conversion: VersionConversion
  /** Of the attempt that runs now. */
  #round: Round | undefined

  constructor(conversion: VersionConversion) {
    this.#conversion = conversion
  }

  /** For the attempt that runs now; undefined = not known yet: the attempt counts for nothing. */
  convert(object: ApiObject, apiVersion: string): ApiObject | undefined {
    const round = this.#round
    if (round === undefined) throw new TypeError('there is no attempt to convert for')
    // What was not there is not there in any version.
    if (!Object.hasOwn(object, 'apiVersion')) return { ...object, apiVersion }
    const key = `${apiVersion}\n${JSON.stringify(object)}`
    const known = round.known.get(key)
    if (known !== undefined) return known
    const converted = this.#conversion.shown([object], apiVersion)
    if (converted instanceof Promise) {
      round.missing.push({ key, converted })
      return undefined
    }
    return this.#settle(round, key, converted)
  }

  #settle(round: Round, key: string, converted: Converted): ApiObject | undefined {
    if (!converted.ok) {
      round.failure ??= converted.failure
      return undefined
    }
    const [object] = converted.value
    if (object !== undefined) round.known.set(key, object)
    return object
  }

  /** Fails when a conversion does. `attempt` must not leave anything behind but what it returns. */
  until<T>(attempt: () => T): Result<T, string> | Promise<Result<T, string>> {
    const round: Round = { known: new Map(), missing: [], failure: undefined }
    const first = this.#try(round, attempt)
    return round.missing.length === 0 ? first : this.#again(round, attempt)
  }

  #try<T>(round: Round, attempt: () => T): Result<T, string> {
    this.#round = round
    try {
      const value = attempt()
      return round.failure === undefined ? ok(value) : fail(round.failure)
    } finally {
      this.#round = undefined
    }
  }

  async #again<T>(round: Round, attempt: () => T): Promise<Result<T, string>> {
    for (let attempts = 0; attempts < attemptsMax; attempts++) {
      const { missing } = round
      round.missing = []
      const answers = await Promise.all(missing.map(({ converted }) => converted))
      for (const [index, { key }] of missing.entries()) {
        const answer = answers[index]
        if (answer !== undefined) this.#settle(round, key, answer)
      }
      if (round.failure !== undefined) return fail(round.failure)
      const done = this.#try(round, attempt)
      if (round.missing.length === 0) return done
    }
    throw new TypeError('a computation asks for ever more conversions')
  }
}
