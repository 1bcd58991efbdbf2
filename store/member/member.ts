import { checkTransaction } from '../check-transaction.ts'
import {
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
  type Transaction,
  type Unavailable,
  type Unknown,
  type Watch,
  type WatchListener,
  type WatchRequest,
} from '../contract.ts'
import type { Proposal } from '../mvcc/command.ts'
import { isVoter, membersOf } from '../raft/configuration.ts'
import type { FinalState } from './data-directory.ts'
import { Duties, type DutySettings } from './duties.ts'
import type { Membership } from './membership.ts'
import type { Settled } from './proposal-queue.ts'
import { Replica } from './replica.ts'
import type { ReplicaParts, Stopped } from './replica-parts.ts'
import type { SnapshotFailure, SnapshotHeader } from './snapshot-file.ts'

export interface MemberParts {
  readonly replica: Omit<
    ReplicaParts,
    'onStop' | 'onDiskFailed' | 'isFailed' | 'onApplied' | 'onMembership' | 'onReachable'
  >
  readonly settings: DutySettings
  /** Runs after the database was closed in good order: the state that it now holds. */
  closed(final: FinalState): Promise<void>
}

/** Versions that one compact proposal removes, about: what may delay the proposals behind it. */
const compactionVersionsMax = 2000

/** One member: the store over its replica, from its start until it stops by itself or is closed. */
export class MemberStore implements Store {
  readonly replica: Replica
  readonly #parts: MemberParts
  readonly #duties: Duties
  readonly #fatalListeners: ((failure: Stopped) => void)[] = []
  #stopped: Stopped | undefined
  /** What is on disk may differ from what is in memory, or from what it should be. */
  #failed = false
  /** Was part of the configuration: to be left out of it means to be removed. */
  #included: boolean
  #closing: Promise<void> | undefined

