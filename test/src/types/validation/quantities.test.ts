/** Which amount is more: short forms are compared without the grammar, and must agree with it. */

import t from 'tap'
import { compareQuantities, parseQuantity } from '../../../../src/schema/quantity.ts'
import { compareAmounts, isWhole, nanosOf } from '../../../../src/types/validation/quantities.ts'

const numbers = ['0', '1', '2', '10', '999', '1000', '1024', '1500', '999999', '1000000', '1.5', '0.1']
const suffixes = ['', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e3']
const amounts = numbers.flatMap((number) => suffixes.map((suffix) => `${number}${suffix}`))

t.test('comparison agrees with the grammar', (t) => {
  const wrong: string[] = []
  for (const a of amounts) {
    for (const b of amounts) {
      const [left, right] = [parseQuantity(a), parseQuantity(b)]
      if (left === undefined || right === undefined) throw new Error(`not quantities: ${a}, ${b}`)
      if (Math.sign(compareAmounts(a, b)) !== compareQuantities(left, right)) wrong.push(`${a} ? ${b}`)
    }
  }
  t.same(wrong, [])
  t.end()
})

t.test('whole amounts', (t) => {
  const wrong = amounts.filter((amount) => isWhole(amount) !== (nanosOf(amount) % 1_000_000_000n === 0n))
  t.same(wrong, [])
  t.equal(isWhole('1500m'), false)
  t.equal(isWhole('2000m'), true)
  t.end()
})
