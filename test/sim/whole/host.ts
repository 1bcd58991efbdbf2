/** One machine with a whole member on it: openMember and everything below it, on a simulated disk, network and clock. */
import type { Store } from '../../../store/contract.ts'
import type { Database } from '../../../store/disk/database.ts'
import type { Machine } from '../../../store/member/machine.ts'
import type { MemberStore } from '../../../store/member/member.ts'
import { encodeContext } from '../../../store/member/membership.ts'
import { type Member, type MemberOptions, openMember } from '../../../store/member/open.ts'
import type { RaftLimits } from '../../../store/raft/options.ts'
import { createRaft, type Raft } from '../../../store/raft/raft.ts'
import type { Ready } from '../../../store/raft/ready.ts'
import type { Rules } from '../../../store/raft/rules.ts'
import type { RaftStatus } from '../../../store/raft/status.ts'
import { type LogIndex, type MemberId, memberId } from '../../../store/raft/types.ts'
import type { TroubledHost, TroubledMember } from '../nemesis.ts'
import type { Random } from '../prng.ts'
import { type Safety, violated } from '../safety.ts'
import type { Scheduler } from '../scheduler.ts'
import { createMachineDisk, inspectStored, type MachineDisk } from './disk.ts'
import type { WholeFault } from './faults.ts'
import { createMachineClock, type Life, type MachineClock } from './life.ts'
import { addressOf, type Switchboard } from './transport.ts'
import type { Truth } from './truth.ts'

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

  function observed(act: () => void): void {
    try {
      act()
    } catch (failure) {
      options.failed(failure)
    }
  }

  /** The real core, watched at its door. */
  function watchedRaft(coreOptions: Parameters<typeof createRaft>[0]): Raft {
    const { storage } = coreOptions
    id = coreOptions.id
    options.joined(id, machine)
    const { applied, hardState } = storage.initialState()
    const first = storage.firstIndex()
    const before = (first - 1) as LogIndex
    const entries =
      storage.lastIndex() >= first
        ? storage.entries(first, (storage.lastIndex() + 1) as LogIndex, Number.POSITIVE_INFINITY)
        : []
    const beforeTerm = storage.term(before)
    if (beforeTerm === undefined) throw new Error('a log without a beginning')
    observed(() => {
      safety.started(id, { index: before, term: beforeTerm }, entries, hardState)
      safety.restored(id, { index: applied, kv: { hash: truth.revisionAt(applied) } })
    })
    const core = createRaft({ ...coreOptions, rules: options.rules, limits: options.limits })
    raft = core
    let out: Ready | undefined
    return {
      ...core,
      ready() {
        const ready = core.ready()
        out = ready
        if (ready !== undefined) observed(() => safety.ready(id, ready))
        return ready
      },
      advance() {
        core.advance()
        if (out === undefined) return
        const { committed, snapshot } = out
        out = undefined
        observed(() => {
          if (snapshot !== undefined) {
            const { index } = snapshot
            safety.restored(id, { index, kv: { hash: truth.revisionAt(index) } })
          }
          for (const entry of committed) {
            if (entry.index === truth.index + 1) truth.take(entry)
            safety.applied(id, entry, truth.revisionAt(entry.index), undefined)
          }
        })
      },
    }
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
      createRaft: watchedRaft,
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
    status() {
      const status = raft?.status()
      if (status === undefined) return undefined
      const all = (ids: readonly MemberId[]) => ids.map(options.machineOf)
      const { voters, votersOutgoing, learners } = status.configuration
      return {
        ...status,
        id: machine,
        vote: status.vote === undefined ? undefined : options.machineOf(status.vote),
        configuration: {
          voters: all(voters),
          votersOutgoing: all(votersOutgoing),
          learners: all(learners),
        },
      }
    },
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
        if (member !== undefined && !stopping) action(troubled)
      })
    },
    check() {
      touched = false
      if (raft === undefined) return
      safety.stepped(raft.status())
      const replica = host.replica()
      if (replica === undefined || replica.installs) return
      const { appliedIndex, state } = replica.mvcc
      if (
        state.revision !== truth.revisionAt(appliedIndex) ||
        state.liveKeys !== truth.liveKeysAt(appliedIndex)
      ) {
        const found = `revision ${state.revision} and ${state.liveKeys} keys`
        const expected = `${truth.revisionAt(appliedIndex)} and ${truth.liveKeysAt(appliedIndex)}`
        throw violated('state machine safety', `${machine} has ${found} at ${appliedIndex}, not ${expected}`)
      }
      const { digest, oldest } = state.meta()
      const shown = `${oldest} ${digest.high} ${digest.low} ${digest.records}`
      const known = states.get(appliedIndex)
      if (known === undefined) states.set(appliedIndex, shown)
      else if (known !== shown) {
        throw violated('state machine safety', `${machine} has another state at ${appliedIndex}`)
      }
    },
  }

  const troubled: TroubledMember = {
    revision: () => host.replica()?.state.revision ?? 0,
    status: () => host.status() ?? fail(),
    transferLeadership(to) {
      void member?.cluster.run({ method: 'transfer', member: `m${to}` })
    },
    checkpoint() {},
    compact(revision) {
      if (revision > 0) void member?.store.compact(revision as never)
    },
    changeMembership({ changes }) {
      const stranger = changes.find(({ type }) => type === 'addLearner')
      const replica = host.replica()
      if (member === undefined || replica === undefined) return
      if (stranger !== undefined) {
        const address = addressOf(stranger.id)
        void member.cluster.run({ method: 'add', name: `m${stranger.id}`, address })
        return
      }
      const { members, nextId } = replica.membership
      const mapped = changes.flatMap((change) => {
        const record = members.find((each) => each.name === `m${change.id}`)
        return record === undefined ? [] : [{ ...change, id: record.id }]
      })
      if (mapped.length > 0)
        replica.changeMembership({ changes: mapped, context: encodeContext({ members, nextId }) })
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

function fail(): never {
  throw new Error('no member runs')
}
