import type { MemberId, Term } from '../raft/types.ts'
import type { Waiting } from './proposal-queue.ts'

/** A group that was given to a leader, and is not known to be applied. */
export interface PendingGroup {
  readonly sequence: number
  /** Only the leader of this term can put it into the log. */
  readonly term: Term
  readonly group: readonly Waiting[]
  /** Where it was forwarded to; undefined: proposed here. */
  readonly forwarded: Forwarded | undefined
}

export interface Forwarded {
  readonly to: MemberId
  readonly data: Buffer
  /** Sent again over a new connection: that one copy is refused says nothing of the other. */
  repeated: boolean
}

/**
 * Groups whose fate the log will tell. A group of term T is in the log at an entry of term T, or nowhere: once an entry
 * of a later term is applied, a group that was not seen before it has certainly not happened (thesis 3.4: terms do not
 * fall along the log).
 */
export class PendingGroups {
  /** By rising sequence; few. (No map: see store/slots.ts.) */
  #groups: PendingGroup[] = []

  get size(): number {
    return this.#groups.length
  }

  add(group: PendingGroup): void {
    this.#groups.push(group)
  }

  /** Refused where it was forwarded to; undefined when that does not mean that it was not taken. */
  takeRefused(sequence: number): PendingGroup | undefined {
    const at = this.#placeOf(sequence)
    return this.#groups[at]?.forwarded?.repeated === true ? undefined : this.#takeAt(at)
  }

  take(sequence: number): PendingGroup | undefined {
    return this.#takeAt(this.#placeOf(sequence))
  }

  /** Those that an entry of `term` leaves behind. */
  takeBefore(term: Term): PendingGroup[] {
    return this.#takeWhere((group) => group.term < term)
  }

  /** Those whose first proposal began to wait before `sinceMs`. */
  takeOlder(sinceMs: number): PendingGroup[] {
    return this.#takeWhere(({ group }) => (group[0]?.sinceMs ?? 0) < sinceMs)
  }

  takeAll(): PendingGroup[] {
    return this.#takeWhere(() => true)
  }

  /** Forwarded to `to` in `term`, in order. */
  *forwardedTo(to: MemberId, term: Term): Generator<PendingGroup> {
    for (const group of this.#groups) {
      if (group.forwarded?.to === to && group.term === term) yield group
    }
  }

  #takeWhere(wanted: (group: PendingGroup) => boolean): PendingGroup[] {
    const taken = this.#groups.filter(wanted)
    this.#groups = this.#groups.filter((group) => !wanted(group))
    return taken
  }

  #placeOf(sequence: number): number {
    return this.#groups.findIndex((group) => group.sequence === sequence)
  }

  #takeAt(at: number): PendingGroup | undefined {
    return at < 0 ? undefined : this.#groups.splice(at, 1)[0]
  }
}
