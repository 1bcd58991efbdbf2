/** What a member does with its leader's messages (thesis 3.5, 3.10, 5.3). */
import { startElection } from './election.ts'
import { invariant } from './invariant.ts'
import type { Append, Heartbeat, InstallSnapshot } from './message.ts'
import { becomeFollower } from './roles.ts'
import { envelope, type RaftState, send, sendAfterPersist } from './state.ts'
import { type LogIndex, type MemberId, shifted, smaller } from './types.ts'

/** Notes that the leader of the current term was heard. */
function hearLeader(state: RaftState, leader: MemberId): void {
  const { role } = state
  invariant(role.name !== 'leader', `two leaders in term ${state.term}: ${state.settings.id} and ${leader}`)
  if (role.name !== 'follower' || role.leader !== leader) becomeFollower(state, state.term, leader)
  state.electionElapsedTicks = 0
}

/** Takes entries whose predecessor this log has, or says where the logs may agree. */
export function handleAppend(state: RaftState, message: Append): void {
  hearLeader(state, message.from)
  const { log, settings } = state
  const { prevIndex, prevTerm, entries } = message
  if (prevIndex < log.committed()) {
    accept(state, message.from, log.committed())
    return
  }
  if (prevIndex > log.lastIndex() || !settings.rules.previousMatches(log.term(prevIndex), prevTerm)) {
    const refused = log.conflictHint(prevIndex, prevTerm)
    sendAfterPersist(state, {
      ...envelope(state, message.from),
      type: 'appendAnswer',
      index: prevIndex,
      refused,
    })
    return
  }
  const fresh = entries.slice(settings.rules.countHeld(entries, log.term))
  log.truncateAndAppend(fresh)
  state.configurations.replaceFrom(fresh)
  const covered = shifted(prevIndex, entries.length)
  learnCommit(state, smaller(message.commit, covered))
  accept(state, message.from, covered)
}

/** `message.commit` never lies beyond what this log is known to hold, so it can be believed as it is. */
export function handleHeartbeat(state: RaftState, message: Heartbeat): void {
  hearLeader(state, message.from)
  learnCommit(state, message.commit)
  const answer = {
    ...envelope(state, message.from),
    type: 'heartbeatAnswer' as const,
    round: message.round,
  }
  if (state.durableTerm === state.term) send(state, answer)
  else sendAfterPersist(state, answer)
}

/** Replaces log and state, unless the log has it all: then the snapshot only tells what is committed. */
export function handleSnapshot(state: RaftState, { from, snapshot }: InstallSnapshot): void {
  hearLeader(state, from)
  const { log, configurations } = state
  if (snapshot.index <= log.committed()) {
    accept(state, from, log.committed())
  } else if (log.term(snapshot.index) === snapshot.term) {
    learnCommit(state, snapshot.index)
    accept(state, from, log.committed())
  } else {
    log.restore(snapshot)
    configurations.reset(snapshot)
    accept(state, from, snapshot.index)
  }
}

/** The leader hands over: no pre-vote, and the others answer in spite of their lease. */
export function handleTimeoutNow(state: RaftState, from: MemberId): void {
  hearLeader(state, from)
  startElection(state, true)
}

function learnCommit(state: RaftState, commit: LogIndex): void {
  state.log.commitTo(commit)
  state.configurations.settle(state.log.committed())
}

function accept({ settings, term, messagesAfterPersist }: RaftState, to: MemberId, index: LogIndex): void {
  messagesAfterPersist.push({ type: 'appendAnswer', from: settings.id, to, term, index, refused: undefined })
}
