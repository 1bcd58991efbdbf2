import { type Corrupt, type Key, type KeyValue, type Result, revision, type StoreEvent } from '../contract.ts'
import type { Change } from './state.ts'
import type { Version } from './version.ts'

/** Reads the value of a version in this turn. */
export type ReadValue = (key: Key, version: Version) => Result<Buffer, Corrupt>

/** A change as the events that watches see; each form is made once and shared. */
export class ChangeEvents {
  readonly key: Key
  readonly #change: Pick<Change, 'key' | 'version' | 'previous'>
  readonly #read: ReadValue
  readonly #onCorrupt: (failure: Corrupt) => void
  #plain: StoreEvent | undefined
  #withPrevious: StoreEvent | undefined

  constructor(
    change: Pick<Change, 'key' | 'version' | 'previous'>,
    read: ReadValue,
    onCorrupt: (failure: Corrupt) => void,
  ) {
    this.key = change.key
    this.#change = change
    this.#read = read
    this.#onCorrupt = onCorrupt
  }

  event(previous: boolean): StoreEvent {
    this.#plain ??= this.#makePlain()
    if (!previous || this.#change.previous === undefined) return this.#plain
    this.#withPrevious ??= { ...this.#plain, previous: this.#makePrevious(this.#change.previous) }
    return this.#withPrevious
  }

  #makePlain(): StoreEvent {
    const { key, version } = this.#change
    const at = revision(version.revision)
    if (version.tombstone) return { type: 'delete', key, revision: at }
    return { type: 'put', key, revision: at, value: this.#value(version) }
  }

  #makePrevious(version: Version): KeyValue {
    return { key: this.key, value: this.#value(version), modRevision: revision(version.revision) }
  }

  #value(version: Version): Buffer {
    const read = this.#read(this.key, version)
    if (read.ok) return read.value
    this.#onCorrupt(read.failure)
    return Buffer.alloc(0)
  }
}
