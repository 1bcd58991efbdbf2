/** Kubernetes' quantity library: amounts with units, `quantity('1.5Gi').add(quantity('512Mi'))`. */

import { compareQuantities, parseQuantity, type Quantity } from '../../../schema/quantity.ts'
import { cel, type OpaqueValue } from '../../types.ts'
import { intOf } from '../../values/int.ts'
import { CelDouble, CelError, CelOpaque, noSuchOverload, type Value } from '../../values/value.ts'
import { define, type Implementation, type Library, traverseFirst } from '../library.ts'

class QuantityValue implements OpaqueValue {
  readonly celType = { kind: 'opaque', name: cel.quantity.name } as const
  readonly quantity: Quantity
  constructor(quantity: Quantity) {
    this.quantity = quantity
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof QuantityValue && other.quantity.nanos === this.quantity.nanos
  }
}

const nano = 1_000_000_000n
const notQuantity = new CelError(
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
)

function quantityOf(value: Value): Quantity | undefined {
  return value instanceof CelOpaque && value.host instanceof QuantityValue ? value.host.quantity : undefined
}

function parse(text: Value): Value {
  if (typeof text !== 'string') return noSuchOverload
  const quantity = parseQuantity(text)
  return quantity === undefined ? notQuantity : new CelOpaque(new QuantityValue(quantity))
}

function on(read: (quantity: Quantity) => Value): Implementation {
  return (value) => {
    const quantity = quantityOf(value)
    return quantity === undefined ? noSuchOverload : read(quantity)
  }
}

function both(read: (a: Quantity, b: Quantity) => Value): Implementation {
  return (a, b) => {
    const left = quantityOf(a)
    const right = typeof b === 'number' || typeof b === 'bigint' ? whole(b) : quantityOf(b)
    return left === undefined || right === undefined ? noSuchOverload : read(left, right)
  }
}

function whole(value: number | bigint): Quantity {
  return { nanos: BigInt(value) * nano, format: 'DecimalSI' }
}

/** The integer, when it is one within int64. */
function integerOf({ nanos }: Quantity): bigint | undefined {
  const value = nanos / nano
  return nanos % nano === 0n && BigInt.asIntN(64, value) === value ? value : undefined
}

function signOf({ nanos }: Quantity): number {
  return nanos > 0n ? 1 : nanos < 0n ? -1 : 0
}

function plus(a: Quantity, nanos: bigint): Value {
  return new CelOpaque(new QuantityValue({ nanos: a.nanos + nanos, format: a.format }))
}

const add = both((a, b) => plus(a, b.nanos))
const subtract = both((a, b) => plus(a, -b.nanos))

export const quantityLibrary: Library = {
  name: 'k8s.quantity',
  types: [cel.quantity],
  overloads: [
    define('quantity(string): Quantity', parse, traverseFirst),
    define(
      'isQuantity(string): bool',
      (text) => typeof text === 'string' && parseQuantity(text) !== undefined,
      traverseFirst,
    ),
    define(
      'Quantity.isInteger(): bool',
      on((quantity) => integerOf(quantity) !== undefined),
    ),
    define(
      'Quantity.asInteger(): int',
      on((quantity) => {
        const value = integerOf(quantity)
        return value === undefined ? new CelError('cannot convert value to integer') : intOf(value)
      }),
    ),
    define(
      'Quantity.asApproximateFloat(): double',
      on(({ nanos }) => new CelDouble(Number(nanos) / 1e9)),
    ),
    define('Quantity.sign(): int', on(signOf)),
    define('sign(Quantity): int', on(signOf)),
    define('Quantity.add(Quantity): Quantity', add),
    define('Quantity.add(int): Quantity', add),
    define('Quantity.sub(Quantity): Quantity', subtract),
    define('Quantity.sub(int): Quantity', subtract),
    define(
      'Quantity.isLessThan(Quantity): bool',
      both((a, b) => compareQuantities(a, b) < 0),
    ),
    define(
      'Quantity.isGreaterThan(Quantity): bool',
      both((a, b) => compareQuantities(a, b) > 0),
    ),
    define('Quantity.compareTo(Quantity): int', both(compareQuantities)),
  ],
}
