/** What goes wrong: each seed draws which kinds and how often. */
import type { MembershipChange } from '../../store/raft/configuration.ts'
import { isJoint, membersOf } from '../../store/raft/configuration.ts'
import type { RaftStatus } from '../../store/raft/status.ts'
import type { MemberId } from '../../store/raft/types.ts'
import type { MemberUnderTest, Observer } from './contract.ts'
import { calm, type Network } from './network.ts'
import type { Random } from './prng.ts'
import type { Scheduler } from './scheduler.ts'

/** What trouble can do to a member, and to its machine. */
export type TroubledMember = Pick<
  MemberUnderTest,
  'status' | 'transferLeadership' | 'changeMembership' | 'checkpoint' | 'compact' | 'revision'
>

export interface TroubledHost {
  readonly id: MemberId
  readonly disk: { latencyMs: readonly [min: number, max: number] }
  drift: number
  isUp(): boolean
  status(): RaftStatus | undefined
  start(): void
  crash(): void
  pause(forMs: number): void
  run(action: (member: TroubledMember) => void): void
}

interface NemesisWorld {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly hosts: readonly TroubledHost[]
  readonly network: Network
  readonly observer: Pick<Observer, 'trace'>
  ended(): boolean
}

export type Trouble = (world: NemesisWorld) => void

