/** Who is served when, in a world with a clock of its own: seeded simulations of the gate and its queues. */

import t from 'tap'
import type { Configuration, LevelConfiguration } from '../../../src/flowcontrol/configuration.ts'
import { FairGate } from '../../../src/flowcontrol/fair-gate.ts'
import type { Admission } from '../../../src/flowcontrol/gate.ts'
import { dealHand, flowHash } from '../../../src/flowcontrol/hand.ts'
import type { Work } from '../../../src/flowcontrol/work.ts'
import { parseQuery } from '../../../src/pipeline/query.ts'
import type { RequestInfo } from '../../../src/pipeline/request-info.ts'
import type { User } from '../../../src/pipeline/user.ts'
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts'
import { createRandom } from '../../support/random.ts'

const info: RequestInfo = { type: 'nonResource', verb: 'get', path: '/x' }
const queuing = { queues: 64, handSize: 6, lengthMax: 50 }
const none = Number.POSITIVE_INFINITY

function level(name: string, nominal: number, more: Partial<LevelConfiguration> = {}): LevelConfiguration {
  const seats = { nominal, lendable: 0, borrowable: none, exempt: false }
  return { name, uid: `uid of ${name}`, seats, queuing, ...more }
}

/** One schema for each level: for users whose name begins with its name. */
function configuration(...levels: readonly LevelConfiguration[]): Configuration {
  return {
    levels,
    schemas: levels.map(({ name }, at) => ({
      name,
      uid: `uid of schema ${name}`,
      level: name,
      precedence: at + 1,
      distinguisher: 'ByUser',
      matches: (user) => user.name.startsWith(name),
    })),
  }
}

function user(name: string): User {
  return { name, uid: '', groups: [], extra: new Map() }
}

interface World {
  readonly clock: ManualClock
  readonly gate: FairGate
  /** Resolves when it is clear whether there is a seat; `leave` = the client goes. */
  ask(name: string, timeMs?: number, work?: Work): { readonly admission: Promise<Admission>; leave(): void }
  metric(name: string): number
}

