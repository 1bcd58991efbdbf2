import t from 'tap'
import { StateCheck } from '../../../store/member/state-check.ts'
import { memberId } from '../../../store/raft/types.ts'

const [one, two, three] = [memberId(1), memberId(2), memberId(3)]
const digest = (low: number) => ({ high: 1, low, records: 10 })

/** Hashes of members 1, 2, 3 as they come to know them; who leads; what member 1 concludes in the end. */
const cases = [
  { what: 'all agree', voters: [one, two, three], hashes: [5, 5, 5], leader: one, wrong: false },
  { what: 'one other differs', voters: [one, two, three], hashes: [5, 5, 6], leader: one, wrong: false },
  {
    what: 'both others differ alike',
    voters: [one, two, three],
    hashes: [5, 6, 6],
    leader: one,
    wrong: true,
  },
  { what: 'all three differ', voters: [one, two, three], hashes: [5, 6, 7], leader: two, wrong: false },
  {
    what: 'of two, the one that follows gives way',
    voters: [one, two],
    hashes: [5, 6],
    leader: two,
    wrong: true,
  },
  {
    what: 'of two, the one that leads goes on',
    voters: [one, two],
    hashes: [5, 6],
    leader: one,
    wrong: false,
  },
  { what: 'a learner does not count', voters: [one, two], hashes: [5, 5, 6], leader: two, wrong: false },
] as const

for (const { what, voters, hashes, leader, wrong } of cases) {
  t.test(what, (t) => {
    const ids = [one, two, three].slice(0, hashes.length)
    for (const order of [ids, [...ids].reverse()]) {
      const check = new StateCheck(one)
      const conclusions = order.map((id) => check.note(7, id, digest(hashes[id - 1] ?? 0), voters, leader))
      t.equal(
        conclusions.some((conclusion) => conclusion !== undefined),
        wrong,
      )
    }
    t.end()
  })
}

t.test('the message names both hashes and who has the other one', (t) => {
  const check = new StateCheck(one)
  check.note(9, two, digest(6), [one, two, three], two)
  check.note(9, three, digest(6), [one, two, three], two)
  t.equal(
    check.note(9, one, digest(5), [one, two, three], two),
    'after log entry 9 the state has hash 0000000100000005 over 10 records, but 0000000100000006 over 10 records on member 2 and 3',
  )
  t.end()
})

t.test('hashes of different entries are not compared, and old ones are forgotten', (t) => {
  const check = new StateCheck(one)
  for (let index = 1; index <= 20; index++) {
    t.equal(check.note(index, two, digest(index), [one, two], two), undefined)
  }
  t.equal(check.note(1, one, digest(99), [one, two], two), undefined)
  t.match(check.note(20, one, digest(99), [one, two], two), /entry 20/)
  t.end()
})
