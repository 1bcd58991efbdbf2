import {
  type Clock,
  type CommitFailure,
  type CommitResponse,
  type Corrupt,
  type FutureRevision,
  fail,
  ok,
  type RangeRequest,
  type RangeResponse,
  type ReadFailure,
  type Result,
  type Revision,
  revision,
  type Store,
  type StoreStatus,
  type Timer,
  type Transaction,
  type Unavailable,
  type Unknown,
  type Watch,
  type WatchListener,
  type WatchRequest,
} from '../contract.ts'
import type { Database, Write } from '../disk/database.ts'
import type { Log, LogBounds } from '../log/log.ts'
import { encodeGroup, type Proposal } from '../mvcc/command.ts'
import type { DigestValue } from '../mvcc/digest.ts'
import { Mvcc } from '../mvcc/mvcc.ts'
import type { State } from '../mvcc/state.ts'
import { type Entry, logIndex, shifted, term } from '../raft/types.ts'
import { checkTransaction } from './check-transaction.ts'
import { CommitTimesRecorder } from './commit-times.ts'
import { ProposalQueue, type QueueBounds, type Settled, type Waiting } from './proposal-queue.ts'
import { Repeating, RevisionTimes } from './timers.ts'

export interface MemberSettings {
  /** How long history is kept at least; compaction follows within a tenth of it. */
  readonly historyMs: number
  /** Versions kept for history at most: beyond it history gets shorter than `historyMs`. About 150 bytes each. */
  readonly historyVersionsMax: number
  readonly recentBytesMax: number
  readonly queue: QueueBounds
  readonly log: LogBounds
}

export interface MemberParts {
  readonly database: Database
  readonly state: State
  readonly appliedIndex: number
  readonly log: Log
  /** Entries after `appliedIndex`: committed, since this member alone decides. */
  readonly unapplied: readonly Entry[]
  readonly clock: Clock
  readonly settings: MemberSettings
  /** Runs after the database was closed in good order: the state that it now holds. */
  closed(final: FinalState): Promise<void>
}

/** What a data directory holds after a clean stop. */
export interface FinalState {
  readonly revision: number
  readonly digest: DigestValue
  readonly lastIndex: number
}

export type Stopped = Corrupt | Unavailable

const expiryPeriodMs = 1000
/** Records wait at most this long for a durable batch to take them along before they are written without one. */
const flushDelayMs = 100
/** Versions that one compact proposal removes, about: what may delay the proposals behind it. */
const compactionVersionsMax = 2000

/**
 * One member, alone: proposals that wait together become one log entry and one durable batch, are applied in one turn
 * and answered. The batch takes along the records that earlier entries made.
 *
 *     propose → [queue] → entry → durable batch (records of earlier entries, log, hard state; one sync)
 *             → apply in one turn → events to the watches → answers
 *
 * With peers, consensus stands between the batch and applying: entries come from its `ready`, are sent after the same
 * durable batch, and are applied when they are committed rather than at once.
 */
export class MemberStore implements Store {
  readonly #parts: MemberParts
  readonly #mvcc: Mvcc
  readonly #queue: ProposalQueue
  readonly #times = new CommitTimesRecorder()
  readonly #revisionTimes: RevisionTimes
  readonly #compaction: Repeating
  readonly #expiry: Repeating
  readonly #fatalListeners: ((failure: Stopped) => void)[] = []
  #stopped: Stopped | undefined
  /** What is on disk may differ from what is in memory. */
  #failed = false
  /** History is being shortened because it is too long, whatever its age. */
  #relieving = false
  #closing: Promise<void> | undefined
  /** The turn under way or scheduled, if any. */
  #turn: Promise<void> | undefined
  #flush: Timer | undefined

