/** Where messages come in: first the term decides, then the message's own handler. */
import { handleBallotAnswer, handlePreVote, handleVote } from './election.ts'
import { handleAppend, handleHeartbeat, handleSnapshot, handleTimeoutNow } from './follower.ts'
import type { Message } from './message.ts'
import { handleReadIndex, handleReadIndexAnswer } from './reads.ts'
import { handleAppendAnswer, handleHeartbeatAnswer } from './replication.ts'
import { becomeFollower } from './roles.ts'
import { envelope, leaseHolds, type RaftState, sendAfterPersist } from './state.ts'

/** Takes a message from another member. Anything outdated is answered or dropped here. */
export function step(state: RaftState, message: Message): void {
  if (message.term < state.term) answerOutdated(state, message)
  else if (message.term === state.term || enterTerm(state, message)) handle(state, message)
}

/** Meets a term that is ahead. False: the message is not to be handled. */
function enterTerm(state: RaftState, message: Message): boolean {
  switch (message.type) {
    case 'preVote':
      return !leaseHolds(state)
    case 'vote':
      // A member that hears a leader does not let others disrupt it (thesis 4.2.3).
      if (leaseHolds(state) && !message.force) return false
      break
    case 'preVoteAnswer':
      if (message.granted) return true
      break
  }
  becomeFollower(state, message.term, isFromLeader(message) ? message.from : undefined)
  return true
}

function isFromLeader({ type }: Message): boolean {
  return type === 'append' || type === 'heartbeat' || type === 'snapshot' || type === 'timeoutNow'
}

/** Only who could go on wrongly for long is told about the newer term: a leader, and who asks for pre-votes. */
function answerOutdated(state: RaftState, message: Message): void {
  if (message.type === 'preVote') {
    sendAfterPersist(state, { ...envelope(state, message.from), type: 'preVoteAnswer', granted: false })
  } else if (isFromLeader(message)) {
    sendAfterPersist(state, { ...envelope(state, message.from), type: 'heartbeatAnswer', round: 0 })
  }
}

function handle(state: RaftState, message: Message): void {
  switch (message.type) {
    case 'preVote':
      handlePreVote(state, message)
      break
    case 'vote':
      handleVote(state, message)
      break
    case 'preVoteAnswer':
    case 'voteAnswer':
      handleBallotAnswer(state, message)
      break
    case 'append':
      handleAppend(state, message)
      break
    case 'heartbeat':
      handleHeartbeat(state, message)
      break
    case 'snapshot':
      handleSnapshot(state, message)
      break
    case 'timeoutNow':
      handleTimeoutNow(state, message.from)
      break
    case 'appendAnswer':
      if (state.role.name === 'leader') handleAppendAnswer(state, state.role, message)
      break
    case 'heartbeatAnswer':
      if (state.role.name === 'leader') handleHeartbeatAnswer(state, state.role, message)
      break
    case 'readIndex':
      handleReadIndex(state, message)
      break
    case 'readIndexAnswer':
      handleReadIndexAnswer(state, message)
      break
    default:
      message satisfies never
  }
}
