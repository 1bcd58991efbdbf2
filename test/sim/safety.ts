/**
 * The properties that Raft promises at all times (thesis figure 3.2), checked as the members go. What a member was seen
 * to hold is written down here, apart from the code under test.
 */
import type { Ready } from '../../store/raft/ready.ts'
import type { RaftStatus } from '../../store/raft/status.ts'
import type { Entry, HardState, LogIndex, MemberId, Term } from '../../store/raft/types.ts'
import type { Observer } from './contract.ts'
import type { KvEvent } from './kv.ts'

interface Violation extends Error {
  readonly guarantee: string
}

export function violated(guarantee: string, detail: string): Violation {
  return Object.assign(new Error(`${guarantee}: ${detail}`), { guarantee })
}

/** Terms of a member's log by index; `base` is the place before the first. */
interface Shadow {
  base: number
  terms: number[]
  /** Checked against the committed entries up to here. */
  commitChecked: number
  applied: number
  led: number
}

/** Where a state machine starts anew. */
interface Restored {
  readonly index: LogIndex
  readonly kv: { readonly hash: number }
}

export interface Safety extends Omit<Observer, 'trace' | 'restored'> {
  restored(id: MemberId, checkpoint: Restored): void
  /** After every step of a member. */
  stepped(status: RaftStatus): void
  crashed(id: MemberId): void
  /** Every event of the replicated history, at its revision - 1. */
  readonly events: readonly KvEvent[]
  /** Highest index that was committed anywhere. */
  committed(): number
}

export function createSafety(): Safety {
  const shadows = new Map<MemberId, Shadow>()
  const leaders = new Map<Term, MemberId>()
  const entries = new Map<string, { readonly previous: number; readonly entry: Entry }>()
  const committedTerms: number[] = [0]
  /** Lowest term in which somebody knew the index to be committed: it was committed in that one or before. */
  const commitSeenIn: number[] = [0]
  const stateHashes: number[] = [0]
  const events: KvEvent[] = []

  function shadowOf(id: MemberId): Shadow {
    const shadow = shadows.get(id)
    if (shadow === undefined) throw new Error(`member ${id} has not started`)
    return shadow
  }

  const termAt = ({ base, terms }: Shadow, index: number) => terms[index - base]

  function append(id: MemberId, shadow: Shadow, added: readonly Entry[]): void {
    for (const entry of added) {
      const previous = termAt(shadow, entry.index - 1)
      if (previous === undefined) throw violated('log without gaps', `member ${id} appends ${entry.index}`)
      const name = `${entry.index}@${entry.term}`
      const known = entries.get(name)
      if (known === undefined) entries.set(name, { previous, entry })
      else if (known.previous !== previous || !sameEntry(known.entry, entry)) {
        throw violated('log matching', `member ${id} holds another entry or history at ${name}`)
      }
      shadow.terms.length = entry.index - shadow.base
      shadow.terms.push(entry.term)
      shadow.commitChecked = Math.min(shadow.commitChecked, entry.index - 1)
    }
  }

  function checkCommit(id: MemberId, shadow: Shadow, { commit, term }: HardState): void {
    for (let index = Math.max(shadow.commitChecked, shadow.base) + 1; index <= commit; index++) {
      const held = termAt(shadow, index)
      if (held === undefined) throw violated('commit within the log', `member ${id} commits ${index}`)
      const known = committedTerms[index]
      if (known !== undefined && known !== held) {
        throw violated('state machine safety', `member ${id} commits ${index}@${held}, not ${index}@${known}`)
      }
      committedTerms[index] = held
      commitSeenIn[index] = Math.min(commitSeenIn[index] ?? term, term)
    }
    shadow.commitChecked = Math.max(shadow.commitChecked, commit)
  }

  function checkLeader({ id, term }: RaftStatus, shadow: Shadow): void {
    const known = leaders.get(term)
    if (known !== undefined && known !== id) {
      throw violated('election safety', `members ${known} and ${id} lead term ${term}`)
    }
    leaders.set(term, id)
    if (shadow.led >= term) return
    shadow.led = term
    for (let index = Math.max(1, shadow.base); index < committedTerms.length; index++) {
      const held = termAt(shadow, index)
      const committed = committedTerms[index]
      // A leader of an old term that wins late need not hold what was committed in a later one.
      const seenIn = commitSeenIn[index] ?? term
      if (committed !== undefined && seenIn < term && held !== committed) {
        throw violated('leader completeness', `leader ${id} of term ${term} lacks ${index}@${committed}`)
      }
    }
  }

  return {
    events,
    committed: () => committedTerms.length - 1,
    started(id, before, kept, hardState: HardState) {
      const shadow = { base: before.index, terms: [before.term], commitChecked: 0, applied: 0, led: 0 }
      shadows.set(id, shadow)
      append(id, shadow, kept)
      checkCommit(id, shadow, hardState)
    },
    crashed: (id) => shadows.delete(id),
    restored(id, checkpoint) {
      const shadow = shadowOf(id)
      const { index, kv } = checkpoint
      if (index < shadow.applied) throw violated('state goes forward', `member ${id} goes back to ${index}`)
      shadow.applied = index
      checkHash(id, index, kv.hash)
    },
    ready(id, ready: Ready) {
      const shadow = shadowOf(id)
      if (ready.snapshot !== undefined) {
        const { index, term } = ready.snapshot
        if (committedTerms[index] !== term)
          throw violated('snapshots are committed', `${index}@${term} at ${id}`)
        Object.assign(shadow, { base: index, terms: [term], commitChecked: index })
      }
      append(id, shadow, ready.entries)
      if (ready.hardState !== undefined) checkCommit(id, shadow, ready.hardState)
    },
    applied(id, entry, kvHash, event) {
      const shadow = shadowOf(id)
      if (entry.index !== shadow.applied + 1) {
        throw violated('applied in order', `member ${id} applies ${entry.index} after ${shadow.applied}`)
      }
      shadow.applied = entry.index
      if (committedTerms[entry.index] !== entry.term) {
        throw violated('only committed is applied', `member ${id} applies ${entry.index}@${entry.term}`)
      }
      checkHash(id, entry.index, kvHash)
      if (event !== undefined) events[event.revision - 1] ??= event
    },
    stepped(status) {
      if (status.role === 'leader') checkLeader(status, shadowOf(status.id))
    },
  }

  function checkHash(id: MemberId, index: LogIndex, hash: number): void {
    const known = stateHashes[index]
    if (known !== undefined && known !== hash) {
      throw violated('state machine safety', `member ${id} has another state at ${index}`)
    }
    stateHashes[index] = hash
  }
}

function sameEntry(a: Entry, b: Entry): boolean {
  if (a === b) return true
  return a.type === b.type && a.data.length === b.data.length && a.data.every((byte, i) => byte === b.data[i])
}
