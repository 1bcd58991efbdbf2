/**
 * The Raft core: the door to this folder. Pure: messages, ticks and requests in, batches of work out (ready.ts says
 * what the driver owes). Written after D. Ongaro's thesis; the modules cite its sections.
 *
 * Goals: pre-vote, quorum checks and leases, pipelined replication with flow control, read index, snapshots, learners,
 * joint consensus, leadership transfer, and bounds on everything that can grow.
 * Non-goals: disks, sockets, clocks, encodings, forwarding of proposals, lease reads (they would trust clocks).
 */
import type { Result } from '../contract.ts'
import { createConfigurationHistory } from './configuration-history.ts'
import { countOwnVote, startPreVote } from './election.ts'
import { invariant } from './invariant.ts'
import { createRaftLog } from './log.ts'
import { type MembershipFailure, type MembershipRequest, proposeMembership } from './membership.ts'
import type { Message } from './message.ts'
import { type RaftOptions, settingsFrom } from './options.ts'
import { type Proposed, type ProposeFailure, propose } from './proposal.ts'
import { type ReadFailure, requestRead } from './reads.ts'
import type { Ready } from './ready.ts'
import { countOwnLog, flush, noteSnapshot, noteUnreachable } from './replication.ts'
import { leaderOf, type RaftState } from './state.ts'
import { type Leadership, type RaftStatus, statusOf } from './status.ts'
import { step } from './step.ts'
import { tick } from './ticks.ts'
import { type TransferFailure, transferLeadership } from './transfer.ts'
import { type HardState, type MemberId, shifted } from './types.ts'

export interface Raft {
  /** Takes a message addressed to this member. Checked and decoded before: the core trusts its shape. */
  step(message: Message): void
  /** One tick of the driver's clock has passed. */
  tick(): void
  /** Appends commands as the leader, one entry each, all or none. */
  propose(data: readonly Uint8Array[]): Result<Proposed, ProposeFailure>
  /** Changes the membership as the leader. A voter is added by adding a learner and promoting it. */
  proposeMembership(request: MembershipRequest): Result<Proposed, MembershipFailure>
  /** Asks for an index that makes a read linearizable. Answered in a later batch, under the same `context`. */
  readIndex(context: string): Result<void, ReadFailure>
  /** Hands leadership to another voter, as the leader. */
  transferLeadership(to: MemberId): Result<void, TransferFailure>
  /** Stands for election now (by pre-vote) instead of waiting for the timeout. */
  campaign(): void
  /** The connection to a member broke, or a message to it was thrown away. */
  reportUnreachable(id: MemberId): void
  /** A snapshot for a member was handed over there, or its transfer failed. */
  reportSnapshot(id: MemberId, delivered: boolean): void
  /** Messages that may leave at once; each is given out only once, here or in a batch. */
  messages(): readonly Message[]
  /** The next batch, or `undefined` when there is nothing to do. Not while a batch is out. */
  ready(): Ready | undefined
  /** The batch that is out is durable. */
  advance(): void
  status(): RaftStatus
  /** The part of `status()` that a driver asks for all the time. */
  leadership(): Leadership
}

/** A core that goes on from what `options.storage` holds. Throws when that contradicts itself. */
export function createRaft(options: RaftOptions): Raft {
  const settings = settingsFrom(options)
  const { storage } = settings
  const { hardState, applied, configuration } = storage.initialState()
  const log = createRaftLog(storage, applied, hardState.commit)
  const configurations = createConfigurationHistory({ index: applied, configuration })
  configurations.replaceFrom(log.entries(shifted(applied, 1), Number.POSITIVE_INFINITY) ?? [])
  configurations.settle(log.committed())

  const state: RaftState = {
    settings,
    log,
    configurations,
    term: hardState.term,
    vote: hardState.vote,
    durableTerm: hardState.term,
    role: { name: 'follower', leader: undefined },
    electionElapsedTicks: 0,
    electionTimeoutTicks: settings.electionTicks + settings.random(settings.electionTicks),
    messages: [],
    messagesAfterPersist: [],
    readStates: [],
    readsLost: [],
    ticks: 0,
    readsForwarded: new Map(),
  }
  let stored = hardState
  let out: { readonly ready: Ready; readonly hardState: HardState } | undefined

  function messages(): readonly Message[] {
    if (state.role.name === 'leader') flush(state, state.role)
    return take(state.messages)
  }

  return {
    step(message) {
      invariant(message.to === settings.id, `message to ${message.to} reached ${settings.id}`)
      step(state, message)
    },
    tick: () => tick(state),
    propose: (data) => propose(state, data),
    proposeMembership: (request) => proposeMembership(state, request),
    readIndex: (context) => requestRead(state, context),
    transferLeadership: (to) => transferLeadership(state, to),
    campaign: () => startPreVote(state),
    reportUnreachable(id) {
      if (state.role.name === 'leader') noteUnreachable(state.role, id)
    },
    reportSnapshot(id, delivered) {
      if (state.role.name === 'leader') noteSnapshot(state.role, id, delivered)
    },
    messages,
    ready() {
      invariant(out === undefined, 'a batch is out already')
      const ready = nextBatch(state, stored, messages())
      if (isEmpty(ready)) return undefined
      out = { ready, hardState: ready.hardState ?? stored }
      return ready
    },
    advance() {
      invariant(out !== undefined, 'no batch is out')
      const { ready, hardState: written } = out
      out = undefined
      stored = written
      state.durableTerm = written.term
      log.persisted(ready)
      if (written.term === state.term && written.vote === settings.id) countOwnVote(state)
      if (state.role.name === 'leader') countOwnLog(state, state.role)
    },
    status: () => statusOf(state),
    leadership: () => ({ role: state.role.name, leader: leaderOf(state), term: state.term }),
  }
}

function nextBatch(state: RaftState, stored: HardState, messages: readonly Message[]): Ready {
  const { log, term, vote } = state
  const { entries, snapshot } = log.take()
  const committed = snapshot === undefined ? log.takeCommitted(state.settings.limits.applyBytesMax) : []
  const ballotChanged = term !== stored.term || vote !== stored.vote
  const changed = ballotChanged || log.committed() !== stored.commit
  return {
    messages,
    snapshot,
    entries,
    hardState: changed ? { term, vote, commit: log.committed() } : undefined,
    mustSync: ballotChanged || entries.length > 0 || snapshot !== undefined,
    messagesAfterPersist: take(state.messagesAfterPersist),
    committed,
    readStates: take(state.readStates),
    readsLost: take(state.readsLost),
  }
}

/** Empties a list into the caller's hands. */
function take<T>(list: T[]): readonly T[] {
  return list.length === 0 ? none : list.splice(0)
}
const none: readonly never[] = []

function isEmpty(ready: Ready): boolean {
  return (
    ready.snapshot === undefined &&
    ready.hardState === undefined &&
    ready.entries.length === 0 &&
    ready.messages.length === 0 &&
    ready.messagesAfterPersist.length === 0 &&
    ready.committed.length === 0 &&
    ready.readStates.length === 0 &&
    ready.readsLost.length === 0
  )
}
