/** Heartbeats of a leader (thesis 3.4). They carry the commit index and the latest read round. */
import { envelope, type Leader, type RaftState, send } from './state.ts'
import { smaller } from './types.ts'

/** Tells everybody that the leader lives. Works for members in any progress state: it needs no log. */
export function broadcastHeartbeat(state: RaftState, leader: Leader): void {
  leader.heartbeatElapsedTicks = 0
  for (const [to, progress] of leader.progress) {
    if (to === state.settings.id) continue
    send(state, {
      ...envelope(state, to),
      type: 'heartbeat',
      commit: smaller(progress.match, state.log.committed()),
      round: leader.reads.started,
    })
  }
}
