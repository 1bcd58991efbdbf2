/**
 * One seed, one world of whole members: everything that openMember starts, on simulated machines. Trouble, then healing,
 * then the cluster must be whole. Rejects with the first guarantee that was broken.
 */
import { isJoint, membersOf } from '../../../store/raft/configuration.ts'
import type { RaftLimits } from '../../../store/raft/options.ts'
import { raftRules } from '../../../store/raft/rules.ts'
import { type MemberId, memberId } from '../../../store/raft/types.ts'
import { startNemesis, type Trouble } from '../nemesis.ts'
import { violated } from '../safety.ts'
import { createWorld } from '../world.ts'
import { startWholeClient, startWholeWatcher } from './clients.ts'
import { damageContent, type WholeFault } from './faults.ts'
import { createWholeHost, type WholeHost } from './host.ts'
import { createSwitchboard } from './transport.ts'
import { createTruth } from './truth.ts'

interface WholeOptions {
  readonly seed: number
  readonly fault?: WholeFault
  trace?(line: string): void
}

interface WholeReport {
  readonly steps: number
  readonly operations: number
  readonly undecided: number
  readonly entries: number
  readonly revisions: number
  readonly lists: number
  readonly starts: number
}

const troubledMs = 3000
const tickMs = 20
const electionTicks = 5
const recoveryMs = 15_000
/** Turns between two looks at the real event loop: where rejections that nobody caught are told. */
const turnsAtOnce = 512

export async function runWhole({ seed, fault, trace }: WholeOptions): Promise<WholeReport> {
  const { random, scheduler, network, safety, history, write, healNetwork } = createWorld(seed, trace)
  const truth = createTruth()
  let failure: { readonly cause: unknown } | undefined
  const failed = (cause: unknown) => {
    failure ??= { cause }
  }
  const founderCount = random.pick([1, 3, 3, 3, 3, 5])
  const machines = Array.from({ length: random.pick([founderCount, founderCount + 1, 5]) }, (_, i) =>
    memberId(i + 1),
  )
  const founders = machines.slice(0, founderCount)
  const places = new Map<MemberId, MemberId>()
  const machineOf = (id: MemberId): MemberId => places.get(id) ?? memberId(id + 500)
  const appendBytesMax = random.pick([1, 200, 4000])
  const limits: Partial<RaftLimits> = {
    appendBytesMax,
    inflightCountMax: random.pick([1, 6, 64]),
    inflightBytesMax: appendBytesMax * random.pick([1, 4]),
    applyBytesMax: random.pick([1, 600, 40_000]),
    promotionLagEntriesMax: random.pick([10, 1000]),
  }
  const switchboard = createSwitchboard({
    scheduler,
    network,
    random: random.fork(),
    ordered: random.chance(0.5),
    encoded: random.chance(0.3),
    forwardTwice: fault?.forwardTwice === true,
    observe: write,
  })
  const states = new Map<number, string>()
  const settings = {
    historyMs: random.pick([3000, 10_000, 1e9]),
    historyVersionsMax: random.pick([10, 50, 1000]),
    recentBytesMax: random.pick([0, 1000, 1e6]),
    queue: {
      waitingMax: random.pick([3, 1000]),
      waitingBytesMax: 1e6,
      groupMax: random.pick([1, 3, 100]),
      groupBytesMax: 1e5,
    },
    log: { keptEntriesMax: random.pick([2, 10, 50]), keptBytesMax: random.pick([500, 1e6]) },
  }
  let starts = 0
  const hosts: readonly WholeHost[] = machines.map((machine) =>
    createWholeHost({
      machine,
      machines,
      founders,
      scheduler,
      random: random.fork(),
      switchboard,
      safety,
      states,
      truth,
      rules: { ...raftRules, ...fault?.rules },
      fault,
      limits,
      member: settings,
      tickMs,
      electionTicks,
      machineOf,
      joined(id, at) {
        starts++
        places.set(id, at)
      },
      failed,
      trace: write,
    }),
  )
  let ended = false
  let values = 0
  const world = {
    scheduler,
    hosts,
    history,
    truth,
    keys: ['a', 'b', 'c'],
    nextValue: () => ++values,
    ended: () => ended,
    failed,
  }

  /** Machines whose member was removed for good start anew; those of new members start. */
  function operate(): void {
    for (const host of hosts) {
      const membership = host.replica()?.membership
      if (membership === undefined) continue
      for (const { name } of membership.members) {
        const added = hosts.find(({ id }) => `m${id}` === name)
        if (added !== undefined && !added.isUp() && !added.hardware.exists('data/store.json') && !ended)
          added.start()
      }
      for (const [id, machine] of places) {
        const removed = id < membership.nextId && membership.members.every((member) => member.id !== id)
        if (!removed || isJoint(membership.configuration)) continue
        places.delete(id)
        write(() => `${machine} was removed and starts anew`)
        hosts.find((one) => one.id === machine)?.replace()
      }
    }
    scheduler.after(30, operate)
  }

  const rejected = (reason: unknown) => failed(reason)
  process.on('unhandledRejection', rejected)
  let steps = 0
  async function runUntil(done: () => boolean, limitMs: number): Promise<boolean> {
    while (scheduler.nowMs() < limitMs) {
      if (!scheduler.step()) break
      steps++
      // Everything that follows in this turn, promises included.
      await new Promise<void>((resolve) => {
        if (steps % turnsAtOnce === 0) setImmediate(resolve)
        else process.nextTick(resolve)
      })
      if (failure !== undefined) throw failure.cause
      for (const host of hosts) if (host.isTouched) host.check()
      if (done()) return true
    }
    return done()
  }

  try {
    for (const host of hosts) if (founders.includes(host.id)) host.start()
    for (let i = 0; i < 4; i++) startWholeClient({ ...world, random: random.fork() })
    const watchers = ['first', 'second'].map((name) =>
      startWholeWatcher(name, { ...world, random: random.fork() }),
    )
    operate()
    const profile = fault?.profile
    const own = profile === 'disks' || profile === 'newcomers' ? profile : undefined
    startNemesis(
      {
        scheduler,
        random: random.fork(),
        hosts,
        network,
        observer: { trace: write },
        ended: () => ended,
      },
      profile === 'disks' || profile === 'newcomers' ? undefined : profile,
      { troubles: troublesOf(hosts, fault?.unseenDamage === true), profiles, profile: own },
    )
    await runUntil(() => false, troubledMs)
    ended = true
    healNetwork()
    for (const host of hosts) {
      host.drift = 1
      host.clock.wallErrorMs = 0
      host.hardware.latencyMs = [0, 2]
      host.hardware.full = false
      host.hardware.repair()
      host.pause(0)
    }
    const healedMs = scheduler.nowMs()
    const wholeAgain = await runUntil(afterHealing(), healedMs + recoveryMs)
    if (!wholeAgain) {
      const shown = hosts.map(
        (host) => `${host.id}: ${JSON.stringify(host.core())} applied ${host.applied()}`,
      )
      const seen = watchers.map(({ next }) => next - 1).join(', ')
      throw violated(
        'recovery',
        `not whole ${recoveryMs} ms after healing: watchers saw ${seen} of ${truth.revision}\n${shown.join('\n')}`,
      )
    }
    await new Promise<void>((resolve) => setImmediate(resolve))
    if (failure !== undefined) throw (failure as { readonly cause: unknown }).cause
    return {
      steps,
      ...history.check(),
      entries: truth.index,
      revisions: truth.revision,
      lists: watchers.reduce((sum, { lists }) => sum + lists, 0),
      starts,
    }

    function afterHealing(): () => boolean {
      let probed = false
      let asked = Number.NEGATIVE_INFINITY
      return () => {
        if (scheduler.nowMs() - asked > 100) {
          asked = scheduler.nowMs()
          for (const host of hosts) {
            // What starts as a new member may be told to take part only while it is in the configuration.
            if (host.hardware.exists('data/store.json') || founders.includes(host.id)) host.start()
            else if (isMember(host)) host.start()
          }
          if (!probed) {
            for (const host of hosts) {
              host.inLife((store) => {
                const value = Buffer.from(String(++values).padStart(12, '0'))
                const ops = [{ type: 'put', key: 'probe' as never, value } as const]
                void store.commit({ guards: [], ops }).then(({ ok }) => {
                  probed ||= ok
                }, failed)
              })
            }
          }
        }
        return (
          probed &&
          !truth.expires &&
          isWhole(hosts) &&
          watchers.every(({ next }) => next === truth.revision + 1)
        )
      }
    }
    function isMember(host: WholeHost): boolean {
      const leader = hosts.find((one) => one.core()?.role === 'leader')
      return leader?.replica()?.membership.members.some(({ name }) => name === `m${host.id}`) === true
    }
  } finally {
    process.off('unhandledRejection', rejected)
  }
}

