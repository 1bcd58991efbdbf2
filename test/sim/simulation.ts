/**
 * One seed, one world: machines with faulty disks, clocks and network, clients that write, read and watch, and trouble.
 * Then everything is healed, and the cluster must come back. Throws the first violation of any guarantee.
 */
import { configurationOf, membersOf } from '../../store/raft/configuration.ts'
import type { RaftLimits } from '../../store/raft/options.ts'
import { memberId } from '../../store/raft/types.ts'
import { startClient, startWatcher } from './clients.ts'
import type { MemberFactory, Observer } from './contract.ts'
import { describeMessage, describeReady } from './describe.ts'
import { type Fault, noDriverFaults, rulesOf } from './faults.ts'
import { createHost, type Host } from './host.ts'
import { createSimpleMember, firstCheckpoint } from './member.ts'
import { startNemesis } from './nemesis.ts'
import { violated } from './safety.ts'
import { createWatchClient } from './watching.ts'
import { createWorld } from './world.ts'

interface SimulationOptions {
  readonly seed: number
  readonly fault?: Fault
  readonly createMember?: MemberFactory
  /** Takes every line of what happens. */
  trace?(line: string): void
}

interface SimulationReport {
  readonly steps: number
  readonly operations: number
  /** Keys whose history was too hard to decide. */
  readonly undecided: number
  readonly committed: number
  readonly events: number
  readonly lists: number
}

const troubledMs = 5000
const electionTicks = 5
const tickMs = 20
/** After healing, the cluster must be whole again within so many election timeouts. */
const recoveryElections = 60

export function runSimulation({ seed, fault, createMember, trace }: SimulationOptions): SimulationReport {
  const { random, scheduler, network, safety, history, write, healNetwork } = createWorld(seed, trace)
  const initialVoters = random.pick([1, 3, 3, 3, 5])
  const machines = random.pick([initialVoters, initialVoters + 1, 5, 6])
  const ids = Array.from({ length: Math.max(machines, initialVoters) }, (_, i) => memberId(i + 1))
  const bootstrap = configurationOf(ids.slice(0, initialVoters))
  const observer: Observer = {
    ...safety,
    trace: write,
    ready(id, ready) {
      if (trace !== undefined) for (const line of describeReady(ready)) write(() => `${id} ${line}`)
      safety.ready(id, ready)
    },
  }
  const appendBytesMax = random.pick([1, 100, 400, 4000])
  const limits: Partial<RaftLimits> = {
    appendBytesMax,
    inflightCountMax: random.pick([1, 2, 6, 64]),
    inflightBytesMax: appendBytesMax * random.pick([1, 4]),
    applyBytesMax: random.pick([1, 600, 4000]),
    promotionLagEntriesMax: random.pick([1, 10, 1000]),
  }
  let ended = false
  let steps = 0

  const hosts: readonly Host[] = ids.map((id) =>
    createHost({
      id,
      scheduler,
      random: random.fork(),
      first: firstCheckpoint(bootstrap.voters.includes(id) ? bootstrap : undefined),
      createMember: createMember ?? createSimpleMember,
      rules: rulesOf(fault),
      faults: { ...noDriverFaults, ...fault?.driver },
      observer,
      electionTicks,
      limits,
      tickMs,
      send(message, payload) {
        const to = hosts.find((host) => host.id === message.to)
        const from = hosts.find((host) => host.id === message.from)
        const told = (delivered: boolean) => {
          if (payload !== undefined) from?.run((member) => member.snapshotSent(message.to, delivered))
        }
        const deliver = () => {
          write(() => `${message.to} hears ${describeMessage(message)}`)
          if (to?.isUp() === true) to.run((member) => member.receive(message, payload))
          told(to?.isUp() === true)
        }
        const large = message.type === 'snapshot' || (message.type === 'append' && message.entries.length > 0)
        const lost = () => scheduler.after(20, () => told(false))
        network.carry({ from: message.from, to: message.to, large, deliver, lost })
      },
      stepped: (status) => safety.stepped(status),
      wentDown: () => safety.crashed(id),
    }),
  )

  let values = 0
  const world = {
    scheduler,
    hosts,
    history,
    keys: ['a', 'b', 'c'],
    nextValue: () => ++values,
    ended: () => ended,
  }
  const watchers = ['first', 'second'].map((name) => createWatchClient(name, safety.events))

  function runUntil(done: () => boolean, limitMs: number): boolean {
    while (!done() && scheduler.nowMs() < limitMs) {
      if (!scheduler.step()) return done()
      steps++
    }
    return done()
  }

  for (const host of hosts) host.start()
  for (let i = 0; i < 4; i++) startClient({ ...world, random: random.fork() })
  for (const client of watchers) startWatcher({ ...world, random: random.fork() }, client)
  startNemesis(
    { scheduler, random: random.fork(), hosts, network, observer, ended: () => ended },
    fault?.profile,
  )
  runUntil(() => false, troubledMs)

  ended = true
  healNetwork()
  for (const host of hosts) {
    host.drift = 1
    host.disk.latencyMs = [0, 2]
    host.pause(0)
    host.start()
  }
  const healedMs = scheduler.nowMs()
  const limitMs = healedMs + recoveryElections * electionTicks * tickMs
  let probe: number | undefined
  const askAgain = () => {
    if (probe !== undefined || scheduler.nowMs() > limitMs) return
    const request = { key: 'probe', value: world.nextValue(), guard: undefined }
    for (const host of hosts) {
      host.run((member) =>
        member.put(request, (answer) => {
          if (answer.type === 'done') probe ??= answer.revision
        }),
      )
    }
    scheduler.after(50, askAgain)
  }
  askAgain()
  const whole = runUntil(() => {
    if (probe === undefined) return false
    return isWhole(hosts) && watchers.every((client) => client.next() === safety.events.length + 1)
  }, limitMs)
  if (!whole) {
    const members = hosts.map((host) => JSON.stringify(host.status())).join('\n')
    const seen = watchers.map((client) => client.next() - 1).join(', ')
    const state = `probe at ${probe}, watchers saw ${seen} of ${safety.events.length}\n${members}`
    throw violated('recovery', `not whole ${recoveryElections} election timeouts after healing: ${state}`)
  }
  const checked = history.check()
  return {
    steps,
    ...checked,
    committed: safety.committed(),
    events: safety.events.length,
    lists: watchers.reduce((sum, { resumed }) => sum + resumed.lists, 0),
  }
}

/** There is a leader, and everybody in its configuration has applied what it has. */
function isWhole(hosts: readonly Host[]): boolean {
  const leader = hosts.map((host) => host.status()).find((status) => status?.role === 'leader')
  if (leader === undefined || leader.configuration.votersOutgoing.length > 0) return false
  const members = membersOf(leader.configuration)
  return hosts
    .filter(({ id }) => members.includes(id))
    .every((host) => (host.member()?.applied() ?? 0) >= leader.lastIndex)
}
