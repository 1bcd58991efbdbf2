import t from 'tap'
import { revision } from '../../../store/contract.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { simulate } from './simulation.ts'

const firstSeed = Number(process.env['SIMULATION_SEED'] ?? 1)
const seeds = Array.from(
  { length: Number(process.env['SIMULATION_RUNS'] ?? 8) },
  (_, index) => firstSeed + index,
)

t.test('lists and watches agree with the oracle while nothing goes wrong', async (t) => {
  for (const seed of seeds) {
    const store = createMemoryStore()
    const report = await simulate({ seed, store, history: store, steps: 300 })
    t.strictSame(report.mismatches, [], `seed ${seed}`)
    t.ok(report.watches > 5 && report.events > 50 && report.lists > 3, 'the run did something')
    t.equal(report.expired, 0)
  }
})

t.test(
  'they agree with a window so small that watches and pages read the history of the store',
  async (t) => {
    for (const seed of seeds) {
      const limits = {
        windowEventsMax: 3,
        snapshotsMax: 1,
        sliceBytes: 300,
        rangeEntriesMax: 2,
        indexObjectsMin: 1,
      }
      const store = createMemoryStore()
      const report = await simulate({ seed, store, history: store, steps: 300, limits })
      t.strictSame(report.mismatches, [], `seed ${seed}`)
      t.equal(report.expired, 0)
    }
  },
)

t.test('they agree through disconnects, stalls and compactions', async (t) => {
  let expired = 0
  for (const seed of seeds) {
    const store = createMemoryStore()
    const limits = {
      windowEventsMax: 10,
      snapshotsMax: 1,
      sliceBytes: 300,
      retryMinMs: 1,
      retryMaxMs: 4,
      freshnessWaitMs: 5,
      indexObjectsMin: 1,
    }
    const report = await simulate({
      seed,
      store,
      history: store,
      steps: 400,
      limits,
      calm: () => store.resumeWatches(),
      async harm(random) {
        switch (random.below(4)) {
          case 0:
            return store.disconnect()
          case 1:
            return store.pauseWatches()
          case 2:
            return store.resumeWatches()
          default:
            await store.compact(revision(Math.max(0, store.revision - random.below(20))))
        }
      },
    })
    t.strictSame(report.mismatches, [], `seed ${seed}`)
    expired += report.expired
  }
  t.ok(expired > 0, 'some watch lost its history')
})