  constructor(parts: MemberParts) {
    this.#parts = parts
    const { clock, id, loaded, timing, transport } = parts.replica
    this.#included = membersOf(loaded.membership.configuration).includes(id)
    this.replica = new Replica({
      ...parts.replica,
      onStop: (failure) => this.#onStop(failure),
      onDiskFailed: () => {
        this.#failed = true
      },
      isFailed: () => this.#failed,
      onApplied: () => this.#duties.onApplied(),
      onMembership: (membership) => this.#onMembership(membership),
      onReachable: (members, nextId) => transport.setMembers(members, nextId),
    })
    this.#duties = new Duties({
      ...parts.settings,
      clock,
      timing,
      replica: this.replica,
      isServing: () => this.#stopped === undefined,
      compact: (at) => this.compact(revision(at)),
      propose: (proposal) => this.#propose(proposal),
    })
  }

  /** Starts the replica and the timers; settles when the member can serve. */
  async start(): Promise<void> {
    const { transport, loaded } = this.#parts.replica
    transport.setMembers(loaded.membership.members, loaded.membership.nextId)
    await this.replica.start()
    this.#duties.start()
  }

  /** Calls `listener` once when the member stops serving for good: the disk failed or records are corrupt. */
  onFatal(listener: (failure: Stopped) => void): void {
    const stopped = this.#stopped
    // The disk may have failed while the member started.
    if (stopped !== undefined && this.#closing === undefined) queueMicrotask(() => listener(stopped))
    else this.#fatalListeners.push(listener)
  }

  async range(request: RangeRequest): Promise<Result<RangeResponse, ReadFailure>> {
    return this.#stopped === undefined ? this.replica.mvcc.range(request) : fail(this.#stopped)
  }

  async commit(transaction: Transaction): Promise<Result<CommitResponse, CommitFailure>> {
    const checked = checkTransaction(transaction)
    if (!checked.ok) return checked
    if (this.#stopped !== undefined) return fail(this.#stopped)
    const settled = await this.#propose({ type: 'transaction', transaction })
    return settled.code === 'Answer' ? settled.answer : fail(settled)
  }

  watch(request: WatchRequest, listener: WatchListener): Watch {
    return this.replica.mvcc.watch(request, listener)
  }

  async readIndex(): Promise<Result<Revision, Unavailable | Corrupt>> {
    return this.#stopped === undefined ? this.replica.readIndex() : fail(this.#stopped)
  }

  async compact(at: Revision): Promise<Result<void, FutureRevision | Unavailable | Unknown | Corrupt>> {
    if (this.#stopped !== undefined) return fail(this.#stopped)
    const current = this.replica.state.revision
    if (at > current) return fail({ code: 'FutureRevision', requested: at, current: revision(current) })
    // In steps, so that a long history delays the proposals of others by one step at most.
    while (this.replica.state.oldest < at) {
      const step = this.replica.state.compactionStep(at, compactionVersionsMax)
      const settled = await this.#propose({ type: 'compact', revision: step })
      if (settled.code !== 'Answer') return fail(settled)
    }
    return ok(undefined)
  }

  async status(): Promise<Result<StoreStatus, Unavailable | Corrupt>> {
    if (this.#stopped !== undefined) return fail(this.#stopped)
    const { state, times } = this.replica
    return ok({
      revision: revision(state.revision),
      oldest: revision(state.oldest),
      keys: state.liveKeys,
      bytes: state.bytes,
      commits: times.read(),
    })
  }

  /** Saves everything that is applied now. */
  async saveSnapshot(path: string, header: SnapshotHeader): Promise<Result<void, SnapshotFailure>> {
    if (this.#stopped !== undefined) return fail({ code: 'DiskFailed', message: this.#stopped.message })
    const view = await this.replica.stableView()
    if (view === undefined) return fail({ code: 'DiskFailed', message: 'the disk failed' })
    const { dialect, clusterId } = header
    const { writeSnapshotFile } = await import('./snapshot-file.ts')
    const known = clusterId === undefined ? { dialect } : { dialect, clusterId }
    return writeSnapshotFile(path, known, view)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const failure: Unavailable = { code: 'Unavailable', message: 'the store is closed' }
    if (this.#stopped === undefined) await this.#handOver()
    this.#stopped ??= failure
    this.#duties.close()
    await this.#parts.replica.transport.close()
    await this.replica.close(failure, () => {
      this.replica.mvcc.end(failure)
      return !this.#failed
    })
    if (this.#failed) return
    const { revision, digest } = this.replica.state.meta()
    const { lastIndex } = this.#parts.replica.loaded.log
    await this.#parts.closed({ revision, digest, lastIndex })
  }

  /** Saves the others an election, when this member leads them. */
  async #handOver(): Promise<void> {
    const { role, configuration, peers } = this.replica.raft.status()
    if (role !== 'leader') return
    const heir = [...peers]
      .filter(({ id, recentlyActive }) => recentlyActive && isVoter(configuration, id))
      .sort((a, b) => b.match - a.match)[0]
    if (heir === undefined) return
    this.replica.drive((raft) => raft.transferLeadership(heir.id))
    const { timers, timing } = this.#parts.replica
    // After an election timeout the core gives up, too.
    const endMs = timers.monotonicMs() + timing.electionTicks * timing.tickMs
    while (this.replica.raft.leadership().role === 'leader' && timers.monotonicMs() < endMs) {
      await new Promise<void>((resolve) => timers.after(10, resolve))
    }
  }

  #propose(proposal: Proposal): Promise<Settled> {
    if (this.#stopped !== undefined) {
      return Promise.resolve({ code: 'Unavailable', message: this.#stopped.message })
    }
    return this.replica.propose(proposal)
  }

  #onMembership({ configuration }: Membership): void {
    const included = membersOf(configuration).includes(this.#parts.replica.id)
    if (this.#included && !included) {
      this.replica.stop({ code: 'Unavailable', message: 'this member was removed from its cluster' })
    }
    this.#included = included
  }

  #onStop(failure: Stopped): void {
    if (failure.code === 'Corrupt') this.#failed = true
    if (this.#stopped !== undefined) return
    this.#stopped = failure
    this.replica.mvcc.end(failure)
    for (const listener of this.#fatalListeners) listener(failure)
  }
}
