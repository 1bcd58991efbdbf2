/**
 * Query parameters, as values of the types that the API gives them. The first value of a parameter counts.
 *
 * Source: specification, "Query parameters".
 */

import type { Result } from '../../store/contract.ts'
import { fail, ok } from '../../store/contract.ts'

export interface Query {
  readonly isEmpty: boolean
  /** Undefined = absent; '' = present without a value. */
  readonly text: (name: string) => string | undefined
  readonly all: (name: string) => readonly string[]
  /** Present and neither `0` nor `false` (any case): `?watch` and `?watch=1` are true. Undefined = absent. */
  readonly flag: (name: string) => boolean | undefined
  /** A whole number; undefined = absent or empty. Fails with a sentence. */
  readonly integer: (name: string) => Result<number | undefined, string>
}

const emptyQuery: Query = {
  isEmpty: true,
  text: () => undefined,
  all: () => [],
  flag: () => undefined,
  integer: () => ok(undefined),
}

export function parseQuery(text: string): Query {
  if (text === '') return emptyQuery
  const params = new URLSearchParams(text)
  const first = (name: string) => params.get(name) ?? undefined
  return {
    isEmpty: false,
    text: first,
    all: (name) => params.getAll(name),
    flag(name) {
      const value = first(name)
      return value === undefined ? undefined : value !== '0' && value.toLowerCase() !== 'false'
    },
    integer(name) {
      const value = first(name)
      if (value === undefined || value === '') return ok(undefined)
      const number = Number(value)
      return /^[+-]?\d+$/.test(value) && Number.isSafeInteger(number)
        ? ok(number)
        : fail(`the query parameter ${name} is ${JSON.stringify(value)}, expected a whole number`)
    },
  }
}
