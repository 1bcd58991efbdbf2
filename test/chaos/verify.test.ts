/** The checks of a run can fail: a sound history passes, and each breach of a guarantee is named. */

import t from 'tap'
import type { Item } from './client.ts'
import { createRecord, type Read, type Write } from './record.ts'
import { type Evidence, verify } from './verify.ts'
import type { Seen } from './watcher.ts'

const item = (name: string, revision: number, value: number): Item => ({ name, revision, value })
const event = (kind: string, of: Item): Seen => ({ type: 'event', kind, item: of })
const list = (revision: number): Seen => ({ type: 'list', revision, items: [] })

const created = item('r-0', 5, 1)
const updated = item('r-0', 7, 2)
const seen: readonly Seen[] = [list(4), event('ADDED', created), event('MODIFIED', updated)]

const create: Write = {
  node: 'a',
  name: 'r-0',
  value: 1,
  guard: 0,
  startMs: 0,
  endMs: 10,
  fate: { type: 'done', revision: 5 },
}
const update: Write = {
  node: 'b',
  name: 'r-0',
  value: 2,
  guard: 5,
  startMs: 20,
  endMs: 30,
  fate: { type: 'done', revision: 7 },
}
const read: Read = { node: 'c', name: 'r-0', startMs: 40, endMs: 50, found: updated }

interface Parts {
  readonly writes?: readonly Write[]
  readonly reads?: readonly Read[]
  /** Of node b; node a saw everything. */
  readonly watched?: readonly Seen[]
  readonly items?: readonly Item[]
}

function violations({ writes = [create, update], reads = [read], watched = seen, items = [updated] }: Parts) {
  const record = createRecord()
  record.writes.push(...writes)
  record.reads.push(...reads)
  const evidence: Evidence = {
    record,
    watched: new Map([
      ['a', seen],
      ['b', watched],
    ]),
    final: { askedMs: 60, revision: 8, items },
  }
  return verify(evidence).violations
}

t.test('a sound history has no violations', (t) => {
  t.same(violations({}), [])
  t.same(violations({ watched: [list(4), list(8)] }), [], 'a list tells at once what happened before it')
  const late: Write = {
    ...update,
    value: 3,
    guard: 7,
    startMs: 61,
    endMs: 70,
    fate: { type: 'done', revision: 9 },
  }
  t.same(violations({ writes: [create, update, late] }), [], 'what came after the last list is not judged')
  const hanging: Write = { ...update, endMs: Number.POSITIVE_INFINITY, fate: { type: 'unknown', why: '504' } }
  t.same(violations({ writes: [create, hanging] }), [], 'a write of unknown fate may have happened')
  t.end()
})

const breaches: readonly (readonly [string, Parts, RegExp])[] = [
  ['an event is missed', { watched: [list(4), event('ADDED', created)] }, /watch b: missed r-0=2 at 7/],
  [
    'an event comes twice',
    { watched: [...seen, event('MODIFIED', updated)] },
    /watch b: revision 7 came after 7/,
  ],
  [
    'events come out of order',
    { watched: [list(4), event('MODIFIED', updated), event('ADDED', created)] },
    /watch b: revision 5 came after 7/,
  ],
  [
    'two nodes tell different things',
    { watched: [list(4), event('ADDED', item('r-0', 5, 9)), event('MODIFIED', updated)] },
    /watch b: revision 5 is r-0=9, others saw r-0=1/,
  ],
  [
    'something is deleted that nobody deleted',
    { watched: [...seen, event('DELETED', item('r-0', 8, 2))] },
    /watch b: DELETED of r-0 at 8/,
  ],
  ['the last list lacks an object', { items: [] }, /final list: r-0=2 of revision 7 is not there/],
  [
    'the last list has an object that was never announced',
    { items: [updated, item('c-a-1', 6, 4)] },
    /final list: c-a-1=4 of revision 6 was never announced/,
  ],
  [
    'an acknowledged write is lost',
    { writes: [create, update, { ...create, name: 'c-a-2', value: 3, fate: { type: 'done', revision: 6 } }] },
    /acknowledged write lost: c-a-2=3 by a at 6/,
  ],
  [
    'a refused write was done',
    { writes: [create, { ...update, fate: { type: 'refused', why: '503' } }] },
    /refused \(503\), yet done: r-0=2 by b at 7/,
  ],
  [
    'a write was refused by its guard, yet done',
    { writes: [create, { ...update, fate: { type: 'guardFailed' } }] },
    /refused by its guard, yet done: r-0=2/,
  ],
  ['a read is stale', { reads: [{ ...read, found: created }] }, /no order explains what clients saw of r-0/],
]

for (const [what, parts, message] of breaches) {
  t.test(what, (t) => {
    t.match(violations(parts).join('\n'), message)
    t.end()
  })
}
