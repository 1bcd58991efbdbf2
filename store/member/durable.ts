import type { Corrupt } from '../contract.ts'
import type { Database, DatabaseView, Write } from '../disk/database.ts'
import type { Log } from '../log/log.ts'
import type { DigestValue } from '../mvcc/digest.ts'
import { Mvcc } from '../mvcc/mvcc.ts'
import { decodeConfiguration } from '../raft/configuration.ts'
import type { Ready } from '../raft/ready.ts'
import { createLogTail, type LogTail } from '../raft/tail.ts'
import { type Entry, type HardState, logIndex, type Snapshot, term } from '../raft/types.ts'
import { CommitTimesRecorder } from './commit-times.ts'
import {
  encodeMembership,
  type MemberRecord,
  type Membership,
  membershipKey,
  nextMembership,
} from './membership.ts'
import { countProposals } from './proposals.ts'
import type { ReplicaParts, Stopped } from './replica-parts.ts'

/** While a state is streamed to a member, and after it, the log it needs next is kept up to so many times the bounds. */
const streamingLogFactor = 8
const streamingLogMs = 60_000

export interface DurableEvents {
  onCorrupt(failure: Corrupt): void
  onCheck(index: number, digest: DigestValue): void
  /** The disk refused, or a state could not be installed: nothing more is written. */
  onFailed(failure: Stopped): void
}

type DurableParts = Pick<
  ReplicaParts,
  | 'id'
  | 'database'
  | 'loaded'
  | 'settings'
  | 'timers'
  | 'installation'
  | 'defer'
  | 'onReachable'
  | 'onMembership'
>

/** Log, state and membership of one member, in memory and in the one database that holds them together. */
export class Durable {
  readonly times = new CommitTimesRecorder()
  readonly mvcc: Mvcc
  readonly tail: LogTail
  readonly #parts: DurableParts
  readonly #events: DurableEvents
  readonly #log: Log
  #database: Database
  #membership: Membership
  /** The membership record on disk is older than the applied one. */
  #membershipDirty = false
  /** The state on disk, as a snapshot of it would be named. */
  #stored: Snapshot
  #streamingUntilMs = Number.NEGATIVE_INFINITY