const troubles: Readonly<Record<string, Trouble>> = {
  crash({ random, hosts, scheduler, ended }) {
    const down = random.shuffled(hosts).slice(0, random.pick([1, 1, 2, hosts.length]))
    for (const host of down) {
      host.crash()
      scheduler.after(random.pick([1, 20, 100, 600]) * random.next(), () => {
        if (!ended()) host.start()
      })
    }
  },
  crashLeader({ random, hosts, scheduler, ended }) {
    const leader = leaderAmong(hosts)
    leader?.crash()
    scheduler.after(random.between(10, 400), () => {
      if (!ended()) leader?.start()
    })
  },
  pause({ random, hosts }) {
    const host = random.chance(0.5) ? leaderAmong(hosts) : undefined
    const paused = host ?? random.pick(hosts)
    paused.pause(random.between(100, 700))
  },
  partition({ random, hosts, network, observer }) {
    network.heal()
    const side = new Set(random.shuffled(hosts).slice(0, random.between(1, Math.ceil(hosts.length / 2))))
    const oneWay = random.chance(0.3)
    observer.trace(() => `cut off ${[...side].map(({ id }) => id).join(',')}${oneWay ? ' one way' : ''}`)
    for (const a of hosts) {
      for (const b of hosts) {
        if (side.has(a) && !side.has(b)) {
          network.cut(a.id, b.id)
          if (!oneWay) network.cut(b.id, a.id)
        }
      }
    }
  },
  isolateLeader({ hosts, network, random, observer }) {
    const leader = leaderAmong(hosts)
    if (leader === undefined) return
    observer.trace(() => `cut off leader ${leader.id}`)
    const oneWay = random.chance(0.3)
    for (const { id } of hosts) {
      if (id === leader.id) continue
      network.cut(id, leader.id)
      if (!oneWay) network.cut(leader.id, id)
    }
  },
  /** A leader whose clock has almost stopped: it believes in itself long after the others have chosen another. */
  stopClockOfLeader(world) {
    const leader = leaderAmong(world.hosts)
    if (leader === undefined) return
    leader.drift = 10
    world.network.heal()
    troubles['isolateLeader']?.(world)
  },
  scatter({ random, hosts, network }) {
    for (const a of hosts) {
      for (const b of hosts) if (a !== b && random.chance(0.2)) network.cut(a.id, b.id)
    }
  },
  heal({ network, observer }) {
    observer.trace(() => 'network heals')
    network.heal()
  },
  weather({ random, network }) {
    network.weather = random.chance(0.3)
      ? calm
      : {
          loss: random.pick([0, 0.02, 0.2]),
          repetition: random.pick([0, 0.1]),
          delayMs: random.pick([
            [1, 4],
            [1, 30],
            [20, 60],
          ] as const),
          straggling: random.pick([0, 0.05, 0.2]),
        }
  },
  slowDisk({ random, hosts }) {
    random.pick(hosts).disk.latencyMs = random.pick([
      [0, 2],
      [2, 20],
      [50, 200],
    ] as const)
  },
  drift({ random, hosts }) {
    random.pick(hosts).drift = random.pick([0.4, 0.8, 1, 1.3, 2, 5])
  },
  transfer({ random, hosts }) {
    leaderAmong(hosts)?.run((member) => member.transferLeadership(random.pick(hosts).id))
  },
  membership({ random, hosts, observer }) {
    const host = leaderAmong(hosts)
    host?.run((member) => {
      const changes = someChange(random, member.status().configuration, hosts)
      observer.trace(() => `membership ${changes.map(({ type, id }) => `${type} ${id}`).join(', ')}`)
      member.changeMembership({ changes, context: '' })
    })
  },
  /** Half of the cluster learns of a change, the other half goes on without it. */
  changeAndCut(world) {
    troubles['membership']?.(world)
    world.scheduler.after(world.random.below(8), () => {
      if (!world.ended()) troubles['cutAfterChange']?.(world)
    })
  },
  cutAfterChange({ random, hosts, network, observer }) {
    const leader = leaderAmong(hosts)
    const configuration = leader?.status()?.configuration
    if (leader === undefined || configuration === undefined || !isJoint(configuration)) return
    const { voters, votersOutgoing } = configuration
    const staying = random.chance(0.5) ? votersOutgoing : voters
    const side = new Set([...staying.slice(0, -1), leader.id])
    observer.trace(() => `cut off ${[...side].join(',')} while joint`)
    network.heal()
    for (const { id: a } of hosts) {
      for (const { id: b } of hosts) if (side.has(a) !== side.has(b)) network.cut(a, b)
    }
  },
  /** The leader keeps its learners and loses its voters. */
  cutWithLearners({ hosts, network, observer }) {
    const leader = leaderAmong(hosts)
    const status = leader?.status()
    if (leader === undefined || status === undefined) return
    observer.trace(() => `cut off ${leader.id} with its learners`)
    network.heal()
    const voters = new Set(status.configuration.voters.filter((id) => id !== leader.id))
    for (const { id: a } of hosts) {
      for (const { id: b } of hosts) if (voters.has(a) !== voters.has(b)) network.cut(a, b)
    }
  },
  /** The next leader is cut off as soon as it is one, and whoever was cut off before comes back. */
  decapitate(world) {
    atNextElection(world, (leader) => {
      world.observer.trace(() => `cut off new leader ${leader.id}`)
      world.network.heal()
      for (const { id } of world.hosts) {
        if (id === leader.id) continue
        world.network.cut(leader.id, id)
        world.network.cut(id, leader.id)
      }
    })
  },
  /** Whoever has voted restarts at once and does not hear the winner, while another's ballot is still on its way. */
  crashVoters(world) {
    const { random, hosts, network, scheduler } = world
    for (const host of hosts) host.disk.latencyMs = random.chance(0.5) ? [0, 2] : [20, 80]
    soon(world, () => {
      const rivals = hosts.map(({ status }) => status()).filter((status) => status?.role === 'candidate')
      const voter = hosts.find((host) => {
        const { role, term, vote, id } = host.status() ?? {}
        const another = rivals.some((rival) => rival?.term === term && rival?.id !== vote)
        return role === 'follower' && vote !== undefined && vote !== id && another
      })
      const winner = voter?.status()?.vote
      if (voter === undefined || winner === undefined) return false
      network.cut(winner, voter.id)
      scheduler.after(random.between(2, 4), () => restart(world, voter, 1))
      scheduler.after(200, () => network.heal())
      return true
    })
  },
  /** Large messages vanish on some paths: leaders live, and replicate nothing. */
  blackHole({ random, hosts, network, observer }) {
    const from = random.shuffled(hosts).slice(0, random.between(1, 2))
    observer.trace(() => `large messages vanish from ${from.map(({ id }) => id).join(',')}`)
    for (const a of from) for (const b of hosts) if (random.chance(0.7)) network.swallow(a.id, b.id)
  },
  /** What the next leader appends stays with it; then it goes down for a while. */
  silenceNextLeader(world) {
    const { random, hosts, network, scheduler } = world
    for (const a of hosts) for (const b of hosts) network.swallow(a.id, b.id)
    atNextElection(world, (leader) => {
      restart(world, leader, random.between(50, 300))
      scheduler.after(random.between(0, 100), () => {
        if (!world.ended()) network.heal()
      })
    })
  },
  checkpoint({ random, hosts }) {
    for (const host of hosts) if (random.chance(0.5)) host.run((member) => member.checkpoint())
  },
  compact({ random, hosts }) {
    leaderAmong(hosts)?.run((member) => member.compact(member.revision() - random.below(10)))
  },
}

