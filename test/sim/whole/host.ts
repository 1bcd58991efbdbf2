/** One machine with a whole member on it: openMember and everything below it, on a simulated disk, network and clock. */
import type { Store } from '../../../store/contract.ts'
import type { Database } from '../../../store/disk/database.ts'
import type { Machine } from '../../../store/member/machine.ts'
import type { MemberStore } from '../../../store/member/member.ts'
import { type Member, type MemberOptions, openMember } from '../../../store/member/open.ts'
import type { RaftLimits } from '../../../store/raft/options.ts'
import type { Raft } from '../../../store/raft/raft.ts'
import type { Rules } from '../../../store/raft/rules.ts'
import type { RaftStatus } from '../../../store/raft/status.ts'
import { type MemberId, memberId } from '../../../store/raft/types.ts'
import type { TroubledHost } from '../nemesis.ts'
import type { Random } from '../prng.ts'
import { type Safety, violated } from '../safety.ts'
import type { Scheduler } from '../scheduler.ts'
import { createMachineDisk, inspectStored, type MachineDisk } from './disk.ts'
import type { WholeFault } from './faults.ts'
import { createMachineClock, type Life, type MachineClock } from './life.ts'
import { sameState } from './same-state.ts'
import { addressOf, type Switchboard } from './transport.ts'
import { byMachine, troubledMember } from './troubled-member.ts'
import type { Truth } from './truth.ts'
import { createWatchedCore } from './watched-core.ts'

interface WholeHostOptions {
  /** Number of the machine, from 1: its first member has the same id. */
  readonly machine: MemberId
  readonly founders: readonly MemberId[]
  readonly scheduler: Scheduler
  readonly random: Random
  readonly switchboard: Switchboard
  readonly safety: Safety
  readonly truth: Truth
  /** What every member's state was after an entry. */
  readonly states: Map<number, string>
  readonly rules: Rules
  readonly fault: WholeFault | undefined
  readonly limits: Partial<RaftLimits>
  readonly member: Pick<
    MemberOptions,
    'historyMs' | 'historyVersionsMax' | 'recentBytesMax' | 'queue' | 'log'
  >
  readonly tickMs: number
  readonly electionTicks: number
  /** Everybody that may be asked to join. */
  readonly machines: readonly MemberId[]
  machineOf(id: MemberId): MemberId
  joined(id: MemberId, machine: MemberId): void
  /** A promise of the member or of a check was broken. */
  failed(failure: unknown): void
  trace(line: () => string): void
}

export interface WholeHost extends TroubledHost {
  readonly hardware: MachineDisk
  readonly clock: MachineClock
  /** The member that serves now. */
  store(): Store | undefined
  replica(): MemberStore['replica'] | undefined
  core(): RaftStatus | undefined
  /** Stops in good order. */
  stop(): void
  /** What it has applied. */
  applied(): number
  /** Checks what the last turn did. */
  check(): void
  /** An empty disk, for a member that was removed. */
  replace(): void
  readonly isTouched: boolean
  /** Runs `action` in the life of the member that serves now; never, when there is none. */
  inLife(action: (store: Store) => void): void
}

const dataRate = 10
const dataDir = 'data'

