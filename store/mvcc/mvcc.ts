import {
  type CommitFailure,
  type CommitResponse,
  type Corrupt,
  fail,
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
import type { Database, Write } from '../disk/database.ts'
import { decodeGroup } from './command.ts'
import { Current } from './current.ts'
import type { DigestValue } from './digest.ts'
import type { LoadedState } from './load.ts'
import { encodeMeta, metaKey } from './meta.ts'
import { readRange } from './range.ts'
import { encodeRecordKey } from './record.ts'
import type { Effects, Outcome, State } from './state.ts'
import { Watches } from './watches.ts'

/** A state and the place where its values are. */
export interface StateInPlace extends LoadedState {
  readonly database: Database
}

export interface MvccOptions extends StateInPlace {
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
  readonly #current: Current
  readonly #watches: Watches
  #writes: Write[] = []
  #appliedIndex: number
  #appliedTerm: number

  constructor(options: MvccOptions) {
    this.#options = options
    this.#current = new Current(options.database, options.state, options.recentBytesMax)
    this.#watches = new Watches({
      current: this.#current,
      defer: (action) => options.defer(action),
      onCorrupt: (failure) => options.onCorrupt(failure),
    })
    this.#appliedIndex = options.appliedIndex
    this.#appliedTerm = options.appliedTerm
  }

  get state(): State {
    return this.#current.state
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
    const { state, recent } = this.#current
    const before = state.revision
    const effects: Effects = { changes: [], removals: [] }
    const { proposals } = decodeGroup(data)
    const outcomes = proposals.map((proposal) => state.apply(proposal, effects))
    this.skipInTurn(index, term)
    if (proposals[0]?.type === 'check') this.#options.onCheck?.(index, state.meta().digest)
    for (const { version, content } of effects.changes) {
      this.#writes.push({ type: 'put', key: encodeRecordKey(version), value: content })
    }
    for (const version of effects.removals) {
      this.#writes.push({ type: 'del', key: encodeRecordKey(version) })
    }
    recent.push(state.revision, effects.changes, data.length)
    if (state.revision > before) this.#watches.publish(effects.changes)
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
        ...this.state.meta(),
        appliedIndex: this.#appliedIndex,
        appliedTerm: this.#appliedTerm,
      }),
    })
    return writes
  }

  /** Everything applied until the last `takeWrites` is on disk; nothing was applied since. */
  written(): void {
    this.#current.recent.written()
  }

  /** The answer to a transaction. In the turn of its `applyInTurn`: a failed guard's value may be compacted later. */
  answerInTurn(outcome: Outcome): Result<CommitResponse, CommitFailure> {
    if (outcome.code === 'Applied') return ok({ revision: revision(outcome.revision) })
    const { key, current } = outcome
    const expected = revision(outcome.expected)
    const at = revision(outcome.revision)
    if (current === undefined) return fail({ code: 'GuardFailed', key, expected, revision: at })
    const read = this.#current.readValueInTurn(key, current)
    if (!read.ok) {
      this.#options.onCorrupt(read.failure)
      return read
    }
    const found = { key, value: read.value, modRevision: revision(current.revision) }
    return fail({ code: 'GuardFailed', key, expected, current: found, revision: at })
  }

  /** As `range` of the contract. Waits while another state is put in place of this one. */
  async range(request: RangeRequest): Promise<Result<RangeResponse, ReadFailure>> {
    const current = this.#current
    await current.replaced
    if (current.ended !== undefined) return fail(current.ended)
    const { database, state } = current
    const result = await readRange(state, database, request)
    if (result.ok || result.failure.code !== 'Corrupt') return result
    // The state was replaced under the read: read the new one.
    if (current.isReplaced(database)) return this.range(request)
    // A database that was closed meanwhile cannot be read either.
    if (current.ended !== undefined) return fail(current.ended)
    this.#options.onCorrupt(result.failure)
    return result
  }

  /** Starts a watch. Its first batch, or its end, comes in a later turn. */
  watch(request: WatchRequest, listener: WatchListener): Watch {
    return this.#watches.open(request, listener)
  }

  /** Ends every watch and those that will be asked for, and the reads that wait for a replacement. */
  end(failure: WatchFailure): void {
    this.#current.end(failure)
    this.#watches.endAll(failure)
  }

  /** Another state is coming: reads wait for it, and the database may be closed. */
  beginReplace(): void {
    this.#current.beginReplace()
  }

  /**
   * Puts a newer state in place of this one. Watches go on from where they are, through its history; those that need
   * more than it has end as Compacted.
   */
  replace({ database, state, appliedIndex, appliedTerm }: StateInPlace): void {
    const from = this.state.revision + 1
    this.#current.replace(database, state)
    this.#writes = []
    this.skipInTurn(appliedIndex, appliedTerm)
    this.#watches.catchUpAll(from)
  }
}