/** Keeps at least one voter, and never more than the machines there are. */
function someChange(
  random: Random,
  configuration: Parameters<typeof membersOf>[0],
  hosts: readonly TroubledHost[],
): readonly MembershipChange[] {
  const { voters, learners } = configuration
  const strangers = hosts.map(({ id }) => id).filter((id) => !membersOf(configuration).includes(id))
  const add = (id: MemberId): MembershipChange => ({ type: 'addLearner', id })
  const remove = (id: MemberId): MembershipChange => ({ type: 'remove', id })
  const promote = (id: MemberId): MembershipChange => ({ type: 'promote', id })
  const some = random.shuffled(voters)
  const fewer = some.slice(0, Math.min(2, voters.length - 2))
  const swap = [...learners.map(promote), ...some.slice(0, learners.length).map(remove)]
  return random.pick([
    strangers.map(add),
    strangers.slice(0, 1).map(add),
    learners.map(promote),
    ...(learners.length > 0 ? [swap, swap, swap] : [strangers.map(add)]),
    fewer.map(remove),
    fewer.slice(0, 1).map(add),
  ])
}

/** Tries every other millisecond, for a while, until `act` has found what it looks for. */
function soon(world: NemesisWorld, act: () => boolean): void {
  const untilMs = world.scheduler.nowMs() + 500
  function look(): void {
    if (world.ended() || world.scheduler.nowMs() > untilMs || act()) return
    world.scheduler.after(2, look)
  }
  look()
}

function atNextElection(world: NemesisWorld, act: (leader: TroubledHost) => void): void {
  const before = leaderAmong(world.hosts)?.status()?.term ?? 0
  soon(world, () => {
    const leader = leaderAmong(world.hosts)
    if (leader === undefined || (leader.status()?.term ?? 0) <= before) return false
    act(leader)
    return true
  })
}

function restart(world: NemesisWorld, host: TroubledHost, afterMs: number): void {
  if (world.ended()) return
  host.crash()
  world.scheduler.after(afterMs, () => {
    if (!world.ended()) host.start()
  })
}

function leaderAmong(hosts: readonly TroubledHost[]): TroubledHost | undefined {
  const leaders = hosts.filter((host) => host.status()?.role === 'leader')
  return leaders.sort((a, b) => (b.status()?.term ?? 0) - (a.status()?.term ?? 0))[0]
}

/** Kinds of trouble that go together. */
const profiles = {
  elections: ['decapitate', 'decapitate', 'crash', 'crashVoters', 'isolateLeader', 'heal', 'weather'],
  ballots: ['crashVoters', 'crashVoters', 'crashLeader', 'slowDisk', 'weather'],
  silence: ['silenceNextLeader', 'crashLeader', 'crashLeader', 'blackHole', 'heal'],
  clocks: ['stopClockOfLeader', 'isolateLeader', 'heal', 'drift', 'pause', 'crash', 'transfer'],
  membership: ['membership', 'membership', 'cutWithLearners', 'changeAndCut', 'partition', 'heal'],
  history: ['checkpoint', 'checkpoint', 'compact', 'partition', 'heal', 'crash', 'slowDisk'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type Profile = keyof typeof profiles

/** Trouble that only some worlds know. */
interface MoreTrouble {
  readonly troubles: Readonly<Record<string, Trouble>>
  readonly profiles: Readonly<Record<string, readonly string[]>>
  /** One of `profiles`, when it is asked for. */
  readonly profile: string | undefined
}

const noMore: MoreTrouble = { troubles: {}, profiles: {}, profile: undefined }

/** Makes trouble until the world has ended; of the seed's choice when no profile is asked for. */
export function startNemesis(world: NemesisWorld, profile?: Profile, more: MoreTrouble = noMore): void {
  const { random, scheduler } = world
  const all: Readonly<Record<string, Trouble>> = { ...troubles, ...more.troubles }
  const names = Object.keys(all)
  const drawn: readonly string[] = random.pick([
    random.shuffled(names).slice(0, random.between(3, names.length)),
    names,
    ...Object.values({ ...profiles, ...more.profiles }),
  ])
  const asked = profile === undefined ? more.profiles[more.profile ?? ''] : profiles[profile]
  const chosen = asked ?? drawn
  const eachMs = random.pick([20, 50, 100, 200])
  function next(): void {
    if (world.ended()) return
    const name = random.pick(chosen)
    all[name]?.(world)
    scheduler.after(random.between(1, 2 * eachMs), next)
  }
  scheduler.after(200, next)
}