export function createWholeHost(options: WholeHostOptions): WholeHost {
  const { machine, scheduler, random, safety, truth, states, switchboard, fault } = options
  const hardware = createMachineDisk(scheduler, random.fork(), {
    trustTornBatch: fault?.trustTornBatch === true,
  })
  const clock = createMachineClock(scheduler, random.fork())
  const name = `m${machine}`
  let number = 0
  let raft: Raft | undefined
  let member: Member | undefined
  let running = false
  let stopping = false
  let touched = false
  let id = machine
  let pausedUntilMs = 0
  let retryMs = 0

  function inLife(born: number, action: () => void): void {
    if (born !== number || !running) return
    if (pausedUntilMs > scheduler.nowMs()) {
      scheduler.after(pausedUntilMs - scheduler.nowMs(), () => inLife(born, action))
      return
    }
    touched = true
    action()
  }

  function lifeOf(born: number): Life {
    const after = (delayMs: number, action: () => void) =>
      scheduler.after(delayMs, () => inLife(born, action))
    return { after, wait: (delayMs) => new Promise((resolve) => after(delayMs, resolve)) }
  }

  /** A new life of the member may have another id: a replaced machine joins as a new member. */
  function watchedCore(coreOptions: Parameters<Machine['createRaft']>[0]): Raft {
    id = coreOptions.id
    options.joined(id, machine)
    const { rules, limits, failed } = options
    raft = createWatchedCore(coreOptions, { safety, truth, changed: { rules, limits }, failed })
    return raft
  }

  async function openDatabase(life: Life, path: string): Promise<Database> {
    const database = await hardware.openDatabase(life, path)
    return fault?.database === undefined ? database : fault.database(database, random)
  }

  function machineOf(life: Life): Machine {
    return {
      files: hardware.files(life),
      openDatabase: (path) => openDatabase(life, path),
      isLocked: async () => false,
      inspectDatabase: async (path, { created }) => inspectStored(hardware, path, created),
      startPeers: async (peers) => ({ ok: true, value: switchboard.startPeers(machine, life, peers) }),
      askToJoin: (question) => switchboard.askToJoin(machine, life, question),
      random: (below) => random.below(below),
      defer: (action) => life.after(0, action),
      createRaft: watchedCore,
    }
  }

  async function open(born: number): Promise<void> {
    const life = lifeOf(born)
    const founding = options.founders.includes(machine) && id === machine
    const together = founding ? options.founders : options.machines
    const result = await openMember({
      dataDir,
      ...options.member,
      clock: clock.clockOf(life, dataRate),
      machine: machineOf(life),
      replication: {
        name,
        initialCluster: together.map((each) => `m${each}=${addressOf(each)}`).join(','),
        initialClusterState: founding ? 'new' : 'existing',
        clock: clock.clockOf(life, 1),
        timing: {
          tickMs: options.tickMs,
          electionTicks: options.electionTicks,
          heartbeatTicks: 1,
          waitMaxMs: 1000,
        },
      },
    })
    if (result.ok) {
      member = result.value
      result.value.onFatal(({ code, message }) => {
        options.trace(() => `${machine} has stopped: ${code}: ${message}`)
        const excused = hardware.isDamaged || hardware.full || /was removed/.test(message)
        if (!excused) options.failed(violated('members go on', `${machine}: ${message}`))
        // The process ends then.
        life.after(0, () => host.crash())
        if (!/was removed/.test(message)) again(born, 300)
      })
      return
    }
    const { code, message } = result.failure
    options.trace(() => `${machine} cannot open: ${message}`)
    const excused = hardware.isDamaged || hardware.full || code === 'BadCluster'
    if (!excused) options.failed(violated('members open again', `${machine}: ${message}`))
    life.after(0, () => host.crash())
    again(born, 150)
  }

  function again(born: number, delayMs: number): void {
    retryMs = scheduler.nowMs() + delayMs
    scheduler.after(delayMs, () => {
      if (born === number - 1 && !running) host.start()
    })
  }

  const host: WholeHost = {
    id: machine,
    disk: hardware,
    hardware,
    clock,
    get drift() {
      return clock.drift
    },
    set drift(drift) {
      clock.drift = drift
    },
    isUp: () => member !== undefined,
    get isTouched() {
      return touched
    },
    core: () => raft?.status(),
    status: () => (raft === undefined ? undefined : byMachine(raft.status(), machine, options.machineOf)),
    store: () => (stopping ? undefined : member?.store),
    // openMember makes no other store.
    replica: () => (member?.store as MemberStore | undefined)?.replica,
    applied: () => host.replica()?.mvcc.appliedIndex ?? 0,
    start() {
      if (running || scheduler.nowMs() < retryMs - 1) return
      const born = ++number
      running = true
      stopping = false
      pausedUntilMs = 0
      options.trace(() => `${machine} starts`)
      lifeOf(born).after(0, () => void open(born).catch(options.failed))
    },
    crash() {
      if (!running) return
      const power = random.chance(0.7)
      options.trace(() => `${machine} ${power ? 'loses power' : 'is killed'}`)
      end()
      hardware.crash(power)
    },
    stop() {
      const closing = member
      if (closing === undefined || stopping) return
      const born = number
      stopping = true
      options.trace(() => `${machine} stops`)
      void closing.close().then(() => {
        if (born !== number || !running) return
        options.trace(() => `${machine} has stopped in good order`)
        end()
      }, options.failed)
    },
    pause(forMs) {
      pausedUntilMs = scheduler.nowMs() + forMs
    },
    replace() {
      if (running) host.crash()
      hardware.replace()
      id = memberId(1000 + machine)
    },
    inLife(action) {
      const born = number
      lifeOf(born).after(0, () => {
        const store = host.store()
        if (store !== undefined) action(store)
      })
    },
    run(action) {
      inLife(number, () => {
        if (member !== undefined && !stopping) action(troubledMember(member, host))
      })
    },
    check() {
      touched = false
      if (raft === undefined) return
      safety.stepped(raft.status())
      const replica = host.replica()
      if (replica !== undefined && !replica.installs) sameState(machine, replica.mvcc, truth, states)
    },
  }

  return host

  function end(): void {
    running = false
    switchboard.hangUp(machine)
    if (raft !== undefined) safety.crashed(id)
    raft = undefined
    member = undefined
  }
}
