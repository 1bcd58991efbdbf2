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

/** Reads what stands behind the `?`; what cannot be decoded stands as it is. */
export function parseQuery(text: string): Query {
  if (text === '') return emptyQuery
  const pairs = pairsOf(text)
  const first = (name: string) => pairs.find((pair) => pair[0] === name)?.[1]
  return {
    isEmpty: false,
    text: first,
    all: (name) => pairs.filter((pair) => pair[0] === name).map((pair) => pair[1]),
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

type Pair = readonly [name: string, value: string]

/** Names and values, decoded. Most queries hold nothing to decode: those are only cut, which costs a tenth. */
function pairsOf(text: string): readonly Pair[] {
  if (/[%+?]/.test(text)) return [...new URLSearchParams(text)]
  const pairs: Pair[] = []
  for (const part of text.split('&')) {
    if (part === '') continue
    const at = part.indexOf('=')
    pairs.push(at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)])
  }
  return pairs
}
