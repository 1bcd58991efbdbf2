/** How a leader brings the others' logs to its own, and what it counts as committed (thesis 3.5, 3.6, 10.2). */

import { bytesOf } from './leadership.ts'
import { settleMembership } from './membership.ts'
import type { AppendAnswer, HeartbeatAnswer } from './message.ts'
import {
  acceptTo,
  backtrack,
  becomeProbe,
  becomeReplicate,
  becomeSnapshot,
  isPaused,
  noteSent,
  type Progress,
} from './progress.ts'
import { confirmRounds, startRound } from './reads.ts'
import { configurationOfState, envelope, type Leader, type RaftState, send } from './state.ts'
import { finishTransfer } from './transfer.ts'
import { type Entry, type LogIndex, larger, logIndex, type MemberId, shifted } from './types.ts'

/** Everything that has gathered since the last call leaves now: one round for the reads, full appends for each. */
export function flush(state: RaftState, leader: Leader): void {
  startRound(state, leader)
  for (const [to, progress] of leader.progress) {
    if (to !== state.settings.id) sendAppends(state, to, progress)
  }
}

/** Sends what the follower's progress allows: entries, else a commit index that it has not been told. */
function sendAppends(state: RaftState, to: MemberId, progress: Progress): void {
  const { log } = state
  while (!isPaused(progress)) {
    const newsForIt = progress.next <= log.lastIndex() || progress.commitSent < log.committed()
    if (progress.state === 'replicate' && !newsForIt) return
    if (!sendAppend(state, to, progress)) return
  }
}

/** False when nothing went out: no entry to go on from, and no snapshot at hand. */
function sendAppend(state: RaftState, to: MemberId, progress: Progress): boolean {
  const { log, settings } = state
  const entries = log.entries(progress.next, settings.limits.appendBytesMax)
  if (entries === undefined || log.term(shifted(progress.next, -1)) === undefined) {
    return sendSnapshot(state, to, progress)
  }
  append(state, to, progress, entries)
  noteSent(progress, entries.length, bytesOf(entries), log.committed())
  return true
}

function append(state: RaftState, to: MemberId, { next }: Progress, entries: readonly Entry[]): void {
  const { log } = state
  const prevIndex = shifted(next, -1)
  const prevTerm = log.term(prevIndex)
  if (prevTerm === undefined) return
  send(state, {
    type: 'append',
    from: state.settings.id,
    to,
    term: state.term,
    prevIndex,
    prevTerm,
    entries,
    commit: log.committed(),
  })
}

/** Streaming is dear: not to somebody who has not been heard of, and not before there is something to stream. */
function sendSnapshot(state: RaftState, to: MemberId, progress: Progress): boolean {
  const snapshot = state.settings.storage.snapshot()
  if (!progress.recentlyActive || snapshot === undefined || snapshot.index <= progress.match) return false
  becomeSnapshot(progress, snapshot.index)
  send(state, { ...envelope(state, to), type: 'snapshot', snapshot })
  return true
}

/** A follower has taken entries, or says where the logs may agree. */
export function handleAppendAnswer(state: RaftState, leader: Leader, answer: AppendAnswer): void {
  const progress = leader.progress.get(answer.from)
  if (progress === undefined) return
  progress.recentlyActive = true
  const { refused, index } = answer
  if (refused !== undefined) {
    backtrack(progress, index, state.log.conflictHint(refused.index, refused.term).index)
    return
  }
  const risen = acceptTo(progress, index)
  if (progress.state === 'replicate') progress.inflights.freeTo(index)
  else if (meetsLog(state, progress)) becomeReplicate(progress)
  if (risen) advanceCommit(state, leader)
  if (state.role === leader) finishTransfer(state, leader)
}

/** The follower's log is known to meet the leader's, so that entries can stream. */
function meetsLog({ log }: RaftState, { state, match, pendingSnapshot, next }: Progress): boolean {
  if (state === 'snapshot') return match >= pendingSnapshot || match >= log.firstIndex() - 1
  return match + 1 >= next
}

/** A follower lives and confirms a read round; it may lack entries that got lost on their way. */
export function handleHeartbeatAnswer(state: RaftState, leader: Leader, answer: HeartbeatAnswer): void {
  const progress = leader.progress.get(answer.from)
  if (progress === undefined) return
  progress.recentlyActive = true
  progress.probeSent = false
  if (answer.round > progress.round) {
    progress.round = answer.round
    confirmRounds(state, leader)
  }
  if (progress.state === 'replicate' && progress.match < progress.next - 1) {
    askForLog(state, answer.from, progress)
  }
}

/**
 * Appends on their way may be lost, with nothing after them to show the gap: an empty one is refused then. When even
 * its predecessor is compacted, nothing can be asked: start over from what is known, by a snapshot if need be.
 */
function askForLog(state: RaftState, to: MemberId, progress: Progress): void {
  if (state.log.term(shifted(progress.next, -1)) === undefined) becomeProbe(progress)
  else append(state, to, progress, [])
}

/** Raises the commit index to what a quorum holds, and does what follows from it. */
function advanceCommit(state: RaftState, leader: Leader): void {
  const { log, settings, configurations } = state
  const { rules } = settings
  const reached = rules.quorumReached(
    configurationOfState(state),
    (id) => leader.progress.get(id)?.match ?? logIndex(0),
  )
  const before = log.committed()
  if (reached <= before || !rules.mayCommitByCounting(log.term(logIndex(reached)), state.term)) return
  log.commitTo(logIndex(reached))
  configurations.settle(log.committed())
  releaseBytes(state, leader, before)
  settleMembership(state, leader)
}

function releaseBytes({ log }: RaftState, leader: Leader, before: LogIndex): void {
  const own = larger(shifted(before, 1), leader.electedAt)
  leader.uncommittedBytes -= bytesOf(log.range(own, shifted(log.committed(), 1)))
}

/** This member's own log is durable further: its share of the count. */
export function countOwnLog(state: RaftState, leader: Leader): void {
  const own = leader.progress.get(state.settings.id)
  if (own !== undefined && acceptTo(own, state.log.stableIndex())) advanceCommit(state, leader)
}

/** The driver could not reach `from`: what was on its way is lost, so probe. */
export function noteUnreachable(leader: Leader, from: MemberId): void {
  const progress = leader.progress.get(from)
  if (progress?.state === 'replicate') becomeProbe(progress)
}

/** The snapshot has arrived and its answer is awaited, or it has not and is tried again. */
export function noteSnapshot(leader: Leader, from: MemberId, delivered: boolean): void {
  const progress = leader.progress.get(from)
  if (progress?.state !== 'snapshot') return
  if (!delivered) progress.pendingSnapshot = logIndex(0)
  becomeProbe(progress)
  progress.probeSent = true
}
