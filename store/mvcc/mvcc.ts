import assert from 'node:assert/strict'
import {
  type CommitFailure,
  type CommitResponse,
  type Corrupt,
  fail,
  type Key,
  ok,
  type RangeRequest,
  type RangeResponse,
  type ReadFailure,
  type Result,
  revision,
  type Watch,
  type WatchFailure,
  type WatchListener,
  type WatchRequest,
} from '../contract.ts'
import { type Database, describeError, type Write } from '../disk/database.ts'
import { readHistory } from './catch-up.ts'
import { decodeGroup } from './command.ts'
import type { DigestValue } from './digest.ts'
import { ChangeEvents } from './events.ts'
import { encodeMeta, metaKey } from './meta.ts'
import { readRange } from './range.ts'
import { Recent } from './recent.ts'
import { encodeRecordKey } from './record.ts'
import type { Effects, Outcome, State } from './state.ts'
import { readValueInTurn } from './values.ts'
import type { Version } from './version.ts'
import { type LiveWatch, WatchHub } from './watch-hub.ts'

/** A state and the place where its values are. */
export interface MvccContent {
  readonly database: Database
  readonly state: State
  /** Index of the last log entry that the state contains. */
  readonly appliedIndex: number
  /** Its term. */
  readonly appliedTerm: number
}

export interface MvccOptions extends MvccContent {
  /** Memory for the values of the newest groups. */
  readonly recentBytesMax: number
  /** A record on disk did not match its checksum: the member must stop. */
  onCorrupt(failure: Corrupt): void
  /** Runs `action` in a later turn of the event loop. */
  defer(action: () => void): void
  /** A check was applied: the state's hash at this entry. */
  onCheck?(index: number, digest: DigestValue): void
}

/**
 * The state machine with its values, reads and watches. Applying happens in one turn and in memory; the records it
 * makes are taken by the caller (`takeWrites`) into a later durable batch, which may be lost in a crash because the
 * log has them too.
 */
export class Mvcc {
  readonly #options: MvccOptions
  readonly #hub = new WatchHub()
  readonly #catchingUp = new Set<LiveWatch>()
  #content: Pick<MvccContent, 'database'>
  #state: State
  #recent: Recent
  #writes: Write[] = []
  #appliedIndex: number
  #appliedTerm: number
  /** While another state is being put in this one's place; settles when it is there. */
  #replacing: { readonly done: Promise<void>; readonly end: () => void } | undefined
  #ended: WatchFailure | undefined

  constructor(options: MvccOptions) {
    this.#options = options
    this.#content = options
    this.#state = options.state
    this.#recent = new Recent(options.recentBytesMax, options.state.revision)
    this.#appliedIndex = options.appliedIndex
    this.#appliedTerm = options.appliedTerm
  }

  get state(): State {
    return this.#state
  }

  get appliedIndex(): number {
    return this.#appliedIndex
  }

  get appliedTerm(): number {
    return this.#appliedTerm
  }

  /** There are records that no durable batch has taken yet. */
  get hasWrites(): boolean {
    return this.#writes.length > 0
  }

