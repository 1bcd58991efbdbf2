/** Source: client-go's leader election: one leader at a time, and another soon after it is gone. */

import t from 'tap'
import {
  createElection,
  defaultTiming,
  type HoldOutcome,
} from '../../../../src/controllers/election/election.ts'
import {
  claim,
  type LeaseRecord,
  microTime,
  type Observation,
  observe,
  released,
} from '../../../../src/controllers/election/record.ts'
import { silentLog } from '../../../../src/observe/log.ts'
import { createManualClock, type ManualClock } from '../../../support/manual-clock.ts'
import { createRandom } from '../../../support/random.ts'

const durationSeconds = defaultTiming.leaseDurationMs / 1000

/** A lease that all candidates can reach, unless the test cuts one off. */
class Register {
  record: LeaseRecord | undefined
  readonly #cut = new Set<string>()

  cut(identity: string): void {
    this.#cut.add(identity)
  }
  join(identity: string): void {
    this.#cut.delete(identity)
  }

  keeper(identity: string, clock: ManualClock) {
    let observed: Observation | undefined
    const reach = (): void => {
      if (this.#cut.has(identity)) throw new Error('cut off')
    }
    return {
      hold: async (): Promise<HoldOutcome> => {
        reach()
        const monotonicMs = clock.monotonicMs()
        const now = microTime(clock.wallMs())
        const free = { holder: '', durationSeconds: 0, acquireTime: '', renewTime: '', transitions: -1 }
        observed = observe(observed, this.record ?? free, monotonicMs)
        const next = claim(observed, { identity, durationSeconds, now, monotonicMs })
        if (next === undefined) return 'other'
        this.record = next
        return 'held'
      },
      release: async () => {
        reach()
        if (this.record?.holder === identity) this.record = released(this.record, microTime(clock.wallMs()))
      },
    }
  }
}

/** Lets time pass in steps, so that what a timer starts has settled before the next. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let left = ms; left >= 0; left -= stepMs) {
    clock.advance(Math.min(left, stepMs))
    await new Promise<void>((resolve) => setImmediate(resolve))
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

const stepMs = 500

function candidate(identity: string, register: Register, clock: ManualClock) {
  const terms = { begun: 0, ended: 0 }
  const election = createElection({
    clock,
    log: silentLog,
    timing: defaultTiming,
    random: () => 0,
    keeper: register.keeper(identity, clock),
    lead() {
      terms.begun++
      return () => {
        terms.ended++
      }
    },
  })
  election.start()
  return { identity, election, terms }
}

t.test('a lone candidate leads at once, and goes on', async (t) => {
  const clock = createManualClock()
  const register = new Register()
  const one = candidate('one', register, clock)
  await pass(clock, 0)
  t.ok(one.election.isLeading)
  await pass(clock, 60_000)
  t.ok(one.election.isLeading)
  t.same(one.terms, { begun: 1, ended: 0 })
  t.match(register.record, { holder: 'one', transitions: 0, renewTime: '2026-01-01T00:01:00.000000Z' })
})

t.test(
  'a clean close hands over at the next attempt, a second start of the same finds its own lease',
  async (t) => {
    const clock = createManualClock()
    const register = new Register()
    const one = candidate('one', register, clock)
    await pass(clock, 0)
    const two = candidate('two', register, clock)
    await pass(clock, 30_000)
    t.notOk(two.election.isLeading)
    await one.election.close()
    t.same(one.terms, { begun: 1, ended: 1 })
    t.match(register.record, { holder: '', durationSeconds: 1 })
    await pass(clock, defaultTiming.retryMs)
    t.ok(two.election.isLeading)
    t.equal(register.record?.transitions, 1)

    register.cut('two')
    const again = candidate('two', new Register(), clock)
    await again.election.close()
    register.join('two')
    const reborn = candidate('two', register, clock)
    await pass(clock, 0)
    t.ok(reborn.election.isLeading, 'no wait for a lease of its own')
    t.equal(register.record?.transitions, 1)
  },
)

t.test('a leader that is cut off stops by its own clock before another begins', async (t) => {
  const clock = createManualClock()
  const register = new Register()
  const one = candidate('one', register, clock)
  await pass(clock, 0)
  const two = candidate('two', register, clock)
  await pass(clock, 20_000)
  register.cut('one')
  await pass(clock, defaultTiming.renewDeadlineMs - 1)
  t.ok(one.election.isLeading)
  await pass(clock, 1)
  t.notOk(one.election.isLeading)
  t.equal(one.terms.ended, 1)
  t.notOk(two.election.isLeading)
  await pass(clock, defaultTiming.leaseDurationMs - defaultTiming.renewDeadlineMs + 2 * defaultTiming.retryMs)
  t.ok(two.election.isLeading)
  register.join('one')
  await pass(clock, 10_000)
  t.notOk(one.election.isLeading)
  t.equal(register.record?.transitions, 1)
})

t.test('whatever is cut and joined, never do two lead at a time, and in peace one does', async (t) => {
  for (let round = 0; round < 20; round++) {
    const seed = 1000 + round
    const random = createRandom(seed)
    const clock = createManualClock()
    const register = new Register()
    const all = ['a', 'b', 'c'].map((identity) => candidate(identity, register, clock))
    for (let step = 0; step < 40; step++) {
      const { identity } = all[random.below(all.length)] ?? { identity: 'a' }
      if (random.below(2) === 0) register.cut(identity)
      else register.join(identity)
      await pass(clock, random.below(6000))
      const leaders = all.filter(({ election }) => election.isLeading).length
      if (leaders > 1) t.fail(`seed ${seed}, step ${step}: ${leaders} leaders`)
    }
    for (const { identity } of all) register.join(identity)
    await pass(clock, defaultTiming.leaseDurationMs + 2 * defaultTiming.retryMs)
    t.equal(all.filter(({ election }) => election.isLeading).length, 1, `seed ${seed}`)
    for (const { election } of all) await election.close()
  }
})
