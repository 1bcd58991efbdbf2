import {
  type Corrupt,
  fail,
  ok,
  type Result,
  type Revision,
  revision,
  type Unavailable,
} from '../contract.ts'
import type { DatabaseView } from '../disk/database.ts'
import type { Proposal } from '../mvcc/command.ts'
import type { DigestValue } from '../mvcc/digest.ts'
import type { Mvcc } from '../mvcc/mvcc.ts'
import type { State } from '../mvcc/state.ts'
import { membersOf } from '../raft/configuration.ts'
import type { MembershipFailure, MembershipRequest } from '../raft/membership.ts'
import type { Message } from '../raft/message.ts'
import type { Proposed } from '../raft/proposal.ts'
import type { Raft } from '../raft/raft.ts'
import type { Ready } from '../raft/ready.ts'
import type { Entry, MemberId } from '../raft/types.ts'
import type { CommitTimesRecorder } from './commit-times.ts'
import { Durable } from './durable.ts'
import type { Membership } from './membership.ts'
import type { Settled } from './proposal-queue.ts'
import { bufferOf, Proposals } from './proposals.ts'
import { ReadRounds } from './read-rounds.ts'
import type { ReplicaParts, Stopped } from './replica-parts.ts'
import { StateCheck } from './state-check.ts'
import type { Forward } from './transport.ts'

/** Records wait at most this long for a durable batch to take them along before they are written without one. */
const flushDelayMs = 100

/**
 * One member's copy of the log and the state: drives the Raft core (store/raft/ready.ts has the contract).
 *
 *     propose → [queue] → group ──leads──▶ core ─▶ ready ─▶ durable batch (records of earlier entries, log, hard state)
 *                           └──follows──▶ leader          ─▶ apply in one turn → events to the watches → answers
 *
 * Proposals that wait together become one group, one log entry; entries that gather during a durable batch share the
 * next.
 */
export class Replica {
  readonly #parts: ReplicaParts
  readonly #raft: Raft
  readonly #durable: Durable
  readonly #proposals: Proposals
  readonly #reads: ReadRounds
  readonly #check: StateCheck
  /** The one member of its configuration: it needs no rounds. */
  #alone = false
  #writing: Promise<void> | undefined
  /** An arrived state was given to the core, which may be installing it. */
  #expecting = false
  #turnScheduled = false
  #pokeScheduled = false
  #flushScheduled = false
  /** A leader was known in this run. */
  #wasLed = false
  #stopped: Stopped | undefined
  #applied: (() => void)[] = []

