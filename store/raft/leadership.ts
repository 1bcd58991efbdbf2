/** Becoming a leader, and adding entries to the log as one (thesis 3.4, 3.5). */
import { membersOf } from './configuration.ts'
import { invariant } from './invariant.ts'
import { createLeaderReads } from './leader-reads.ts'
import { createProgress } from './progress.ts'
import { enter } from './roles.ts'
import { configurationOfState, type Leader, type RaftState } from './state.ts'
import { type Entry, type EntryType, entryBytes, type LogIndex, shifted } from './types.ts'

const nothing = new Uint8Array(0)

/** Leads the term that it has just won. The empty entry lets it learn what is committed (thesis 6.4). */
export function becomeLeader(state: RaftState): void {
  invariant(state.role.name === 'candidate', `a ${state.role.name} cannot become leader`)
  const leader: Leader = {
    name: 'leader',
    electedAt: shifted(state.log.lastIndex(), 1),
    progress: new Map(),
    reads: createLeaderReads(),
    heartbeatElapsedTicks: 0,
    uncommittedBytes: 0,
    transfer: undefined,
  }
  enter(state, leader)
  followConfiguration(state, leader)
  appendOwn(state, leader, 'empty', [nothing])
}

/** Appends one entry for each of `data`; answers the first's index. They leave with the next messages. */
export function appendOwn(
  state: RaftState,
  leader: Leader,
  type: EntryType,
  data: readonly Uint8Array[],
): LogIndex {
  const first = shifted(state.log.lastIndex(), 1)
  const entries = data.map((bytes, i): Entry => {
    return { index: shifted(first, i), term: state.term, type, data: bytes }
  })
  leader.uncommittedBytes += bytesOf(entries)
  state.log.truncateAndAppend(entries)
  if (state.configurations.replaceFrom(entries)) followConfiguration(state, leader)
  return first
}

/** Bytes that entries count for in the leader's bound. */
export function bytesOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + entryBytes(entry), 0)
}

/** Starts to track members that are new in the configuration; who leaves is dropped when that is committed. */
function followConfiguration(state: RaftState, leader: Leader): void {
  const { limits, id } = state.settings
  const inflights = { countMax: limits.inflightCountMax, bytesMax: limits.inflightBytesMax }
  for (const member of new Set([...membersOf(configurationOfState(state)), id])) {
    if (leader.progress.has(member)) continue
    const progress = createProgress(shifted(state.log.lastIndex(), 1), inflights)
    progress.recentlyActive = true
    if (member === id) progress.match = state.log.stableIndex()
    leader.progress.set(member, progress)
  }
}
