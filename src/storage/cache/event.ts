import type { Key, Revision } from '../../../store/contract.ts'
import type { StoredObject } from '../record.ts'

/** One change as watches see it: the state before and after. At least one of both is there. */
export class CacheEvent {
  readonly revision: Revision
  readonly key: Key
  /** Absent = the object was deleted. */
  readonly object: StoredObject | undefined
  /** Absent = the object is new. */
  readonly previous: StoredObject | undefined
  #departed: StoredObject | undefined

  constructor(
    revision: Revision,
    key: Key,
    object: StoredObject | undefined,
    previous: StoredObject | undefined,
  ) {
    this.revision = revision
    this.key = key
    this.object = object
    this.previous = previous
  }

  /** Either state: namespace and name are the same in both. */
  get subject(): StoredObject {
    const subject = this.object ?? this.previous
    if (subject === undefined) throw new TypeError(`event of ${this.key} without a state`)
    return subject
  }

  /** What a DELETED event shows: the state before, at the revision of this event. */
  get departed(): StoredObject {
    if (this.previous === undefined) throw new TypeError(`${this.key} was not there before ${this.revision}`)
    this.#departed ??= this.previous.at(this.revision)
    return this.#departed
  }

  /** What it adds to memory: an object that only an event holds. */
  get bytes(): number {
    return this.subject.json.length + 256
  }
}
