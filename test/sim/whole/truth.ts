/**
 * What the members agreed on, worked out apart from them: the committed commands, applied to a plain map. It says what
 * every watch, list and state has to show.
 */

import { bufferOf } from '../../../store/member/proposals.ts'
import { decodeGroup } from '../../../store/mvcc/command.ts'
import type { Entry } from '../../../store/raft/types.ts'
import { violated } from '../safety.ts'

interface Fact {
  readonly key: string
  /** Absent: deleted. */
  readonly value: string | undefined
}

interface Live {
  readonly value: string
  readonly revision: number
  readonly expiresAtMs: number
}

export interface Truth {
  /** Takes committed entries, in order and each once. */
  take(entry: Entry): void
  /** Highest index taken. */
  readonly index: number
  readonly revision: number
  revisionAt(index: number): number
  liveKeysAt(index: number): number
  /** What happened at a revision, in order. */
  factsAt(revision: number): readonly Fact[]
  /** Every live key as it was then. */
  stateAt(revision: number): ReadonlyMap<string, string>
  /** Some key is to expire. */
  readonly expires: boolean
}

export function createTruth(): Truth {
  const live = new Map<string, Live>()
  const facts: (readonly Fact[])[] = [[]]
  const revisions = [0]
  const counts = [0]
  const values = new Set<string>()
  let oldest = 0

  function write(changes: readonly (Fact & { readonly expiresAtMs: number })[]): void {
    const done: Fact[] = []
    const revision = facts.length
    for (const { key, value, expiresAtMs } of changes) {
      if (value === undefined && !live.delete(key)) continue
      if (value !== undefined) {
        if (values.has(`${key} ${value}`)) throw violated('each command once', `${key} is ${value} again`)
        values.add(`${key} ${value}`)
        live.set(key, { value, revision, expiresAtMs })
      }
      done.push({ key, value })
    }
    if (done.length > 0) facts.push(done)
  }

  return {
    take({ index, type, data }) {
      if (index !== revisions.length) throw new Error(`entry ${index} after ${revisions.length - 1}`)
      const proposals = type === 'command' ? decodeGroup(bufferOf(data)).proposals : []
      for (const proposal of proposals) {
        if (proposal.type === 'transaction') {
          const holds = proposal.guards.every(
            ({ key, modRevision }) => (live.get(key)?.revision ?? 0) === modRevision,
          )
          if (!holds) continue
          write(
            proposal.ops.map(({ content, record }) => ({
              key: record.key,
              value: record.tombstone ? undefined : content.toString('latin1', record.valueOffset),
              expiresAtMs: record.expiresAtMs,
            })),
          )
        } else if (proposal.type === 'expire') {
          const due = proposal.keys.filter(({ key, modRevision }) => live.get(key)?.revision === modRevision)
          write(due.map(({ key }) => ({ key, value: undefined, expiresAtMs: 0 })))
        } else if (proposal.type === 'compact') {
          oldest = Math.max(oldest, Math.min(proposal.revision, facts.length - 1))
        }
      }
      revisions.push(facts.length - 1)
      counts.push(live.size)
    },
    get index() {
      return revisions.length - 1
    },
    get revision() {
      return facts.length - 1
    },
    revisionAt: (index) => revisions[index] ?? -1,
    liveKeysAt: (index) => counts[index] ?? -1,
    factsAt: (revision) => facts[revision] ?? [],
    stateAt(revision) {
      const state = new Map<string, string>()
      for (const { key, value } of facts.slice(0, revision + 1).flat()) {
        if (value === undefined) state.delete(key)
        else state.set(key, value)
      }
      return state
    },
    get expires() {
      return [...live.values()].some(({ expiresAtMs }) => expiresAtMs > 0)
    },
  }
}
