import assert from 'node:assert/strict'
import type { Corrupt, Key, Result, WatchFailure } from '../contract.ts'
import type { Database } from '../disk/database.ts'
import { Recent } from './recent.ts'
import type { State } from './state.ts'
import { readValueInTurn } from './values.ts'
import type { Version } from './version.ts'

/**
 * What reads and watches are served from: the versions, the database with their values, the newest values in memory.
 * When a state comes from another member all three change together:
 *
 *     beginReplace() ── the database may be closed, reads wait ──┬─▶ replace(): they go on with the new state
 *                                                                └─▶ end(): they fail
 */
export class Current {
  readonly #recentBytesMax: number
  #database: Database
  #state: State
  #recent: Recent
  #replacing: { readonly done: Promise<void>; readonly release: () => void } | undefined
  #ended: WatchFailure | undefined

  /** @param recentBytesMax memory for the values of the newest groups */
  constructor(database: Database, state: State, recentBytesMax: number) {
    this.#recentBytesMax = recentBytesMax
    this.#database = database
    this.#state = state
    this.#recent = new Recent(recentBytesMax, state.revision)
  }

  get database(): Database {
    return this.#database
  }

  get state(): State {
    return this.#state
  }

  get recent(): Recent {
    return this.#recent
  }

  /** Why nothing is served any more. */
  get ended(): WatchFailure | undefined {
    return this.#ended
  }

  /** Settles when the replacement that is under way is over; undefined: there is none. */
  get replaced(): Promise<void> | undefined {
    return this.#replacing?.done
  }

  /** What was read from `database` may be cut short, since it is not, or soon not, the one in use. */
  isReplaced(database: Database): boolean {
    return this.#replacing !== undefined || database !== this.#database
  }

  /** Another state is coming: reads wait for it, and the database may be closed. */
  beginReplace(): void {
    let release = (): void => {}
    const done = new Promise<void>((resolve) => {
      release = resolve
    })
    this.#replacing = { done, release }
  }

  /** Puts a newer state in place of this one. */
  replace(database: Database, state: State): void {
    assert(state.revision >= this.#state.revision, 'the state goes forward')
    this.#database = database
    this.#state = state
    this.#recent = new Recent(this.#recentBytesMax, state.revision)
    this.#release()
  }

  /** Nothing is served from here on. */
  end(failure: WatchFailure): void {
    this.#ended = failure
    this.#release()
  }

  #release(): void {
    this.#replacing?.release()
    this.#replacing = undefined
  }

  /** Reads one value, from memory or disk, and checks it. */
  readValueInTurn(key: Key, version: Version): Result<Buffer, Corrupt> {
    return readValueInTurn(this.#database, { key, version })
  }
}
