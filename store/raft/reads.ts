/**
 * Linearizable reads without writing to the log (thesis 6.4).
 *
 * A leader numbers rounds. Every read that waits when a round starts shares it: its index is the commit index of that
 * moment, and it is answered once a quorum has answered a heartbeat of that round or a later one, which proves that
 * nobody else had been elected when the round began. Rounds may overlap. A follower asks its leader for the index.
 */
import { fail, ok, type Result } from '../contract.ts'
import { broadcastHeartbeat } from './heartbeat.ts'
import type { ReadRound } from './leader-reads.ts'
import type { ReadIndex, ReadIndexAnswer } from './message.ts'
import { configurationOfState, envelope, type Leader, leaderOf, type RaftState, send } from './state.ts'

export type ReadFailure =
  | { readonly code: 'NoLeader' }
  /** readsPendingMax reads wait already. */
  | { readonly code: 'TooManyReads'; readonly pending: number }

/** Begins a read of this member. The answer comes as a read state, or its context among the lost. */
export function requestRead(state: RaftState, context: string): Result<void, ReadFailure> {
  const leader = leaderOf(state)
  if (leader === undefined) return fail({ code: 'NoLeader' })
  const pending = pendingReads(state)
  if (pending >= state.settings.limits.readsPendingMax) return fail({ code: 'TooManyReads', pending })
  if (state.role.name === 'leader') {
    state.role.reads.waiting.push({ from: state.settings.id, context })
  } else {
    state.readsForwarded.set(context, state.ticks + state.settings.electionTicks)
    send(state, { ...envelope(state, leader), type: 'readIndex', context })
  }
  return ok(undefined)
}

/** A follower's read comes in. */
export function handleReadIndex(state: RaftState, { from, context }: ReadIndex): void {
  if (state.role.name === 'leader' && pendingReads(state) < state.settings.limits.readsPendingMax) {
    state.role.reads.waiting.push({ from, context })
  } else {
    send(state, { ...envelope(state, from), type: 'readIndexAnswer', context, index: undefined })
  }
}

/** The answer to a read that this member asked its leader about; one that was given up is dropped. */
export function handleReadIndexAnswer(state: RaftState, { context, index }: ReadIndexAnswer): void {
  if (!state.readsForwarded.delete(context)) return
  if (index === undefined) state.readsLost.push(context)
  else state.readStates.push({ context, index })
}

/** Starts one round for everything that waits, if reads may be served yet. */
export function startRound(state: RaftState, leader: Leader): void {
  const { reads } = leader
  const committed = state.log.committed()
  if (reads.waiting.length === 0) return
  if (!state.settings.rules.mayStartReads(state.log.term(committed), state.term)) return
  reads.started++
  reads.rounds.push({ round: reads.started, index: committed, requests: reads.waiting })
  reads.waiting = []
  broadcastHeartbeat(state, leader)
  confirmRounds(state, leader)
}

/** Answers the reads of every round that a quorum has confirmed. */
export function confirmRounds(state: RaftState, leader: Leader): void {
  const { rounds } = leader.reads
  if (rounds.length === 0) return
  const { rules, id } = state.settings
  const reached = rules.quorumReached(configurationOfState(state), (member) =>
    member === id ? leader.reads.started : (leader.progress.get(member)?.round ?? 0),
  )
  while (rounds[0] !== undefined && rules.isReadConfirmed(rounds[0].round, reached)) {
    answerRound(state, rounds[0])
    rounds.shift()
  }
}

function answerRound(state: RaftState, { index, requests }: ReadRound): void {
  for (const { from, context } of requests) {
    if (from === state.settings.id) state.readStates.push({ context, index })
    else send(state, { ...envelope(state, from), type: 'readIndexAnswer', context, index })
  }
}

/** The question or its answer went astray: given up after an election timeout, so that none is kept for good. */
export function expireReads(state: RaftState): void {
  for (const [context, lostAt] of state.readsForwarded) {
    if (lostAt > state.ticks) return
    state.readsForwarded.delete(context)
    state.readsLost.push(context)
  }
}

/** The role or its leader ends: nothing pending can be confirmed any more. */
export function loseReads(state: RaftState): void {
  state.readsLost.push(...state.readsForwarded.keys())
  state.readsForwarded.clear()
  if (state.role.name !== 'leader') return
  const { waiting, rounds } = state.role.reads
  for (const { from, context } of [...rounds.flatMap(({ requests }) => requests), ...waiting]) {
    if (from === state.settings.id) state.readsLost.push(context)
    else send(state, { ...envelope(state, from), type: 'readIndexAnswer', context, index: undefined })
  }
}

function pendingReads({ role, readsForwarded }: RaftState): number {
  if (role.name !== 'leader') return readsForwarded.size
  return role.reads.rounds.reduce((sum, { requests }) => sum + requests.length, role.reads.waiting.length)
}
