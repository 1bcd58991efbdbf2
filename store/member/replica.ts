import {
  type Corrupt,
  fail,
  ok,
  type Result,
  type Revision,
  revision,
  type Unavailable,
} from '../contract.ts'
import type { Database, Write } from '../disk/database.ts'
import type { Log } from '../log/log.ts'
import { encodeGroup, type Proposal, readGroupHead } from '../mvcc/command.ts'
import type { DigestValue } from '../mvcc/digest.ts'
import { Mvcc } from '../mvcc/mvcc.ts'
import type { Outcome, State } from '../mvcc/state.ts'
import { decodeConfiguration, membersOf } from '../raft/configuration.ts'
import type { InstallSnapshot, Message } from '../raft/message.ts'
import { createRaft, type Raft } from '../raft/raft.ts'
import type { Ready } from '../raft/ready.ts'
import { createLogTail, type LogTail } from '../raft/tail.ts'
import { type Entry, logIndex, type MemberId, type Snapshot, type Term, term } from '../raft/types.ts'
import { CommitTimesRecorder } from './commit-times.ts'
import { encodeMembership, type Membership, membershipKey, nextMembership } from './membership.ts'
import { PendingGroups } from './pending-groups.ts'
import { ProposalQueue, type Settled, type Waiting } from './proposal-queue.ts'
import { ReadRounds } from './read-rounds.ts'
import type { ReplicaParts, Stopped } from './replica-parts.ts'
import { StateCheck } from './state-check.ts'
import type { Forward } from './transport.ts'

/** Records wait at most this long for a durable batch to take them along before they are written without one. */
const flushDelayMs = 100
/** Groups on their way to being applied; more wait in the queue. */
const pendingMax = 256
/** While a state is streamed to a member, and after it, the log it needs next is kept up to so many times the bounds. */
const streamingLogFactor = 8
const streamingLogMs = 60_000

/**
 * One member's copy of the log and the state: drives the Raft core (store/raft/ready.ts has the contract).
 *
 *     propose → [queue] → group ──leads──▶ core ─▶ ready ─▶ durable batch (records of earlier entries, log, hard state)
 *                           └──follows──▶ leader          ─▶ apply in one turn → events to the watches → answers
 *
 * Proposals that wait together become one group, one log entry; entries that gather during a durable batch share the
 * next. A group's proposer answers it when it applies the entry, whoever put it into the log.
 */
export class Replica {
  readonly times = new CommitTimesRecorder()
  readonly mvcc: Mvcc
  readonly queue: ProposalQueue
  readonly #parts: ReplicaParts
  readonly #raft: Raft
  readonly #log: Log
  readonly #tail: LogTail
  readonly #pending = new PendingGroups()
  readonly #reads: ReadRounds
  readonly #check: StateCheck
  readonly #origin: number
  /** Highest sequence taken from each origin in the term led. */
  readonly #taken = new Map<number, number>()
  #takenTerm: Term = term(0)
  #database: Database
  #membership: Membership
  /** The membership record on disk is older than the applied one. */
  #membershipDirty = false
  /** The state on disk, as a snapshot of it would be named. */
  #stored: Snapshot
  #sequence = 0
  /** The one voter, with nobody to tell: it needs no ticks and no rounds. */
  #alone = false
  #writing: Promise<void> | undefined
  #expecting = false
  #turnScheduled = false
  #pokeScheduled = false
  /** Nobody takes proposals now: the next tick, connection or applied entry tries again. */
  #blocked = false
  #flushScheduled = false
  #streamingUntilMs = Number.NEGATIVE_INFINITY
  #stopped: Stopped | undefined
  #applied: (() => void)[] = []

