import t from 'tap'
import { key, revision, type StoreEvent } from '../../../store/contract.ts'
import { TurnBatches } from '../../../store/link/turn-batches.ts'

function event(name: string, at: number): StoreEvent {
  return { type: 'delete', key: key(name), revision: revision(at) }
}

t.test('each event once, by rising revision; progress names nobody', (t) => {
  const batches = new TurnBatches()
  const a = event('a', 4)
  const b = event('b', 4)
  batches.add(1, { revision: revision(5), events: [] })
  batches.add(2, { revision: revision(5), events: [] })
  batches.add(1, { revision: revision(4), events: [a, b] })
  batches.add(2, { revision: revision(4), events: [b] })
  t.notOk(batches.isEmpty)
  t.same(batches.take(2), [
    {
      revision: 4,
      events: [a, b],
      deliveries: [
        { watch: 1, events: [0, 1] },
        { watch: 2, events: [1] },
      ],
      rest: true,
    },
    { revision: 5, events: [], deliveries: [], rest: true },
  ])
  t.ok(batches.isEmpty)
  t.same(batches.take(2), [])
  t.end()
})

t.test('when a watch was not told, those who were are named one by one', (t) => {
  const batches = new TurnBatches()
  batches.add(1, { revision: revision(2), events: [] })
  batches.add(3, { revision: revision(2), events: [] })
  t.same(batches.take(3), [
    {
      revision: 2,
      events: [],
      deliveries: [
        { watch: 1, events: [] },
        { watch: 3, events: [] },
      ],
      rest: false,
    },
  ])
  t.end()
})