  constructor(parts: ReplicaParts) {
    this.#parts = parts
    const { id, timing, transport, settings, clock } = parts
    this.#durable = new Durable(parts, {
      onCorrupt: (failure) => this.stop(failure),
      onCheck: (index, digest) => this.#onOwnDigest(index, digest),
      onFailed: (failure) => {
        parts.onDiskFailed()
        this.stop(failure)
      },
    })
    this.#raft = parts.createRaft({
      id,
      storage: this.#durable.tail,
      electionTicks: timing.electionTicks,
      heartbeatTicks: timing.heartbeatTicks,
      random: parts.random,
    })
    const origin = parts.random(2 ** 47)
    this.#proposals = new Proposals({
      raft: this.#raft,
      transport,
      queue: settings.queue,
      origin,
      wallMs: () => clock.wallMs(),
    })
    this.#reads = new ReadRounds({
      origin: origin.toString(36),
      askAgainMs: timing.electionTicks * timing.tickMs,
      waitMaxMs: timing.waitMaxMs,
      ask: (context) => this.drive((raft) => raft.readIndex(context)).ok,
      defer: (action) => parts.defer(action),
    })
    this.#check = new StateCheck(id)
  }

  get mvcc(): Mvcc {
    return this.#durable.mvcc
  }

  get state(): State {
    return this.mvcc.state
  }

  get times(): CommitTimesRecorder {
    return this.#durable.times
  }

  get membership(): Membership {
    return this.#durable.membership
  }

  get raft(): Pick<Raft, 'status' | 'leadership'> {
    return this.#raft
  }

  /** Leads, and every entry of earlier leaders is applied: what is decided from its state is decided from all. */
  get leads(): boolean {
    const { role, term } = this.#raft.leadership()
    return role === 'leader' && this.mvcc.appliedTerm === term
  }

  /** An arrived state may be on its way into use: no other may take its place. */
  get installs(): boolean {
    return this.#expecting
  }

  /** Settles when the member can serve: at once, or, for a sole voter, when its log is applied. */
  async start(): Promise<void> {
    this.#onConfiguration()
    this.#tick()
    const { voters, votersOutgoing } = this.#raft.status().configuration
    const decidesAlone = votersOutgoing.length === 0 && voters.every((voter) => voter === this.#parts.id)
    if (!decidesAlone || voters.length === 0) {
      this.#poke()
      return
    }
    this.#raft.campaign()
    this.#pump()
    while (!this.leads && this.#stopped === undefined) {
      await new Promise<void>((resolve) => this.#applied.push(resolve))
    }
  }

  propose(proposal: Proposal): Promise<Settled> {
    const settled = this.#proposals.push(proposal, this.#parts.timers.monotonicMs())
    this.#schedule()
    return settled
  }

  async readIndex(): Promise<Result<Revision, Unavailable | Corrupt>> {
    if (this.#stopped !== undefined) return fail(this.#stopped)
    // Alone, a member acknowledges nothing that it has not applied.
    if (this.#alone && this.leads) return ok(revision(this.state.revision))
    return this.#reads.request(this.#parts.timers.monotonicMs())
  }

  /** Makes a call to the core, and does what follows from it. */
  drive<T>(call: (raft: Raft) => T): T {
    const result = call(this.#raft)
    this.#poke()
    return result
  }

  /**
   * Refused until this member has applied what is committed: the request says who the members are, and which id comes
   * next, as of the last change.
   */
  changeMembership(request: MembershipRequest): Result<Proposed, MembershipFailure> {
    const { committed } = this.#raft.status()
    if (this.mvcc.appliedIndex < committed) return fail({ code: 'ChangePending', index: committed })
    const proposed = this.drive((raft) => raft.proposeMembership(request))
    this.#onConfiguration()
    return proposed
  }

  step(message: Message): void {
    if (this.#stopped !== undefined) return
    if (message.type === 'snapshot') this.#expecting = true
    this.drive((raft) => raft.step(message))
  }

  wantsSnapshot(index: number): boolean {
    return !this.#expecting && this.#stopped === undefined && index > this.mvcc.appliedIndex
  }

  takeForward(forward: Forward): boolean {
    return this.#stopped === undefined && this.drive(() => this.#proposals.takeForward(forward))
  }

  forwardRefused(sequence: number): void {
    this.#proposals.forwardRefused(sequence)
  }

  connected(id: MemberId): void {
    this.#proposals.forwardAgain(id)
    this.#proposals.unblock()
    this.#campaignEarly()
    this.#schedule()
  }

  snapshotSent(id: MemberId, delivered: boolean): void {
    if (delivered) this.#durable.keepLogLonger()
    this.drive((raft) => raft.reportSnapshot(id, delivered))
  }

  noteDigest(from: MemberId, index: number, digest: DigestValue): void {
    const { leader } = this.#raft.leadership()
    const wrong = this.#check.note(index, from, digest, this.membership.configuration.voters, leader)
    if (wrong === undefined) return
    this.stop({ code: 'Corrupt', where: 'state', message: `differs from the other members': ${wrong}` })
  }

  /** Writes what is applied; the view of it, or undefined when the disk refused. */
  async stableView(): Promise<DatabaseView | undefined> {
    while (this.#writing !== undefined) await this.#writing
    if (this.mvcc.hasWrites && this.#stopped === undefined) {
      this.#writing = this.#flush()
      await this.#writing
    }
    return this.#stopped === undefined ? this.#durable.view() : undefined
  }

  /** Answers everything that waits and serves no more. */
  stop(failure: Stopped): void {
    if (this.#stopped !== undefined) return
    this.#stopped = failure
    this.#proposals.refuseWaiting(failure.message)
    if (this.#writing === undefined) this.#giveUpPending()
    this.#reads.refuseAll(failure)
    this.#parts.onStop(failure)
    this.#wakeApplied()
  }

  /** Finishes what is under way, and writes what is applied; not when `isSound` says that it cannot be trusted. */
  async close(failure: Stopped, isSound: () => boolean): Promise<void> {
    this.#stopped ??= failure
    this.#proposals.refuseWaiting(failure.message)
    while (this.#writing !== undefined) await this.#writing
    this.#giveUpPending()
    this.#reads.refuseAll(failure)
    this.#wakeApplied()
    await this.#durable.close(isSound())
  }

  #giveUpPending(): void {
    const why = this.#stopped?.message ?? ''
    this.#proposals.giveUpPending(`not known to be committed when the member stopped: ${why}`)
  }

  /** A leader's groups gather while a batch is being written; a follower's have nothing to wait for. */
  get #mayPropose(): boolean {
    return this.#writing === undefined || this.#raft.leadership().role !== 'leader'
  }

  /** The next turn of the event loop proposes what waits then: company can gather. */
  #schedule(): void {
    if (this.#turnScheduled || !this.#proposals.isReady || !this.#mayPropose) return
    this.#turnScheduled = true
    this.#parts.defer(() => {
      this.#turnScheduled = false
      if (this.#stopped !== undefined) return
      if (this.#mayPropose) this.#proposals.proposeNext()
      this.#pump()
    })
  }

  /**
   * Members that start together need not wait for an election timeout: the first of them asks for votes as soon as it
   * reaches another one. Where there is a leader already, or a longer log, the others refuse (pre-vote, thesis 9.6).
   */
  #campaignEarly(): void {
    const { role, leader } = this.#raft.leadership()
    this.#wasLed ||= leader !== undefined
    if (this.#wasLed || role === 'candidate' || role === 'leader' || !this.#parts.timing.ticks) return
    if (Math.min(...this.#raft.status().configuration.voters) !== this.#parts.id) return
    this.drive((raft) => raft.campaign())
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

  /** The loop of the core's driver: everything that can be done until a batch has to be durable. */
  #pump(): void {
    this.#sendAll(this.#raft.messages())
    while (this.#writing === undefined && !this.#parts.isFailed()) {
      const ready = this.#raft.ready()
      this.#expecting = ready?.snapshot !== undefined
      if (ready === undefined) break
      this.#sendAll(ready.messages)
      if (ready.mustSync) {
        this.#writing = this.#persist(ready)
        return
      }
      if (ready.hardState !== undefined) this.#durable.note(ready.hardState)
      this.#finish(ready)
    }
    this.#schedule()
    this.#scheduleFlush()
  }

  async #persist(ready: Ready): Promise<void> {
    const written = await this.#durable.persist(ready)
    this.#writing = undefined
    if (!written || this.#parts.isFailed()) {
      this.#giveUpPending()
      return
    }
    if (ready.snapshot !== undefined) {
      this.#proposals.giveUpPending('a snapshot took the place of the log that would tell')
    }
    this.#finish(ready)
    this.#pump()
  }

  #finish(ready: Ready): void {
    this.#durable.persisted(ready)
    this.#raft.advance()
    if (ready.snapshot !== undefined || ready.entries.some(({ type }) => type === 'configuration')) {
      this.#onConfiguration()
    }
    this.#sendAll(ready.messagesAfterPersist)
    for (const entry of ready.committed) this.#apply(entry)
    for (const state of ready.readStates) this.#reads.confirm(state)
    for (const context of ready.readsLost) this.#reads.lose(context)
    this.#reads.answer(this.mvcc.appliedIndex, revision(this.state.revision))
    if (ready.committed.length === 0 && ready.snapshot === undefined) return
    this.#proposals.unblock()
    this.#wakeApplied()
  }

  #apply(entry: Entry): void {
    const { mvcc } = this
    if (entry.term !== mvcc.appliedTerm) this.#proposals.leaveBehind(entry.term)
    switch (entry.type) {
      case 'command': {
        const data = bufferOf(entry.data)
        const outcomes = mvcc.applyInTurn(entry.index, entry.term, data)
        this.#proposals.answerInTurn(data, outcomes, mvcc)
        this.#parts.onApplied()
        break
      }
      case 'configuration':
        this.#durable.applyConfiguration(entry)
        break
      case 'empty':
        mvcc.skipInTurn(entry.index, entry.term)
    }
  }

  #sendAll(messages: readonly Message[]): void {
    const { transport } = this.#parts
    for (const message of messages) {
      if (message.type !== 'snapshot') {
        transport.send(message)
        continue
      }
      this.#durable.keepLogLonger()
      transport.sendSnapshot(message, this.#durable.view())
    }
  }

  #onOwnDigest(index: number, digest: DigestValue): void {
    const { id, transport } = this.#parts
    for (const member of membersOf(this.membership.configuration)) {
      if (member !== id) transport.sendDigest(member, index, digest)
    }
    this.noteDigest(id, index, digest)
  }

  /** Who takes part may have changed. */
  #onConfiguration(): void {
    const { id } = this.#parts
    this.#alone = membersOf(this.#raft.status().configuration).every((member) => member === id)
  }

  #tick(): void {
    const { timers, timing } = this.#parts
    if (!timing.ticks) return
    timers.after(timing.tickMs, () => {
      if (this.#stopped !== undefined) return
      const nowMs = timers.monotonicMs()
      this.#raft.tick()
      this.#reads.tick(nowMs)
      this.#proposals.refuseLate(nowMs - timing.waitMaxMs)
      this.#wasLed ||= this.#raft.leadership().leader !== undefined
      this.#proposals.unblock()
      this.#poke()
      this.#tick()
    })
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
    await this.#durable.flush()
    this.#writing = undefined
    this.#pump()
  }

  #wakeApplied(): void {
    const waiting = this.#applied
    this.#applied = []
    for (const wake of waiting) wake()
  }
}