function world(given: Configuration): World {
  const clock = createManualClock()
  let asked: Work = usual
  const headers = { schemaUid: 'Schema', levelUid: 'Level' }
  const gate = new FairGate({ clock, headers, workOf: () => asked }, given)
  return {
    clock,
    gate,
    ask(name, timeMs = 60_000, work = usual) {
      let leave = () => {}
      asked = work
      const startMs = clock.monotonicMs()
      const admission = gate.admit(
        user(name),
        info,
        { call: { startMs, deadlineMs: startMs + timeMs }, query: parseQuery('') },
        {
          onClose(action) {
            leave = action
          },
        },
      )
      return { admission: Promise.resolve(admission), leave: () => leave() }
    },
    metric(name) {
      const lines = gate.metricsText().split('\n')
      return lines
        .filter((line) => line.startsWith(`apiserver_flowcontrol_${name}{`))
        .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
  }
}

const usual: Work = { seats: 1, extraMs: 0, type: 'regular' }

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

t.test('flows that always want more get the same time, however long their requests last', async (t) => {
  const seed = 40_1040
  const random = createRandom(seed)
  const { clock, ask } = world(configuration(level('a', 4)))
  /** Requests that each keeps asking at a time, and how long they last. */
  const flows = [
    { name: 'a-many-short', depth: 60, lasts: 5, used: 0 },
    { name: 'a-few-long', depth: 8, lasts: 100, used: 0 },
    { name: 'a-few-short', depth: 8, lasts: 5, used: 0 },
  ]
  for (const flow of flows) {
    for (let at = 0; at < flow.depth; at++) void again(flow)
  }
  async function again(flow: (typeof flows)[number]): Promise<void> {
    for (;;) {
      const admission = await ask(flow.name, 1e9).admission
      if (!admission.admitted) throw new Error(`seed ${seed}: refused`)
      const lastsMs = flow.lasts * (0.5 + random.next())
      await new Promise<void>((resolve) => clock.after(lastsMs, resolve))
      flow.used += lastsMs
      admission.release()
    }
  }
  for (let step = 0; step < 4000; step++) {
    await settle()
    clock.advance(5)
  }
  const total = flows.reduce((sum, { used }) => sum + used, 0)
  for (const { name, used } of flows) {
    const part = used / total
    t.ok(
      part > 0.2 && part < 0.5,
      `seed ${seed}: ${name} has ${part.toFixed(2)} of the time, a third is fair`,
    )
  }
})

t.test('a flood fills its own queues; a light flow waits for a seat or two', async (t) => {
  const { clock, ask, metric } = world(configuration(level('a', 2)))
  const admissions: Admission[] = []
  const flood = Array.from({ length: 1000 }, () => ask('a-flood').admission)
  for (const one of flood) void one.then((admission) => admissions.push(admission))
  await settle()
  t.equal(metric('current_inqueue_requests'), 6 * 50, 'six queues of fifty, and no more')
  t.equal(metric('rejected_requests_total'), 1000 - 300 - 2)
  const light = ask('a-light').admission
  let seated: Admission | undefined
  void light.then((admission) => {
    seated = admission
  })
  let ended = 0
  while (seated === undefined) {
    clock.advance(10)
    const running = admissions.splice(0).filter(({ admitted }) => admitted)
    for (const one of running) one.release()
    ended += running.length
    await settle()
  }
  t.equal(seated.admitted, true)
  t.ok(ended <= 10, `after ${ended} of the flood`)
})

t.test('without room: at once, after a while, when the client goes', async (t) => {
  const { clock, ask, metric } = world(
    configuration(
      level('a', 1, { queuing: { queues: 1, handSize: 1, lengthMax: 2 } }),
      level('b', 0, { queuing: undefined }),
    ),
  )
  const first = await ask('a').admission
  t.same(first.headers, { Schema: 'uid of schema a', Level: 'uid of a' })
  const late = ask('a', 8000)
  const gone = ask('a')
  t.equal((await ask('a').admission).admitted, false, 'the queue is full')
  t.equal((await ask('b').admission).admitted, false, 'there is no queue')
  clock.advance(1999)
  await settle()
  t.equal(metric('current_inqueue_requests'), 2)
  clock.advance(1)
  const refused = await late.admission
  t.equal(refused.admitted, false, 'a quarter of its time is over')
  t.same(refused.headers, first.headers, 'the answer says whose level it was')
  gone.leave()
  t.equal((await gone.admission).admitted, false)
  refused.release()
  first.release()
  first.release()
  t.equal((await ask('a').admission).admitted, true)
  t.equal(metric('rejected_requests_total'), 4)
  t.equal(clock.pending, 0, 'no timer is left')
})

t.test('idle seats are lent, and come back to their owner first', async (t) => {
  const rich = level('rich', 4, { seats: { nominal: 4, lendable: 3, borrowable: 0, exempt: false } })
  const { gate, ask } = world(configuration(rich, level('poor', 1)))
  const poor = await Promise.all([1, 2, 3, 4].map(() => ask('poor').admission))
  t.same(
    poor.map(({ admitted }) => admitted),
    [true, true, true, true],
    'one of its own, three lent',
  )
  t.match(gate.metricsText(), 'upper_limit_seats{priority_level="poor"} 6\n')
  t.match(gate.metricsText(), 'current_limit_seats{priority_level="poor"} 4\n')
  const order: string[] = []
  const note = (name: string) => () => order.push(name)
  void ask('poor').admission.then(note('poor'))
  const own = await ask('rich').admission
  t.equal(own.admitted, true, 'what is not lendable is there')
  void ask('rich').admission.then(note('rich'))
  await settle()
  t.same(order, [])
  poor[0]?.release()
  await settle()
  t.same(order, ['rich'], 'a seat that was lent serves its owner')
  own.release()
  await settle()
  t.same(order, ['rich', 'poor'], 'and is lent again when the owner does not need it')
})

t.test(
  'a changed configuration: who sits stays, who waits goes on, what is gone goes when it is idle',
  async (t) => {
    const { gate, ask, metric } = world(configuration(level('a', 1), level('b', 1)))
    const seat = await ask('a').admission
    const waiting = ask('a').admission
    gate.configure(configuration(level('a', 2), level('b', 1)))
    const second = await waiting
    t.equal(second.admitted, true, 'more seats count at once')
    gate.configure(configuration(level('b', 1)))
    seat.release()
    second.release()
    gate.configure(configuration(level('b', 1)))
    t.notMatch(gate.metricsText(), /nominal_limit_seats\{priority_level="a"\}/)
    t.equal(metric('current_executing_requests'), 0)
  },
)

t.test('whatever happens to requests, every seat is given back', async (t) => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = createRandom(seed)
    const worlds = () => {
      const one = (name: string) => {
        const nominal = random.below(4)
        const seats = { nominal, lendable: random.below(nominal + 1), borrowable: none, exempt: false }
        const small = { queues: 1 + random.below(4), handSize: 1, lengthMax: 1 + random.below(4) }
        return level(name, nominal, { seats, queuing: random.next() < 0.2 ? undefined : small })
      }
      return configuration(one('a'), one('b'), one('c'))
    }
    const { gate, clock, ask, metric } = world(worlds())
    const seated: Admission[] = []
    const leaving: (() => void)[] = []
    let open = 0
    for (let step = 0; step < 300; step++) {
      const dice = random.next()
      if (dice < 0.5) {
        const one = ask(random.pick(['a', 'b', 'c', 'a2', 'b2']), 1 + random.below(5000))
        open++
        leaving.push(one.leave)
        void one.admission.then((admission) => {
          open--
          seated.push(admission)
        })
      } else if (dice < 0.75) {
        const [one] = seated.splice(random.below(seated.length), 1)
        one?.release()
        if (random.next() < 0.3) one?.release()
      } else if (dice < 0.85) random.pick([() => {}, ...leaving])()
      else if (dice < 0.95) clock.advance(random.below(500))
      else gate.configure(worlds())
      if (random.next() < 0.5) await settle()
    }
    clock.advance(10_000)
    await settle()
    for (const one of seated.splice(0)) one.release()
    await settle()
    for (const one of seated.splice(0)) one.release()
    const left = ['current_executing_requests', 'current_executing_seats', 'current_inqueue_requests'].map(
      metric,
    )
    const leftovers = [...left, open, clock.pending]
    if (leftovers.some((amount) => amount !== 0)) t.fail(`seed ${seed}: ${leftovers.join(', ')}`)
    const balance = metric('current_limit_seats') - metric('nominal_limit_seats')
    if (balance !== 0) t.fail(`seed ${seed}: ${balance} seats too many`)
  }
  t.pass('in 40 worlds')
})