  constructor(parts: DurableParts, events: DurableEvents) {
    this.#parts = parts
    this.#events = events
    const { loaded, database, settings } = parts
    this.#database = database
    this.#log = loaded.log
    this.#membership = loaded.membership
    this.mvcc = new Mvcc({
      database,
      state: loaded.state,
      appliedIndex: loaded.appliedIndex,
      appliedTerm: loaded.appliedTerm,
      recentBytesMax: settings.recentBytesMax,
      defer: (action) => parts.defer(action),
      onCorrupt: events.onCorrupt,
      onCheck: events.onCheck,
    })
    this.#stored = this.#point()
    this.tail = createLogTail({
      initial: {
        hardState: loaded.log.hardState,
        applied: logIndex(loaded.appliedIndex),
        configuration: loaded.membership.configuration,
      },
      before: { ...loaded.log.before, index: logIndex(loaded.log.before.index) },
      entries: loaded.entries,
      snapshot: () => (this.#stored.index > 0 ? this.#stored : undefined),
    })
  }

  get membership(): Membership {
    return this.#membership
  }

  /** Notes a commit index that need not be durable: it goes with the next batch. */
  note(hardState: HardState): void {
    this.#log.note(hardState)
  }

  /** Makes a batch durable, with the records of earlier entries. False: failed, and said so. */
  async persist(ready: Ready): Promise<boolean> {
    if (ready.snapshot !== undefined) return this.#install(ready, ready.snapshot)
    const { timers } = this.#parts
    const { hardState = this.#log.hardState, entries } = ready
    const point = this.#point()
    const writes = this.#takeWrites()
    for (const write of this.#log.append(entries, hardState)) writes.push(write)
    const startedMs = timers.monotonicMs()
    for (const write of this.#log.truncate(this.mvcc.appliedIndex, this.#logBounds(startedMs)))
      writes.push(write)
    if (!(await this.write(writes))) return false
    const transactions = countProposals(entries)
    if (transactions > 0) this.times.record((timers.monotonicMs() - startedMs) / 1000, transactions)
    this.#stored = point
    this.mvcc.written()
    return true
  }

  /** Memory follows the disk. */
  persisted({ entries }: Ready): void {
    if (entries.length === 0) return
    this.tail.append(entries)
    this.tail.compact(logIndex(this.#log.before.index))
    for (const entry of entries) if (entry.type === 'configuration') this.#reach(entry)
  }

  applyConfiguration({ index, term, data }: Entry): void {
    this.mvcc.skipInTurn(index, term)
    const { configuration, context } = decodeConfiguration(data)
    this.#membership = nextMembership(this.#membership, configuration, context)
    this.#membershipDirty = true
    this.#parts.onReachable(this.#membership.members, this.#membership.nextId)
    this.#parts.onMembership(this.#membership)
  }

  /**
   * Writes what is applied, without a batch to take it along. Synced, like every write: LevelDB syncs the last file of
   * its log only, so that an unsynced write could be lost with the power while a later one is found.
   */
  async flush(): Promise<void> {
    const point = this.#point()
    if (!(await this.write(this.#takeWrites()))) return
    this.#stored = point
    this.mvcc.written()
  }

  /** The state as it is on disk now. */
  view(): DatabaseView {
    return this.#database.view()
  }

  /** A state is being streamed, or was just: its receiver needs the log after it. */
  keepLogLonger(): void {
    this.#streamingUntilMs = this.#parts.timers.monotonicMs() + streamingLogMs
  }

  async close(writes: boolean): Promise<void> {
    if (writes) await this.write(this.#takeWrites())
    await this.#database.close()
  }

  async write(writes: readonly Write[]): Promise<boolean> {
    try {
      await this.#database.write(writes, { sync: true })
      return true
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const message = `the disk failed, the member has stopped: ${reason}`
      this.#events.onFailed({ code: 'Unavailable', message })
      return false
    }
  }

  /** Puts the state that came with a snapshot in place of this one. */
  async #install(ready: Ready, snapshot: Snapshot): Promise<boolean> {
    const { hardState = this.#log.hardState, entries } = ready
    this.mvcc.beginReplace()
    const writes = this.#log.restart({ index: snapshot.index, term: snapshot.term }, entries, hardState)
    const installed = await this.#parts.installation.install(this.#database, writes)
    if (!installed.ok) {
      this.#events.onFailed(installed.failure)
      return false
    }
    const { database, state, appliedIndex, appliedTerm, membership } = installed.value
    this.#database = database
    // A state from before this member was added: what it was told when it joined is newer.
    const older = membership.nextId < this.#membership.nextId
    this.#membership = older ? { ...this.#membership, configuration: membership.configuration } : membership
    this.#membershipDirty = older
    this.#parts.onReachable(this.#membership.members, this.#membership.nextId)
    this.mvcc.replace({ database, state, appliedIndex, appliedTerm })
    this.#stored = this.#point()
    this.tail.reset(snapshot)
    this.#parts.onMembership(this.#membership)
    return true
  }

  /** In the log, maybe not for good: who is new in it must be reachable already. */
  #reach({ data }: Entry): void {
    const { configuration, context } = decodeConfiguration(data)
    const { members, nextId } = nextMembership(this.#membership, configuration, context)
    const staying = (record: MemberRecord): boolean => members.every(({ id }) => id !== record.id)
    this.#parts.onReachable([...this.#membership.members.filter(staying), ...members], nextId)
  }

  #logBounds(nowMs: number) {
    const { keptEntriesMax, keptBytesMax } = this.#parts.settings.log
    const factor = nowMs < this.#streamingUntilMs ? streamingLogFactor : 1
    return { keptEntriesMax: keptEntriesMax * factor, keptBytesMax: keptBytesMax * factor }
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
}
