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
import type { InstallSnapshot, Message } from '../raft/message.ts'
import type { Proposed } from '../raft/proposal.ts'
import type { Raft } from '../raft/raft.ts'
import type { Ready } from '../raft/ready.ts'
import type { MemberId } from '../raft/types.ts'
import type { CommitTimesRecorder } from './commit-times.ts'
import { Driver } from './driver.ts'
import { Durable } from './durable.ts'
import type { Membership } from './membership.ts'
import type { Settled } from './proposal-queue.ts'
import type { ReplicaParts, Stopped } from './replica-parts.ts'
import { Requests } from './requests.ts'
import { StateCheck } from './state-check.ts'
import type { Forward } from './transport.ts'

/**
 * One member's copy of the log and the state: its core with all that it needs (disk, others, time), and who may ask
 * it for what, from its start until it stops.
 */
export class Replica {
  readonly #parts: ReplicaParts
  readonly #raft: Raft
  readonly #durable: Durable
  readonly #driver: Driver
  readonly #requests: Requests
  readonly #check: StateCheck
  /** The one member of its configuration: it needs no rounds. */
  #alone = false
  /** A leader was known in this run. */
  #wasLed = false
  #stopped: Stopped | undefined
  /** Woken whenever something was applied, or nothing more will be. */
  #applied: (() => void)[] = []

  constructor(parts: ReplicaParts) {
    this.#parts = parts
    const { id, timing, transport, clock } = parts
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
    this.#driver = new Driver({
      raft: this.#raft,
      durable: this.#durable,
      transport,
      clock,
      isFailed: () => parts.isFailed(),
      isServing: () => this.#stopped === undefined,
      onBatch: (ready) => this.#onBatch(ready),
      onIdle: () => this.#requests.schedule(),
      onFailed: () => this.#requests.giveUpPending(),
    })
    this.#requests = new Requests({
      ...parts,
      raft: this.#raft,
      durable: this.#durable,
      driver: this.#driver,
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
    return this.#driver.installs
  }

  /** Settles when the member can serve: at once, or, for a sole voter, when its log is applied. */
  async start(): Promise<void> {
    this.#onConfiguration()
    this.#tick()
    const { voters, votersOutgoing } = this.#raft.status().configuration
    const decidesAlone = votersOutgoing.length === 0 && voters.every((voter) => voter === this.#parts.id)
    if (!decidesAlone || voters.length === 0) {
      this.#driver.poke()
      return
    }
    this.#raft.campaign()
    this.#driver.pump()
    while (!this.leads && this.#stopped === undefined) {
      await new Promise<void>((resolve) => this.#applied.push(resolve))
    }
  }

  /** Settles when the proposal is applied here, refused, or its fate is not known. */
  propose(proposal: Proposal): Promise<Settled> {
    return this.#requests.propose(proposal)
  }

  /** A revision at least as new as everything acknowledged anywhere before the call; applied here. */
  async readIndex(): Promise<Result<Revision, Unavailable | Corrupt>> {
    if (this.#stopped !== undefined) return fail(this.#stopped)
    // Alone, a member acknowledges nothing that it has not applied.
    if (this.#alone && this.leads) return ok(revision(this.state.revision))
    return this.#requests.readIndex()
  }

  /** Makes a call to the core, and does what follows from it. */
  drive<T>(call: (raft: Raft) => T): T {
    return this.#driver.drive(call)
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

  /** A message of another member. */
  step(message: Message): void {
    if (this.#stopped === undefined) this.#driver.step(message)
  }

  /**
   * A state that begins to arrive. True: it is wanted. Of one that is held already the sender is told by the core: it would
   * send it for ever, since it cannot ask about entries that it has no more.
   */
  offered(message: InstallSnapshot): boolean {
    if (this.installs || this.#stopped !== undefined) return false
    if (message.snapshot.index > this.mvcc.appliedIndex) return true
    this.step(message)
    return false
  }

  /** A group of another member's proposals. True: taken into the log, now or before. */
  takeForward(forward: Forward): boolean {
    return this.#stopped === undefined && this.#requests.takeForward(forward)
  }

  /** The leader did not take the group `sequence`. */
  forwardRefused(sequence: number): void {
    this.#requests.forwardRefused(sequence)
  }

  /** The connection to `id` is new: what was sent over the one before may be lost. */
  connected(id: MemberId): void {
    this.#requests.connected(id)
    this.#campaignEarly()
  }

  /** A state for `id` was delivered, or its transfer broke off. */
  snapshotSent(id: MemberId, delivered: boolean): void {
    if (delivered) this.#durable.keepLogLonger()
    this.drive((raft) => raft.reportSnapshot(id, delivered))
  }

  /** The hash of a member's state after entry `index`: stops this member when its own is found to be wrong. */
  noteDigest(from: MemberId, index: number, digest: DigestValue): void {
    const { leader } = this.#raft.leadership()
    const wrong = this.#check.note(index, from, digest, this.membership.configuration.voters, leader)
    if (wrong === undefined) return
    this.stop({ code: 'Corrupt', where: 'state', message: `differs from the other members': ${wrong}` })
  }

  /** Writes what is applied; the view of it, or undefined when the disk refused. */
  stableView(): Promise<DatabaseView | undefined> {
    return this.#driver.stableView()
  }

  /** Answers everything that waits and serves no more. */
  stop(failure: Stopped): void {
    if (this.#stopped !== undefined) return
    this.#stopped = failure
    this.#requests.stop(failure)
    this.#parts.onStop(failure)
    this.#wakeApplied()
  }

  /** Finishes what is under way, and writes what is applied; not when `isSound` says that it cannot be trusted. */
  async close(failure: Stopped, isSound: () => boolean): Promise<void> {
    this.#stopped ??= failure
    this.#requests.stop(failure)
    const finish = (): void => {
      this.#requests.stop(failure)
      this.#wakeApplied()
    }
    await this.#driver.close(finish, isSound)
  }

  /**
   * Members that start together need not wait for an election timeout: the first of them asks for votes as soon as it
   * reaches another one. Where there is a leader already, or a longer log, the others refuse (pre-vote, thesis 9.6).
   */
  #campaignEarly(): void {
    const { role, leader } = this.#raft.leadership()
    this.#wasLed ||= leader !== undefined
    if (this.#stopped !== undefined || this.#wasLed || !this.#parts.timing.ticks) return
    if (role === 'candidate' || role === 'leader') return
    if (Math.min(...this.#raft.status().configuration.voters) !== this.#parts.id) return
    this.drive((raft) => raft.campaign())
  }

  #onBatch(ready: Ready): void {
    if (ready.snapshot !== undefined || ready.entries.some(({ type }) => type === 'configuration')) {
      this.#onConfiguration()
    }
    if (this.#requests.applyInTurn(ready)) this.#wakeApplied()
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
      this.#requests.tick(nowMs)
      this.#wasLed ||= this.#raft.leadership().leader !== undefined
      this.#driver.poke()
      this.#tick()
    })
  }

  #wakeApplied(): void {
    const waiting = this.#applied
    this.#applied = []
    for (const wake of waiting) wake()
  }
}
