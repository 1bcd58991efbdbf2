/** Optional values: `optional.of(1).orValue(2)`. `or` and `orValue` look at their argument only when they need it. */

import { cel } from '../../types.ts'
import { earliestNanos } from '../../values/time.ts'
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelUint,
  noSuchOverload,
  type Value,
} from '../../values/value.ts'
import { define, type Library } from '../library.ts'

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === '') return true
  if (value instanceof CelUint || value instanceof CelDouble) return Number(value.value) === 0
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0
  if (value instanceof CelTimestamp) return value.nanos === earliestNanos
  if (value instanceof CelDuration) return value.nanos === 0n
  return value instanceof Uint8Array && value.length === 0
}

const dereferenced = new CelError('optional.none() dereference')

export const optionalLibrary: Library = {
  name: 'optional',
  types: [cel.optional(cel.dyn)],
  overloads: [
    define('optional.of(A): optional(A)', (value) => new CelOptional(value)),
    define('optional.ofNonZeroValue(A): optional(A)', (value) =>
      isZero(value) ? CelOptional.none : new CelOptional(value),
    ),
    define('optional.none(): optional(A)', () => CelOptional.none),
    define('optional(A).hasValue(): bool', (value) =>
      value instanceof CelOptional ? value.value !== undefined : noSuchOverload,
    ),
    define('optional(A).value(): A', (value) =>
      value instanceof CelOptional ? (value.value ?? absent(value)) : noSuchOverload,
    ),
    { ...define('optional(A).or(optional(A)): optional(A)', (_, other) => other), fallback: 'optional' },
    { ...define('optional(A).orValue(A): A', (_, other) => other), fallback: 'value' },
  ],
}

function absent(value: CelOptional): Value {
  return value.value === undefined ? dereferenced : value.value
}
