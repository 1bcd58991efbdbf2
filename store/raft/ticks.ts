/** Time as the core knows it: ticks counted by the driver (thesis 3.9 on timing, 6.2 on leaders without a quorum). */
import { startPreVote } from './election.ts'
import { broadcastHeartbeat } from './heartbeat.ts'
import { expireReads } from './reads.ts'
import { becomeFollower } from './roles.ts'
import { configurationOfState, isPromotable, type Leader, type RaftState } from './state.ts'
import { tickTransfer } from './transfer.ts'

/** One step of time, of whatever length the driver chose. */
export function tick(state: RaftState): void {
  state.ticks++
  state.electionElapsedTicks++
  expireReads(state)
  if (state.role.name === 'leader') {
    tickLeader(state, state.role)
  } else if (state.electionElapsedTicks >= state.electionTimeoutTicks && isPromotable(state)) {
    // Who may not stand counts on: its lease towards a leader that is gone must end as well.
    startPreVote(state)
  }
}

function tickLeader(state: RaftState, leader: Leader): void {
  tickTransfer(state, leader)
  if (state.electionElapsedTicks >= state.settings.electionTicks) {
    state.electionElapsedTicks = 0
    if (!hearsQuorum(state, leader)) {
      becomeFollower(state, state.term, undefined)
      return
    }
  }
  leader.heartbeatElapsedTicks++
  if (leader.heartbeatElapsedTicks >= state.settings.heartbeatTicks) broadcastHeartbeat(state, leader)
}

/** A quorum was heard since the last check; asks everybody anew. */
function hearsQuorum(state: RaftState, leader: Leader): boolean {
  const { rules, id } = state.settings
  const outcome = rules.voteOutcome(
    configurationOfState(state),
    (member) => member === id || leader.progress.get(member)?.recentlyActive === true,
  )
  for (const progress of leader.progress.values()) progress.recentlyActive = false
  return outcome === 'won'
}