t.test('hands: the same for the same flow, different cards, all queues in use', (t) => {
  const seen = new Map<number, number>()
  for (let flow = 0; flow < 2000; flow++) {
    const hash = flowHash('schema', `user-${flow}`)
    const hand = dealHand(hash, 64, 6)
    if (dealHand(hash, 64, 6).join() !== hand.join()) t.fail(`flow ${flow}: another hand`)
    if (new Set(hand).size !== 6 || hand.some((card) => card < 0 || card >= 64))
      t.fail(`flow ${flow}: ${hand}`)
    for (const card of hand) seen.set(card, (seen.get(card) ?? 0) + 1)
  }
  t.equal(seen.size, 64)
  for (const [queue, count] of seen) if (count < 130 || count > 250) t.fail(`queue ${queue}: ${count} of 187`)
  t.same(dealHand(7, 3, 3), [0, 1, 2])
  t.not(flowHash('ab', 'c'), flowHash('a', 'bc'))
  t.end()
})

t.test('a wide request waits until there is room for all of it, and nobody overtakes it', async (t) => {
  const { ask, metric } = world(configuration(level('a', 4)))
  const first = await ask('a-narrow').admission
  const second = await ask('a-narrow').admission
  const order: string[] = []
  const wide = ask('a-wide', 60_000, { seats: 3, extraMs: 0, type: 'regular' }).admission
  void wide.then(() => order.push('wide'))
  const narrow = ask('a-other').admission
  void narrow.then(() => order.push('narrow'))
  await settle()
  t.same(order, [], 'two seats are free: too few for the one, and the other came later')
  t.equal(metric('current_inqueue_seats'), 4)
  t.equal(metric('current_executing_seats'), 2)
  first.release()
  await settle()
  t.same(order, ['wide'])
  t.equal(metric('current_executing_seats'), 4)
  second.release()
  await settle()
  t.same(order, ['wide', 'narrow'])
  for (const one of [await wide, await narrow]) one.release()
  t.equal(metric('current_executing_seats'), 0)
  t.equal(metric('current_executing_requests'), 0)
})

t.test('a request wider than its level runs alone', async (t) => {
  const { ask } = world(configuration(level('a', 2)))
  const wide = await ask('a-wide', 60_000, { seats: 5, extraMs: 0, type: 'regular' }).admission
  t.ok(wide.admitted)
  let seated = false
  const narrow = ask('a-narrow').admission
  void narrow.then(() => {
    seated = true
  })
  await settle()
  t.notOk(seated)
  wide.release()
  t.ok((await narrow).admitted)
})

t.test('the seats of a write are taken until its event has gone to its watchers', async (t) => {
  const { ask, clock, metric } = world(configuration(level('a', 4)))
  const write = await ask('a-writer', 60_000, { seats: 4, extraMs: 5, type: 'regular' }).admission
  const read = ask('a-reader').admission
  write.release()
  await settle()
  t.equal(metric('current_executing_requests'), 0, 'it has its answer')
  t.equal(metric('current_executing_seats'), 4)
  clock.advance(5)
  t.ok((await read).admitted)
  t.equal(metric('current_executing_seats'), 1)
  t.equal(metric('work_estimated_seats_count'), 2)
})

t.test('a wide flow is charged for its width', async (t) => {
  const { clock, ask } = world(configuration(level('a', 6)))
  const used = { 'a-wide': 0, 'a-narrow': 0 }
  async function again(name: keyof typeof used, seats: number): Promise<void> {
    for (;;) {
      const admission = await ask(name, 1e9, { seats, extraMs: 0, type: 'regular' }).admission
      if (!admission.admitted) throw new Error('refused')
      await new Promise<void>((resolve) => clock.after(10, resolve))
      used[name] += 10 * seats
      admission.release()
    }
  }
  for (let at = 0; at < 8; at++) void again('a-wide', 3)
  for (let at = 0; at < 24; at++) void again('a-narrow', 1)
  for (let step = 0; step < 2000; step++) {
    await settle()
    clock.advance(5)
  }
  const part = used['a-wide'] / (used['a-wide'] + used['a-narrow'])
  t.ok(part > 0.35 && part < 0.65, `has ${part.toFixed(2)} of the seats' time, half is fair`)
})
