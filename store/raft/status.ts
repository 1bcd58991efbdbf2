/** A picture of one core for people, metrics and tests. */
import { isVoter, membersOf } from './configuration.ts'
import type { ProgressState } from './progress.ts'
import { configurationOfState, leaderOf, type RaftState, type Role } from './state.ts'
import type { Configuration, LogIndex, MemberId, Term } from './types.ts'

export type RoleName = Role['name']

export interface PeerStatus {
  readonly id: MemberId
  readonly state: ProgressState
  readonly match: LogIndex
  readonly next: LogIndex
  readonly inflightCount: number
  readonly recentlyActive: boolean
}

export interface Leadership {
  readonly role: RoleName
  /** Of the current term, as far as this member knows. */
  readonly leader: MemberId | undefined
  readonly term: Term
}

export interface RaftStatus extends Leadership {
  readonly id: MemberId
  readonly vote: MemberId | undefined
  /** A member that only receives: in the configuration, without a vote. */
  readonly learner: boolean
  readonly firstIndex: LogIndex
  readonly lastIndex: LogIndex
  readonly committed: LogIndex
  readonly handedOut: LogIndex
  readonly configuration: Configuration
  /** Of a leader: every member that it sends to, by id. */
  readonly peers: readonly PeerStatus[]
}

/** A copy: it does not change with the core. */
export function statusOf(state: RaftState): RaftStatus {
  const { log, role, settings, term, vote } = state
  const configuration = configurationOfState(state)
  const { id } = settings
  return {
    id,
    term,
    vote,
    role: role.name,
    learner: membersOf(configuration).includes(id) && !isVoter(configuration, id),
    leader: leaderOf(state),
    firstIndex: log.firstIndex(),
    lastIndex: log.lastIndex(),
    committed: log.committed(),
    handedOut: log.handedOut(),
    configuration,
    peers: role.name === 'leader' ? peersOf(role.progress, id) : [],
  }
}

function peersOf(progress: Extract<Role, { name: 'leader' }>['progress'], self: MemberId): PeerStatus[] {
  return [...progress]
    .filter(([id]) => id !== self)
    .map(([id, { state, match, next, inflights, recentlyActive }]): PeerStatus => {
      return { id, state, match, next, inflightCount: inflights.count(), recentlyActive }
    })
    .sort((a, b) => a.id - b.id)
}