  /**
   * Applies one log entry and delivers its events. The answers stand in the order of the proposals; `data` belongs to
   * the store from here on (values are slices of it).
   */
  applyInTurn(index: number, term: number, data: Buffer): Outcome[] {
    const before = this.#state.revision
    const effects: Effects = { changes: [], removals: [] }
    const { proposals } = decodeGroup(data)
    const outcomes = proposals.map((proposal) => this.#state.apply(proposal, effects))
    this.skipInTurn(index, term)
    if (proposals[0]?.type === 'check') this.#options.onCheck?.(index, this.#state.meta().digest)
    for (const { version, content } of effects.changes) {
      this.#writes.push({ type: 'put', key: encodeRecordKey(version), value: content })
    }
    for (const version of effects.removals) {
      this.#writes.push({ type: 'del', key: encodeRecordKey(version) })
    }
    this.#recent.push(this.#state.revision, effects.changes, data.length)
    if (this.#state.revision > before && this.#hub.size > 0) {
      const events = effects.changes.map((change) => this.#events(change))
      this.#hub.publish(revision(this.#state.revision), events)
    }
    return outcomes
  }

  /** The entry changed nothing but the place in the log. */
  skipInTurn(index: number, term: number): void {
    this.#appliedIndex = index
    this.#appliedTerm = term
  }

  /** Records, removals and the meta record since the last call. Once they are durable, call `written()`. */
  takeWrites(): Write[] {
    const writes = this.#writes
    this.#writes = []
    writes.push({
      type: 'put',
      key: metaKey,
      value: encodeMeta({
        ...this.#state.meta(),
        appliedIndex: this.#appliedIndex,
        appliedTerm: this.#appliedTerm,
      }),
    })
    return writes
  }

  /** Everything applied until the last `takeWrites` is on disk; nothing was applied since. */
  written(): void {
    this.#recent.written()
  }

  /** The answer to a transaction. In the turn of its `applyInTurn`: a failed guard's value may be compacted later. */
  answerInTurn(outcome: Outcome): Result<CommitResponse, CommitFailure> {
    if (outcome.code === 'Applied') return ok({ revision: revision(outcome.revision) })
    const { key, current } = outcome
    const expected = revision(outcome.expected)
    const at = revision(outcome.revision)
    if (current === undefined) return fail({ code: 'GuardFailed', key, expected, revision: at })
    const read = this.#readValue(key, current)
    if (!read.ok) {
      this.#options.onCorrupt(read.failure)
      return read
    }
    const found = { key, value: read.value, modRevision: revision(current.revision) }
    return fail({ code: 'GuardFailed', key, expected, current: found, revision: at })
  }

  async range(request: RangeRequest): Promise<Result<RangeResponse, ReadFailure>> {
    await this.#replacing?.done
    const { database } = this.#content
    const result = await readRange(this.#state, database, request)
    if (result.ok || result.failure.code !== 'Corrupt') return result
    // The state was replaced under the read: read the new one.
    if (this.#isReplaced(database)) return this.range(request)
    // A database that was closed meanwhile cannot be read either.
    if (this.#ended !== undefined) return fail(this.#ended)
    this.#options.onCorrupt(result.failure)
    return result
  }

  /** Starts a watch. Its first batch, or its end, comes in a later turn. */
  watch(request: WatchRequest, listener: WatchListener): Watch {
    const watch: LiveWatch = { range: request, previous: request.previous === true, listener }
    const from = request.from
    if (this.#ended === undefined && from === this.#state.revision + 1) {
      this.#hub.add(watch)
    } else {
      this.#catchingUp.add(watch)
      this.#options.defer(() => void this.#catchUp(watch, from))
    }
    return {
      close: () => {
        this.#hub.delete(watch)
        this.#catchingUp.delete(watch)
      },
    }
  }

  /** Ends every watch, and those that will be asked for. */
  endWatches(failure: WatchFailure): void {
    this.#ended = failure
    this.#hub.endAll(failure)
    for (const watch of [...this.#catchingUp]) this.#end(watch, failure)
  }

  /** Another state is coming: reads wait for it, and the database may be closed. */
  beginReplace(): void {
    let end = (): void => {}
    const done = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#replacing = { done, end }
  }

  /**
   * Puts a newer state in place of this one. Watches go on from where they are, through its history; those that need
   * more than it has end as Compacted.
   */
  replace({ database, state, appliedIndex, appliedTerm }: MvccContent): void {
    assert(state.revision >= this.#state.revision, 'the state goes forward')
    const from = this.#state.revision + 1
    this.#content = { database }
    this.#state = state
    this.#recent = new Recent(this.#options.recentBytesMax, state.revision)
    this.#writes = []
    this.skipInTurn(appliedIndex, appliedTerm)
    this.#replacing?.end()
    this.#replacing = undefined
    for (const watch of this.#hub.takeAll()) {
      this.#catchingUp.add(watch)
      this.#options.defer(() => void this.#catchUp(watch, from))
    }
  }

  /**
   * Brings a watch from `from` to the present: from disk as long as it is behind what memory holds, then from memory
   * and, in the same turn, among the live ones.
   */
  async #catchUp(watch: LiveWatch, first: number): Promise<void> {
    let from = first
    for (;;) {
      await this.#replacing?.done
      if (!this.#catchingUp.has(watch)) return
      const refused = this.#refusal(from)
      if (refused !== undefined) {
        this.#end(watch, refused)
        return
      }
      if (from > this.#recent.floor) {
        this.#goLive(watch, from)
        return
      }
      from = await this.#catchUpFromDisk(watch, from, this.#recent.floor)
    }
  }

  #isReplaced(database: Database): boolean {
    return this.#replacing !== undefined || database !== this.#content.database
  }

  #refusal(from: number): WatchFailure | undefined {
    const { revision: current, oldest } = this.#state
    if (this.#ended !== undefined) return this.#ended
    if (from > current + 1) {
      return { code: 'FutureRevision', requested: revision(from), current: revision(current) }
    }
    if (from <= oldest) return { code: 'Compacted', requested: revision(from), oldest: revision(oldest) }
    return undefined
  }

  /** Returns the revision to go on from. */
  async #catchUpFromDisk(watch: LiveWatch, first: number, to: number): Promise<number> {
    let from = first
    const { database } = this.#content
    const view = database.view()
    try {
      const history = readHistory(this.#state, view, watch, from, to, (key, version) =>
        this.#readValue(key, version),
      )
      for await (const batch of history) {
        if (!this.#catchingUp.has(watch) || this.#refusal(from) !== undefined) break
        // What is read of a database that was replaced meanwhile may be cut short: the new one goes on.
        if (this.#isReplaced(database)) break
        if (!batch.ok) {
          this.#options.onCorrupt(batch.failure)
          this.#end(watch, batch.failure)
          break
        }
        watch.listener.onBatch({ revision: revision(batch.value.revision), events: batch.value.events })
        from = batch.value.revision + 1
      }
    } catch (error) {
      // Ended or replaced meanwhile: the database was closed under the scan.
      if (this.#catchingUp.has(watch) && !this.#isReplaced(database)) {
        const message = `cannot be read: ${describeError(error)}`
        this.#options.onCorrupt({ code: 'Corrupt', where: `records from revision ${from}`, message })
      }
    } finally {
      await view.close()
    }
    return from
  }

  #goLive(watch: LiveWatch, from: number): void {
    this.#catchingUp.delete(watch)
    this.#hub.add(watch)
    if (from > this.#state.revision) return
    const { start, end } = watch.range
    const changes = [...this.#recent.since(from)].filter(({ key }) => key >= start && key < end)
    const events = changes.map((change) => this.#events(change).event(watch.previous))
    // Reading a value before may have found it corrupt, and ended this watch with the rest.
    if (this.#ended === undefined)
      watch.listener.onBatch({ revision: revision(this.#state.revision), events })
  }

  #end(watch: LiveWatch, failure: WatchFailure): void {
    if (this.#catchingUp.delete(watch)) watch.listener.onEnd(failure)
  }

  #events(change: { key: Key; version: Version; previous: Version | undefined }): ChangeEvents {
    return new ChangeEvents(
      change,
      (key, version) => this.#readValue(key, version),
      (failure) => this.#options.onCorrupt(failure),
    )
  }

  #readValue(key: Key, version: Version): Result<Buffer, Corrupt> {
    return readValueInTurn(this.#content.database, { key, version })
  }
}
