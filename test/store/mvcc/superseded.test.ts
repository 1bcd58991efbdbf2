import t from 'tap'
import { key } from '../../../store/contract.ts'
import { SupersededQueue } from '../../../store/mvcc/superseded.ts'
import { KeyEntry, Version } from '../../../store/mvcc/version.ts'
import { Chance } from '../support.ts'

function superseded(at: number) {
  const fields = { revision: at, op: 0, crc: 0, contentBytes: 1, tombstone: true, expiresAtMs: 0 }
  const version = new Version(fields, undefined)
  return { at, version, entry: new KeyEntry(key('a'), version) }
}

t.test('versions leave in order, those superseded at the revision included', (t) => {
  const queue = new SupersededQueue()
  for (const at of [2, 3, 3, 5]) queue.push(superseded(at))
  const taken: number[] = []
  queue.takeTo(1, ({ at }) => taken.push(at))
  t.same(taken, [])
  queue.takeTo(3, ({ at }) => taken.push(at))
  t.same(taken, [2, 3, 3])
  t.equal(queue.length, 1)
  t.equal(queue.revisionAhead(0), 5)
  t.equal(queue.revisionAhead(1), undefined)
  t.end()
})

const seeds = [1, 2, 3]
for (const seed of seeds) {
  t.test(`it is a list in order of revision, whatever is copied when (seed ${seed})`, (t) => {
    const chance = new Chance(seed)
    const queue = new SupersededQueue()
    let list: number[] = []
    let at = 0
    for (let step = 0; step < 2000; step++) {
      if (chance.below(3) > 0) {
        at += chance.below(3)
        queue.push(superseded(at))
        list.push(at)
      } else {
        const to = at - chance.below(30)
        const taken: number[] = []
        queue.takeTo(to, (one) => taken.push(one.at))
        t.same(
          taken,
          list.filter((one) => one <= to),
        )
        list = list.filter((one) => one > to)
      }
      const ahead = chance.below(10)
      if (queue.length !== list.length || queue.revisionAhead(ahead) !== list[ahead]) {
        t.fail(`step ${step}: ${queue.length} of ${list.length}, ${queue.revisionAhead(ahead)} at ${ahead}`)
      }
    }
    t.end()
  })
}