  constructor(parts: ReplicaParts) {
    this.#parts = parts
    const { id, loaded, timing, settings } = parts
    this.#database = parts.database
    this.#log = loaded.log
    this.#membership = loaded.membership
    this.#origin = parts.random(2 ** 47)
    this.mvcc = new Mvcc({
      database: parts.database,
      state: loaded.state,
      appliedIndex: loaded.appliedIndex,
      appliedTerm: loaded.appliedTerm,
      recentBytesMax: settings.recentBytesMax,
      onCorrupt: (failure) => this.stop(failure),
      onCheck: (index, digest) => this.#onOwnDigest(index, digest),
    })
    this.queue = new ProposalQueue(settings.queue)
    this.#stored = this.#point()
    this.#tail = createLogTail({
      initial: {
        hardState: loaded.log.hardState,
        applied: logIndex(loaded.appliedIndex),
        configuration: loaded.membership.configuration,
      },
      before: { ...loaded.log.before, index: logIndex(loaded.log.before.index) },
      entries: loaded.entries,
      snapshot: () => (this.#stored.index > 0 ? this.#stored : undefined),
    })
    this.#raft = createRaft({
      id,
      storage: this.#tail,
      electionTicks: timing.electionTicks,
      heartbeatTicks: timing.heartbeatTicks,
      random: parts.random,
      limits: { inflightBytesMax: 16 << 20 },
    })
    const electionMs = timing.electionTicks * timing.tickMs
    this.#reads = new ReadRounds({
      origin: this.#origin.toString(36),
      askAgainMs: electionMs,
      waitMaxMs: timing.waitMaxMs,
      ask: (context) => {
        const asked = this.#raft.readIndex(context).ok
        this.#poke()
        return asked
      },
      defer: (action) => parts.defer(action),
    })
    this.#check = new StateCheck(id)
  }

  get state(): State {
    return this.mvcc.state
  }

  get membership(): Membership {
    return this.#membership
  }

  get raft(): Pick<Raft, 'status' | 'leadership'> {
    return this.#raft
  }

  get database(): Database {
    return this.#database
  }

  /** Leads, and every entry of earlier leaders is applied: what is decided from its state is decided from all. */
  get leads(): boolean {
    const { role, term } = this.#raft.leadership()
    return role === 'leader' && this.mvcc.appliedTerm === term
  }

  /** Settles when the member can serve: at once, or, for a sole voter, when its log is applied. */
  async start(): Promise<void> {
    this.#onConfiguration()
    this.#tick()
    if (!this.#isSoleVoter()) {
      this.#poke()
      return
    }
    this.#raft.campaign()
    this.#pump()
    while (!this.leads && this.#stopped === undefined) await this.nextApplied()
  }

  /** Settles when further entries were applied, or the replica has stopped. */
  nextApplied(): Promise<void> {
    return new Promise((resolve) => this.#applied.push(resolve))
  }

  propose(proposal: Proposal): Promise<Settled> {
    const settled = this.queue.push(proposal, this.#parts.timers.monotonicMs())
    this.#schedule()
    return settled
  }

  async readIndex(): Promise<Result<Revision, Unavailable | Corrupt>> {
    if (this.#stopped !== undefined) return fail(this.#stopped)
    // Alone, a member acknowledges nothing that it has not applied.
    if (this.#alone && this.leads) return ok(revision(this.state.revision))
    return this.#reads.request(this.#parts.timers.monotonicMs())
  }

  /** Runs a call that changes the core, and what follows from it. */
  drive<T>(action: (raft: Raft) => T): T {
    const result = action(this.#raft)
    this.#onConfiguration()
    this.#poke()
    return result
  }

  step(message: Message): void {
    if (this.#stopped !== undefined) return
    if (message.type === 'snapshot') this.#expecting = true
    this.#raft.step(message)
    this.#poke()
  }

  /** An arrived state was given to the core, which may be installing it: no other may take its place. */
  get installs(): boolean {
    return this.#expecting
  }

  wantsSnapshot(index: number): boolean {
    return !this.#expecting && this.#stopped === undefined && index > this.mvcc.appliedIndex
  }

  /** Takes a group of another member. True: taken, now or before. */
  takeForward({ term: wanted, sequence, data }: Forward): boolean {
    const { role, term } = this.#raft.leadership()
    if (this.#stopped !== undefined || role !== 'leader' || term !== wanted) return false
    if (this.#takenTerm !== term) this.#taken.clear()
    this.#takenTerm = term
    const { origin } = readGroupHead(data)
    if (sequence <= (this.#taken.get(origin) ?? 0)) return true
    if (!this.#raft.propose([data]).ok) return false
    this.#taken.set(origin, sequence)
    this.#poke()
    return true
  }

  forwardRefused(sequence: number): void {
    const refused = this.#pending.take(sequence)
    if (refused !== undefined) this.queue.putBack(refused.group)
  }

  /** The connection to `id` is new: what was forwarded over the one before may be lost. */
  connected(id: MemberId): void {
    const { leader, term } = this.#raft.leadership()
    if (leader === id) {
      for (const { sequence, forwarded } of this.#pending.forwardedTo(id, term)) {
        if (forwarded !== undefined)
          this.#parts.transport.forward(id, { term, sequence, data: forwarded.data })
      }
    }
    this.#blocked = false
    this.#schedule()
  }

  noteDigest(from: MemberId, index: number, digest: DigestValue): void {
    const { leader } = this.#raft.leadership()
    const wrong = this.#check.note(index, from, digest, this.#membership.configuration.voters, leader)
    if (wrong === undefined) return
    this.stop({ code: 'Corrupt', where: 'state', message: `differs from the other members': ${wrong}` })
  }

  /** Answers everything that waits and serves no more; `failed`: what is on disk is not to be trusted either. */
  stop(failure: Stopped): void {
    if (this.#stopped !== undefined) return
    this.#stopped = failure
    this.#refuseWaiting()
    if (this.#writing === undefined) this.#giveUpPending()
    this.#reads.refuseAll(failure)
    this.#parts.onStop(failure)
    this.#wakeApplied()
  }

  /** Finishes what is under way, and writes what is applied. `write` false: the disk or the state is not to be trusted. */
  async close(failure: Stopped, write: () => boolean): Promise<void> {
    this.#stopped ??= failure
    this.#refuseWaiting()
    while (this.#writing !== undefined) await this.#writing
    this.#giveUpPending()
    this.#reads.refuseAll(failure)
    this.#wakeApplied()
    if (write()) await this.#write(this.#takeWrites(), true)
    await this.#database.close()
  }

  #refuseWaiting(): void {
    const message = this.#stopped?.message ?? ''
    for (const waiting of this.queue.takeAll()) waiting.settle({ code: 'Unavailable', message })
  }

  #giveUpPending(): void {
    const message = `not known to be committed when the member stopped: ${this.#stopped?.message ?? ''}`
    for (const { group } of this.#pending.takeAll()) settleAll(group, { code: 'Unknown', message })
  }

  /** The next turn of the event loop proposes what waits then: company can gather. */
  #schedule(): void {
    if (this.#turnScheduled || this.#blocked || this.queue.length === 0) return
    if (this.#writing !== undefined && this.#raft.leadership().role === 'leader') return
    this.#turnScheduled = true
    this.#parts.defer(() => {
      this.#turnScheduled = false
      if (this.#stopped !== undefined) return
      if (this.#writing === undefined || this.#raft.leadership().role !== 'leader') this.#proposeWaiting()
      this.#pump()
    })
  }

  /** Runs the loop at the end of this turn: messages that came together are answered together. */
  #poke(): void {
    if (this.#pokeScheduled) return
    this.#pokeScheduled = true
    queueMicrotask(() => {
      this.#pokeScheduled = false
      this.#pump()
    })
  }

  #proposeWaiting(): void {
    const { role, leader, term } = this.#raft.leadership()
    if (this.queue.length === 0) return
    this.#blocked = leader === undefined || this.#pending.size >= pendingMax
    if (leader === undefined || this.#blocked) return
    const group = this.queue.take()
    const sequence = ++this.#sequence
    const data = encodeGroup(
      group.map(({ proposal }) => proposal),
      { wallMs: Math.floor(this.#parts.clock.wallMs()), origin: this.#origin, sequence },
    )
    const given =
      role === 'leader'
        ? this.#raft.propose([data]).ok
        : this.#parts.transport.forward(leader, { term, sequence, data })
    if (!given) {
      this.#blocked = true
      this.queue.putBack(group)
      return
    }
    const forwarded = role === 'leader' ? undefined : { to: leader, data }
    this.#pending.add({ sequence, term, group, forwarded })
    if (forwarded !== undefined) this.#schedule()
  }

  /** The loop of the core's driver: everything that can be done until a batch has to be durable. */
  #pump(): void {
    this.#sendAll(this.#raft.messages())
    while (this.#writing === undefined && !this.#failed()) {
      const ready = this.#raft.ready()
      this.#expecting = ready?.snapshot !== undefined
      if (ready === undefined) break
      this.#sendAll(ready.messages)
      if (ready.mustSync) {
        this.#writing = this.#persist(ready)
        return
      }
      // Only the commit index moved: it may be lost, and goes with the next batch.
      if (ready.hardState !== undefined) this.#log.note(ready.hardState)
      this.#finish(ready)
    }
    if (this.queue.length > 0) this.#schedule()
    this.#scheduleFlush()
  }

  /** A member that was closed finishes; one whose disk or state failed does not go on. */
  #failed(): boolean {
    return this.#stopped !== undefined && this.#parts.isFailed()
  }

  async #persist(ready: Ready): Promise<void> {
    const written = await (ready.snapshot === undefined
      ? this.#append(ready)
      : this.#install(ready, ready.snapshot))
    this.#writing = undefined
    if (!written || this.#failed()) {
      this.#giveUpPending()
      return
    }
    this.#finish(ready)
    this.#pump()
  }

  async #append(ready: Ready): Promise<boolean> {
    const { timers, settings } = this.#parts
    const { hardState = this.#log.hardState, entries } = ready
    const point = this.#point()
    const writes = this.#takeWrites()
    for (const write of this.#log.append(entries, hardState)) writes.push(write)
    const nowMs = timers.monotonicMs()
    const factor = nowMs < this.#streamingUntilMs ? streamingLogFactor : 1
    const { keptEntriesMax, keptBytesMax } = settings.log
    const bounds = { keptEntriesMax: keptEntriesMax * factor, keptBytesMax: keptBytesMax * factor }
    for (const write of this.#log.truncate(this.mvcc.appliedIndex, bounds)) writes.push(write)
    if (!(await this.#write(writes, true))) return false
    const transactions = countProposals(entries)
    if (transactions > 0) this.times.record((timers.monotonicMs() - nowMs) / 1000, transactions)
    this.#stored = point
    this.mvcc.written()
    return true
  }

  /** Puts the state that came with a snapshot in place of this one. */
  async #install(ready: Ready, snapshot: Snapshot): Promise<boolean> {
    const { hardState = this.#log.hardState, entries } = ready
    this.mvcc.beginReplace()
    const before = { index: snapshot.index, term: snapshot.term }
    const installed = await this.#parts.installation.install(
      this.#database,
      this.#log.restart(before, entries, hardState),
    )
    if (!installed.ok) {
      this.stop(installed.failure)
      return false
    }
    const { database, state, appliedIndex, appliedTerm, membership } = installed.value
    this.#database = database
    // A state from before this member was added: what it was told when it joined is newer.
    const older = !membersOf(membership.configuration).includes(this.#parts.id)
    this.#parts.onReachable(older ? this.#membership.members : membership.members)
    this.#membership = membership
    this.#membershipDirty = false
    this.mvcc.replace({ database, state, appliedIndex, appliedTerm })
    this.#stored = this.#point()
    this.#tail.reset(snapshot)
    this.#parts.onMembership(membership)
    const message = 'a snapshot took the place of the log that would tell'
    for (const { group } of this.#pending.takeAll()) settleAll(group, { code: 'Unknown', message })
    return true
  }

  #finish(ready: Ready): void {
    this.#tail.append(ready.entries)
    if (ready.entries.length > 0) this.#tail.compact(logIndex(this.#log.before.index))
    this.#raft.advance()
    if (ready.snapshot !== undefined) this.#onConfiguration()
    for (const entry of ready.entries) if (entry.type === 'configuration') this.#onConfigurationEntry(entry)
    this.#sendAll(ready.messagesAfterPersist)
    for (const entry of ready.committed) this.#apply(entry)
    for (const state of ready.readStates) this.#reads.confirm(state)
    for (const context of ready.readsLost) this.#reads.lose(context)
    this.#reads.answer(this.mvcc.appliedIndex, revision(this.state.revision))
    if (ready.committed.length === 0 && ready.snapshot === undefined) return
    this.#blocked = false
    this.#wakeApplied()
  }

  #apply(entry: Entry): void {
    if (entry.term !== this.mvcc.appliedTerm) {
      // Not in the log before this entry: certainly not done, so it is proposed again.
      for (const { group } of this.#pending.takeBefore(entry.term).reverse()) this.queue.putBack(group)
    }
    switch (entry.type) {
      case 'command':
        this.#applyCommand(entry)
        break
      case 'configuration': {
        this.mvcc.skipInTurn(entry.index, entry.term)
        const { configuration, context } = decodeConfiguration(entry.data)
        this.#membership = nextMembership(this.#membership, configuration, context)
        this.#membershipDirty = true
        this.#onConfiguration()
        this.#parts.onReachable(this.#membership.members)
        this.#parts.onMembership(this.#membership)
        break
      }
      case 'empty':
        this.mvcc.skipInTurn(entry.index, entry.term)
    }
  }

  #applyCommand(entry: Entry): void {
    const data = Buffer.from(entry.data.buffer, entry.data.byteOffset, entry.data.byteLength)
    const outcomes = this.mvcc.applyInTurn(entry.index, entry.term, data)
    const { origin, sequence } = readGroupHead(data)
    const own = origin === this.#origin ? this.#pending.take(sequence) : undefined
    if (own !== undefined) this.#answer(own.group, outcomes)
    this.#parts.onApplied()
  }

  #answer(group: readonly Waiting[], outcomes: readonly Outcome[]): void {
    for (const [i, waiting] of group.entries()) {
      const outcome = outcomes[i]
      if (outcome === undefined) continue
      waiting.settle({ code: 'Answer', answer: this.mvcc.answerInTurn(outcome) })
    }
  }

  #sendAll(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.type === 'snapshot') this.#sendSnapshot(message)
      else this.#parts.transport.send(message)
    }
  }

  #sendSnapshot(message: InstallSnapshot): void {
    this.#streamingUntilMs = this.#parts.timers.monotonicMs() + streamingLogMs
    this.#parts.transport.sendSnapshot(message, this.#database.view())
  }

  snapshotSent(id: MemberId, delivered: boolean): void {
    if (delivered) this.#streamingUntilMs = this.#parts.timers.monotonicMs() + streamingLogMs
    this.#raft.reportSnapshot(id, delivered)
    this.#poke()
  }

  #onOwnDigest(index: number, digest: DigestValue): void {
    const { id, transport } = this.#parts
    for (const member of membersOf(this.#membership.configuration)) {
      if (member !== id) transport.sendDigest(member, index, digest)
    }
    this.noteDigest(id, index, digest)
  }

  /** Who takes part may have changed. */
  #onConfiguration(): void {
    const { id } = this.#parts
    this.#alone = membersOf(this.#raft.status().configuration).every((member) => member === id)
  }

  /** In the log, maybe not for good: who is new in it must be reachable already. */
  #onConfigurationEntry({ data }: Entry): void {
    this.#onConfiguration()
    const { configuration, context } = decodeConfiguration(data)
    const { members } = nextMembership(this.#membership, configuration, context)
    const known = this.#membership.members.filter(({ id }) => members.every((member) => member.id !== id))
    this.#parts.onReachable([...known, ...members])
  }

  #isSoleVoter(): boolean {
    const { voters, votersOutgoing } = this.#raft.status().configuration
    return voters.length === 1 && voters[0] === this.#parts.id && votersOutgoing.length === 0
  }

  #tick(): void {
    const { timers, timing } = this.#parts
    if (!timing.ticks) return
    timers.after(timing.tickMs, () => {
      if (this.#stopped !== undefined) return
      const nowMs = timers.monotonicMs()
      this.#raft.tick()
      this.#reads.tick(nowMs)
      this.#refuseLate(nowMs - timing.waitMaxMs)
      this.#blocked = false
      this.#poke()
      this.#tick()
    })
  }

  #refuseLate(sinceMs: number): void {
    for (const waiting of this.queue.takeOlder(sinceMs)) {
      waiting.settle({ code: 'Unavailable', message: 'the cluster has no leader that this member can reach' })
    }
    const message = 'the leader was lost before it confirmed the write'
    for (const { group } of this.#pending.takeOlder(sinceMs)) settleAll(group, { code: 'Unknown', message })
  }

  #point(): Snapshot {
    return {
      index: logIndex(this.mvcc.appliedIndex),
      term: term(this.mvcc.appliedTerm),
      configuration: this.#membership.configuration,
    }
  }

  #takeWrites(): Write[] {
    const writes = this.mvcc.takeWrites()
    if (this.#membershipDirty) {
      writes.push({ type: 'put', key: membershipKey, value: encodeMembership(this.#membership) })
      this.#membershipDirty = false
    }
    return writes
  }

  /** False when the disk refused: the member has stopped. */
  async #write(writes: readonly Write[], sync: boolean): Promise<boolean> {
    try {
      await this.#database.write(writes, { sync })
      return true
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#parts.onDiskFailed()
      this.stop({ code: 'Unavailable', message: `the disk failed, the member has stopped: ${reason}` })
      return false
    }
  }

  /** Bounds how much a restart has to apply again, when no further proposal takes the records along. */
  #scheduleFlush(): void {
    if (this.#flushScheduled || this.#writing !== undefined || this.#stopped !== undefined) return
    if (!this.mvcc.hasWrites) return
    this.#flushScheduled = true
    this.#parts.clock.after(flushDelayMs, () => {
      this.#flushScheduled = false
      if (this.#writing !== undefined || this.#stopped !== undefined || !this.mvcc.hasWrites) return
      this.#writing = this.#flush()
    })
  }

  async #flush(): Promise<void> {
    const point = this.#point()
    if (await this.#write(this.#takeWrites(), false)) {
      this.#stored = point
      this.mvcc.written()
    }
    this.#writing = undefined
    this.#pump()
  }

  /** Writes what is applied and not yet on disk; false when the disk refused. */
  async flush(): Promise<boolean> {
    while (this.#writing !== undefined) await this.#writing
    if (this.mvcc.hasWrites && this.#stopped === undefined) {
      this.#writing = this.#flush()
      await this.#writing
    }
    return this.#stopped === undefined
  }

  #wakeApplied(): void {
    const waiting = this.#applied
    this.#applied = []
    for (const wake of waiting) wake()
  }
}

function settleAll(group: readonly Waiting[], settled: Settled): void {
  for (const waiting of group) waiting.settle(settled)
}

function countProposals(entries: readonly Entry[]): number {
  let count = 0
  for (const { type, data } of entries) {
    if (type === 'command') count += readGroupHead(Buffer.from(data.buffer, data.byteOffset, 29)).count
  }
  return count
}