/** There is a leader, and everybody in its configuration has applied what it has. */
function isWhole(hosts: readonly WholeHost[]): boolean {
  const leader = hosts.map((host) => host.core()).find((status) => status?.role === 'leader')
  if (leader === undefined || leader.configuration.votersOutgoing.length > 0) return false
  return membersOf(leader.configuration).every((id) => {
    const host = hosts.find((one) => one.core()?.id === id)
    return host?.isUp() === true && host.applied() >= leader.lastIndex
  })
}

const profiles = {
  disks: ['crash', 'crash', 'crashLeader', 'slowDisk', 'fullDisk', 'rot', 'stop', 'compact', 'heal'],
  newcomers: [
    'membership',
    'membership',
    'crash',
    'crash',
    'partition',
    'heal',
    'stop',
    'compact',
    'slowDisk',
  ],
}

function troublesOf(hosts: readonly WholeHost[], unseen: boolean): Readonly<Record<string, Trouble>> {
  const find = (host: { readonly id: MemberId }) => hosts.find(({ id }) => id === host.id)
  return {
    stop({ random, scheduler, ended }) {
      const host = random.pick(hosts)
      host.stop()
      const again = () => {
        if (ended()) return
        if (host.core() === undefined) host.start()
        else scheduler.after(50, again)
      }
      scheduler.after(random.between(50, 400), again)
    },
    fullDisk({ random, scheduler, observer }) {
      const host = random.pick(hosts)
      observer.trace(() => `the disk of ${host.id} is full`)
      host.hardware.full = true
      scheduler.after(random.between(20, 400), () => {
        host.hardware.full = false
      })
    },
    rot({ random, hosts: all, scheduler, observer }) {
      const host = find(random.pick(all))
      if (host?.hardware.rot((content) => damageContent(content, unseen)) !== true) return
      observer.trace(() => `the disk of ${host.id} is damaged`)
      scheduler.after(random.between(50, 1000), () => host.hardware.repair())
    },
    clockJump({ random }) {
      random.pick(hosts).clock.wallErrorMs = random.between(-5000, 5000)
    },
  }
}