  constructor(parts: MemberParts) {
    this.#parts = parts
    const { clock, settings } = parts
    this.#mvcc = new Mvcc({
      database: parts.database,
      state: parts.state,
      appliedIndex: parts.appliedIndex,
      recentBytesMax: settings.recentBytesMax,
      onCorrupt: (failure) => this.#stop(failure),
    })
    this.#queue = new ProposalQueue(settings.queue)
    this.#revisionTimes = new RevisionTimes(settings.historyMs)
    this.#compaction = new Repeating(clock, Math.min(10_000, settings.historyMs / 10), () =>
      this.#compactDue(),
    )
    this.#expiry = new Repeating(clock, expiryPeriodMs, () => this.#expireDue())
  }

  /** Applies what the log has beyond the state and starts the timers. */
  start(): void {
    for (const entry of this.#parts.unapplied) this.#applyInTurn(entry)
    this.#revisionTimes.mark(this.#parts.clock.monotonicMs(), this.#mvcc.state.revision)
    this.#compaction.start()
    this.#expiry.start()
  }

  /** Calls `listener` once when the member stops serving for good: the disk failed or records are corrupt. */
  onFatal(listener: (failure: Stopped) => void): void {
    this.#fatalListeners.push(listener)
  }

  async range(request: RangeRequest): Promise<Result<RangeResponse, ReadFailure>> {
    return this.#stopped === undefined ? this.#mvcc.range(request) : fail(this.#stopped)
  }

  async commit(transaction: Transaction): Promise<Result<CommitResponse, CommitFailure>> {
    const checked = checkTransaction(transaction)
    if (!checked.ok) return checked
    if (this.#stopped !== undefined) return fail(this.#stopped)
    const settled = await this.#propose({ type: 'transaction', transaction })
    return settled.code === 'Answer' ? settled.answer : fail(settled)
  }

  watch(request: WatchRequest, listener: WatchListener): Watch {
    return this.#mvcc.watch(request, listener)
  }

  async readIndex(): Promise<Result<Revision, Unavailable | Corrupt>> {
    // Alone, a member acknowledges nothing that it has not applied.
    return this.#stopped === undefined ? ok(revision(this.#mvcc.state.revision)) : fail(this.#stopped)
  }

  async compact(at: Revision): Promise<Result<void, FutureRevision | Unavailable | Unknown | Corrupt>> {
    const { state } = this.#mvcc
    if (this.#stopped !== undefined) return fail(this.#stopped)
    if (at > state.revision) {
      return fail({ code: 'FutureRevision', requested: at, current: revision(state.revision) })
    }
    // In steps, so that a long history delays the proposals of others by one step at most.
    while (state.oldest < at) {
      const step = state.compactionStep(at, compactionVersionsMax)
      const settled = await this.#propose({ type: 'compact', revision: step })
      if (settled.code !== 'Answer') return fail(settled)
    }
    return ok(undefined)
  }

  async status(): Promise<Result<StoreStatus, Unavailable | Corrupt>> {
    if (this.#stopped !== undefined) return fail(this.#stopped)
    const { state } = this.#mvcc
    return ok({
      revision: revision(state.revision),
      oldest: revision(state.oldest),
      keys: state.liveKeys,
      bytes: state.bytes,
      commits: this.#times.read(),
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#stopped ??= { code: 'Unavailable', message: 'the store is closed' }
    this.#refuseWaiting()
    this.#compaction.close()
    this.#expiry.close()
    this.#flush?.cancel()
    await this.#turn
    this.#mvcc.endWatches({ code: 'Unavailable', message: 'the store is closed' })
    const { database, log } = this.#parts
    if (!this.#failed) await this.#write(this.#mvcc.takeWrites())
    await database.close()
    if (this.#failed) return
    const { revision, digest } = this.#mvcc.state.meta()
    await this.#parts.closed({ revision, digest, lastIndex: log.lastIndex })
  }

  async #propose(proposal: Proposal): Promise<Settled> {
    const stopped = this.#stopped
    if (stopped !== undefined) {
      return { code: 'Unavailable', message: stopped.message }
    }
    const settled = this.#queue.push(proposal)
    this.#turn ??= this.#runTurns()
    return settled
  }

  /** Runs groups until nothing waits. Each begins in a fresh turn of the event loop, so that company can gather. */
  async #runTurns(): Promise<void> {
    do {
      await new Promise((resolve) => setImmediate(resolve))
      await this.#runGroup()
    } while (this.#queue.length > 0)
    this.#turn = undefined
    this.#scheduleFlush()
  }

  async #runGroup(): Promise<void> {
    const group = this.#queue.take()
    if (group.length === 0) return
    const { clock, log } = this.#parts
    const entry = this.#entryOf(group)
    const writes = this.#mvcc.takeWrites()
    for (const write of log.append([entry], { ...log.hardState, commit: entry.index })) writes.push(write)
    for (const write of log.truncate(this.#mvcc.appliedIndex, this.#parts.settings.log)) writes.push(write)
    const started = clock.monotonicMs()
    if (!(await this.#write(writes))) {
      const message = `the durable batch failed: ${this.#stopped?.message ?? 'stopped'}`
      for (const waiting of group) waiting.settle({ code: 'Unknown', message })
      return
    }
    this.#times.record((clock.monotonicMs() - started) / 1000, group.length)
    this.#mvcc.written()
    const outcomes = this.#applyInTurn(entry)
    for (const [i, waiting] of group.entries()) {
      const outcome = outcomes[i]
      if (outcome !== undefined) waiting.settle({ code: 'Answer', answer: this.#mvcc.answerInTurn(outcome) })
    }
    this.#relieve()
  }

  #entryOf(group: readonly Waiting[]): Entry {
    const { clock, log } = this.#parts
    const data = encodeGroup(
      group.map(({ proposal }) => proposal),
      Math.floor(clock.wallMs()),
    )
    // Alone there is one term: nobody else could have led another.
    return { index: shifted(logIndex(log.lastIndex), 1), term: term(1), type: 'command', data }
  }

  #applyInTurn(entry: Entry) {
    if (entry.type === 'command')
      return this.#mvcc.applyInTurn(
        entry.index,
        Buffer.from(entry.data.buffer, entry.data.byteOffset, entry.data.byteLength),
      )
    this.#mvcc.skipInTurn(entry.index)
    return []
  }

  /** False when the disk refused: the member has stopped. */
  async #write(writes: readonly Write[], sync = true): Promise<boolean> {
    try {
      await this.#parts.database.write(writes, { sync })
      return true
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#stop({ code: 'Unavailable', message: `the disk failed, the member has stopped: ${reason}` })
      return false
    }
  }

  /** Bounds how much a restart has to apply again, when no further proposal takes the records along. */
  #scheduleFlush(): void {
    if (this.#flush !== undefined || this.#stopped !== undefined || !this.#mvcc.hasWrites) return
    this.#flush = this.#parts.clock.after(flushDelayMs, () => {
      this.#flush = undefined
      if (this.#turn !== undefined || this.#stopped !== undefined || !this.#mvcc.hasWrites) return
      this.#turn = this.#flushNow()
    })
  }

  async #flushNow(): Promise<void> {
    if (await this.#write(this.#mvcc.takeWrites(), false)) this.#mvcc.written()
    this.#turn = undefined
    if (this.#queue.length > 0) this.#turn = this.#runTurns()
  }

  async #compactDue(): Promise<void> {
    const { state } = this.#mvcc
    const { clock, settings } = this.#parts
    const byTime = this.#revisionTimes.mark(clock.monotonicMs(), state.revision)
    const target = Math.max(byTime, state.compactionForBound(settings.historyVersionsMax))
    if (target > state.oldest && this.#stopped === undefined) await this.compact(revision(target))
  }

  /** Keeps memory bounded between two ticks of the timer, when writes come faster than history may grow. */
  #relieve(): void {
    const { state } = this.#mvcc
    const max = this.#parts.settings.historyVersionsMax
    if (this.#relieving || this.#stopped !== undefined || state.historyVersions <= max * 1.25) return
    this.#relieving = true
    void this.compact(revision(state.compactionForBound(max))).then(() => {
      this.#relieving = false
    })
  }

  async #expireDue(): Promise<void> {
    while (this.#stopped === undefined) {
      const keys = this.#mvcc.state.due(this.#parts.clock.wallMs())
      if (keys.length === 0) return
      const settled = await this.#propose({ type: 'expire', keys })
      if (settled.code !== 'Answer') return
    }
  }

  #refuseWaiting(): void {
    const message = this.#stopped?.message ?? ''
    for (const waiting of this.#queue.takeAll()) waiting.settle({ code: 'Unavailable', message })
  }

  #stop(failure: Stopped): void {
    this.#failed = true
    if (this.#stopped !== undefined) return
    this.#stopped = failure
    this.#refuseWaiting()
    this.#mvcc.endWatches(failure)
    for (const listener of this.#fatalListeners) listener(failure)
  }
}
