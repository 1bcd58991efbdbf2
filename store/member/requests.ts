import { type Corrupt, type Result, type Revision, revision, type Unavailable } from '../contract.ts'
import type { Proposal } from '../mvcc/command.ts'
import type { Raft } from '../raft/raft.ts'
import type { Ready } from '../raft/ready.ts'
import type { Entry, MemberId } from '../raft/types.ts'
import type { Driver } from './driver.ts'
import type { Durable } from './durable.ts'
import type { Settled } from './proposal-queue.ts'
import { bufferOf, Proposals } from './proposals.ts'
import { ReadRounds } from './read-rounds.ts'
import type { ReplicaParts, Stopped } from './replica-parts.ts'
import type { Forward } from './transport.ts'

export interface RequestsOptions
  extends Pick<
    ReplicaParts,
    'clock' | 'timers' | 'timing' | 'settings' | 'transport' | 'random' | 'defer' | 'onApplied'
  > {
  readonly raft: Raft
  readonly durable: Durable
  readonly driver: Driver
}

/**
 * What is asked of a replica, from its arrival to its answer: proposals, which are answered when their group is
 * applied, and reads, when their index is. So this is also where entries are applied.
 *
 *     propose → [queue] → group ──leads──▶ core ──▶ applied in one turn → events to the watches → answers
 *                           └──follows──▶ leader
 */
export class Requests {
  readonly #options: RequestsOptions
  readonly #proposals: Proposals
  readonly #reads: ReadRounds
  #turnScheduled = false
  #stopped: Stopped | undefined

  constructor(options: RequestsOptions) {
    this.#options = options
    const { raft, driver, transport, settings, clock, timing } = options
    const origin = options.random(2 ** 47)
    this.#proposals = new Proposals({
      raft,
      transport,
      queue: settings.queue,
      origin,
      wallMs: () => clock.wallMs(),
    })
    this.#reads = new ReadRounds({
      origin: origin.toString(36),
      askAgainMs: timing.electionTicks * timing.tickMs,
      waitMaxMs: timing.waitMaxMs,
      ask: (context) => driver.drive((raft) => raft.readIndex(context)).ok,
      defer: (action) => options.defer(action),
    })
  }

  propose(proposal: Proposal): Promise<Settled> {
    const settled = this.#proposals.push(proposal, this.#options.timers.monotonicMs())
    this.schedule()
    return settled
  }

  readIndex(): Promise<Result<Revision, Unavailable | Corrupt>> {
    return this.#reads.request(this.#options.timers.monotonicMs())
  }

  /** A group that another member has forwarded. True: taken into the log, now or before. */
  takeForward(forward: Forward): boolean {
    return this.#options.driver.drive(() => this.#proposals.takeForward(forward))
  }

  forwardRefused(sequence: number): void {
    this.#proposals.forwardRefused(sequence)
  }

  /** The connection to `id` is new. */
  connected(id: MemberId): void {
    this.#proposals.forwardAgain(id)
    this.#proposals.unblock()
    this.schedule()
  }

  /** The next turn of the event loop proposes what waits then: company can gather. */
  schedule(): void {
    if (this.#turnScheduled || !this.#proposals.isReady || !this.#mayPropose) return
    this.#turnScheduled = true
    this.#options.defer(() => {
      this.#turnScheduled = false
      if (this.#stopped !== undefined) return
      if (this.#mayPropose) this.#proposals.proposeNext()
      this.#options.driver.pump()
    })
  }

  /** A leader's groups gather while a batch is being written; a follower's have nothing to wait for. */
  get #mayPropose(): boolean {
    return !this.#options.driver.isWriting || this.#options.raft.leadership().role !== 'leader'
  }

  /** Applies what a durable batch says is committed, and answers what waited for it. True: the state has changed. */
  applyInTurn({ snapshot, committed, readStates, readsLost }: Ready): boolean {
    if (snapshot !== undefined) {
      this.#proposals.giveUpPending('a snapshot took the place of the log that would tell')
    }
    for (const entry of committed) this.#apply(entry)
    for (const state of readStates) this.#reads.confirm(state)
    for (const context of readsLost) this.#reads.lose(context)
    const { mvcc } = this.#options.durable
    this.#reads.answer(mvcc.appliedIndex, revision(mvcc.state.revision))
    if (committed.length === 0 && snapshot === undefined) return false
    this.#proposals.unblock()
    return true
  }

  #apply(entry: Entry): void {
    const { durable } = this.#options
    const { mvcc } = durable
    if (entry.term !== mvcc.appliedTerm) this.#proposals.leaveBehind(entry.term)
    switch (entry.type) {
      case 'command': {
        const data = bufferOf(entry.data)
        const outcomes = mvcc.applyInTurn(entry.index, entry.term, data)
        this.#proposals.answerInTurn(data, outcomes, mvcc)
        this.#options.onApplied()
        break
      }
      case 'configuration':
        durable.applyConfiguration(entry)
        break
      case 'empty':
        mvcc.skipInTurn(entry.index, entry.term)
    }
  }

  /** Time has passed: what waits is tried again, or has waited too long. */
  tick(nowMs: number): void {
    this.#reads.tick(nowMs)
    this.#proposals.refuseLate(nowMs - this.#options.timing.waitMaxMs)
    this.#proposals.unblock()
  }

  /** Answers everything that waits; what a batch that is being written will decide, only after it. */
  stop(failure: Stopped): void {
    this.#stopped ??= failure
    this.#proposals.refuseWaiting(failure.message)
    if (!this.#options.driver.isWriting) this.giveUpPending()
    this.#reads.refuseAll(failure)
  }

  /** What was given to a leader will not be known here any more. */
  giveUpPending(): void {
    const why = this.#stopped?.message ?? ''
    this.#proposals.giveUpPending(`not known to be committed when the member stopped: ${why}`)
  }
}
