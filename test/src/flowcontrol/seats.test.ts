/** Seats: one's own, lent, borrowed, given back. */

import t from 'tap'
import { type SeatLimits, Seats } from '../../../src/flowcontrol/seats.ts'
import { createRandom } from '../../support/random.ts'

const unbounded = Number.POSITIVE_INFINITY

function seats(nominal: number, lendable = 0, borrowable = unbounded): Seats {
  return new Seats({ nominal, lendable, borrowable, exempt: false })
}

const nobodyInNeed = () => false

t.test('a level lends what it does not use, up to its bound; it gets it back first', (t) => {
  const [rich, poor] = [seats(4, 3), seats(1)]
  const all = [rich, poor]
  t.ok(rich.take(all))
  for (let at = 0; at < 4; at++) t.ok(poor.take(all), `seat ${at}`)
  t.notOk(poor.take(all), 'the rich one keeps one of its own, and it sits on it')
  t.same([rich.taken, rich.lent, rich.current], [1, 3, 1])
  t.same([poor.taken, poor.borrowed, poor.current], [4, 3, 4])
  t.notOk(rich.take(all), 'what is lent is not there')
  t.equal(poor.give(nobodyInNeed), rich)
  t.ok(rich.take(all), 'and is there again')
  t.end()
})

t.test('a level in need is paid back before one that is not', (t) => {
  const [a, b, borrower] = [seats(2, 2), seats(1, 1), seats(0)]
  const all = [a, b, borrower]
  for (let at = 0; at < 3; at++) t.ok(borrower.take(all))
  t.equal(
    borrower.give((one) => one === b),
    b,
  )
  t.equal(
    borrower.give((one) => one === b),
    a,
  )
  t.end()
})

t.test('borrowing has a bound of its own', (t) => {
  const [lender, borrower] = [seats(9, 9), seats(1, 0, 2)]
  const all = [lender, borrower]
  t.same(
    [1, 2, 3, 4].map(() => borrower.take(all)),
    [true, true, true, false],
  )
  t.end()
})

t.test('an exempt level seats everybody', (t) => {
  const exempt = new Seats({ nominal: 2, lendable: 2, borrowable: 0, exempt: true })
  for (let at = 0; at < 100; at++) t.ok(exempt.take([]))
  t.notOk(seats(0).take([exempt]), 'and then has none to lend')
  t.end()
})

t.test('a request that wants several seats gets all or none', (t) => {
  const [lender, borrower] = [seats(4, 3), seats(2)]
  const all = [lender, borrower]
  t.ok(borrower.take(all))
  t.notOk(borrower.take(all, 5), 'one of its own and three to borrow')
  t.same(
    [borrower.taken, borrower.borrowed, lender.lent],
    [1, 0, 0],
    'nothing is kept of what did not suffice',
  )
  t.ok(borrower.take(all, 4))
  t.same([borrower.taken, borrower.borrowed, lender.lent], [5, 3, 3])
  for (let at = 0; at < 5; at++) borrower.give(nobodyInNeed)
  t.same([borrower.taken, borrower.borrowed, lender.lent], [0, 0, 0])
  t.ok(borrower.take([borrower], 9), 'alone, it may take more than there are')
  t.notOk(borrower.take([borrower]), 'and then nobody else sits')
  for (let at = 0; at < 9; at++) borrower.give(nobodyInNeed)
  t.notOk(seats(0).take([], 2), 'but not at a level without any')
  t.end()
})

t.test('whatever happens, no seat is made or lost', (t) => {
  const seed = 20_261_121
  const random = createRandom(seed)
  for (let round = 0; round < 200; round++) {
    const all = Array.from({ length: 1 + random.below(5) }, () => new Seats(limits()))
    const total = all.reduce((sum, { limits: { nominal } }) => sum + nominal, 0)
    for (let step = 0; step < 200; step++) {
      const one = random.pick(all)
      const count = 1 + random.below(4)
      // A request alone may have more than there are: such worlds are another test's.
      if (random.next() < 0.6) {
        if (one.taken > 0 || count === 1) one.take(all, count)
      } else if (one.taken > 0) one.give(() => random.next() < 0.5)
      const sum = (name: 'taken' | 'lent' | 'borrowed') => all.reduce((so, each) => so + each[name], 0)
      const fine =
        sum('taken') <= total &&
        sum('lent') === sum('borrowed') &&
        all.every(({ taken, borrowed, lent, limits: { nominal, lendable, borrowable } }) => {
          return (
            taken - borrowed + lent <= nominal && lent <= lendable && borrowed <= borrowable && taken >= 0
          )
        })
      if (!fine) throw new Error(`seed ${seed}, round ${round}, step ${step}`)
    }
    for (const one of all) while (one.taken > 0) one.give(nobodyInNeed)
    if (all.some(({ lent, borrowed }) => lent + borrowed > 0)) throw new Error(`seed ${seed}, round ${round}`)
  }
  t.pass('in 200 worlds')
  t.end()

  function limits(): SeatLimits {
    const nominal = random.below(6)
    const borrowable = random.next() < 0.5 ? unbounded : random.below(4)
    return { nominal, lendable: random.below(nominal + 1), borrowable, exempt: false }
  }
})
