/**
 * Configurations as values: who takes part, how a change leads from one to the next, and how one travels in an entry.
 *
 * Membership changes go through joint consensus (thesis 4.3), always: one path, walked by every change, instead of a
 * quick one and a rare one. It lets a change swap several members at once (a dead node for a new one, without passing
 * through an even number of voters), and it is free of the single-server method's trap with uncommitted changes of
 * earlier terms. The price is one more entry. Changes of learners alone move no quorum and take a single entry.
 */
import { fieldOf } from '../fields.ts'
import { type Configuration, type MemberId, memberId } from './types.ts'

export type MembershipChange =
  /** Adds a member that only receives, or makes a voter such a member. */
  | { readonly type: 'addLearner'; readonly id: MemberId }
  /** Makes a learner that has caught up a voter (thesis 4.2.1: new servers catch up first). */
  | { readonly type: 'promote'; readonly id: MemberId }
  | { readonly type: 'remove'; readonly id: MemberId }

/** What the data of a `configuration` entry says. */
export interface ConfigurationRecord {
  readonly configuration: Configuration
  /** The proposer's own text, for instance the members' addresses. Not looked at here. */
  readonly context: string
}

export const emptyConfiguration: Configuration = { voters: [], votersOutgoing: [], learners: [] }

/** A configuration of these voters and learners, not joint. */
export function configurationOf(
  voters: readonly MemberId[],
  learners: readonly MemberId[] = [],
): Configuration {
  return { voters: sorted(voters), votersOutgoing: [], learners: sorted(learners) }
}

/** Between two configurations: both majorities must agree. */
export function isJoint(configuration: Configuration): boolean {
  return configuration.votersOutgoing.length > 0
}

/** True for a member of either majority group. */
export function isVoter({ voters, votersOutgoing }: Configuration, id: MemberId): boolean {
  return voters.includes(id) || votersOutgoing.includes(id)
}

/** Everybody that receives the log, ascending. */
export function membersOf({ voters, votersOutgoing, learners }: Configuration): readonly MemberId[] {
  return sorted([...voters, ...votersOutgoing, ...learners])
}

/**
 * The configuration that `changes` ask for, joint when the voters differ. `undefined` when the changes are no way on
 * from here: none, a joint configuration, a promotion of somebody who is no learner, nobody left to vote.
 */
export function changed(
  from: Configuration,
  changes: readonly MembershipChange[],
): Configuration | undefined {
  if (isJoint(from) || changes.length === 0) return undefined
  const voters = new Set(from.voters)
  const learners = new Set(from.learners)
  for (const { type, id } of changes) {
    if (type === 'promote' && !learners.has(id)) return undefined
    if (type === 'remove' && !learners.has(id) && !voters.has(id)) return undefined
    voters.delete(id)
    learners.delete(id)
    if (type === 'addLearner') learners.add(id)
    if (type === 'promote') voters.add(id)
  }
  if (voters.size === 0) return undefined
  const next = configurationOf([...voters], [...learners])
  return sameIds(next.voters, from.voters) ? next : { ...next, votersOutgoing: from.voters }
}

/** The configuration after a joint one: the old majority group is let go (thesis 4.3, C-new). */
export function leftJoint({ voters, learners }: Configuration): Configuration {
  return { voters, votersOutgoing: [], learners }
}

/** JSON in UTF-8: changes are rare, and it can be read in a log. */
export function encodeConfiguration(record: ConfigurationRecord): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(record))
}

/** Reads the data of a `configuration` entry. Throws when it is none: the log is checked before it comes here. */
export function decodeConfiguration(data: Uint8Array): ConfigurationRecord {
  const record: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data))
  const context = fieldOf(record, 'context')
  if (typeof context !== 'string') throw new TypeError('configuration record without context')
  return { configuration: configurationFrom(fieldOf(record, 'configuration')), context }
}

/** A configuration out of parsed JSON. Throws when it is none. */
export function configurationFrom(parsed: unknown): Configuration {
  return {
    voters: idsFrom(fieldOf(parsed, 'voters')),
    votersOutgoing: idsFrom(fieldOf(parsed, 'votersOutgoing')),
    learners: idsFrom(fieldOf(parsed, 'learners')),
  }
}

function idsFrom(parsed: unknown): readonly MemberId[] {
  if (!Array.isArray(parsed)) throw new TypeError('member ids are no list')
  return parsed.map((id) => memberId(Number(id)))
}

function sorted(list: readonly MemberId[]): readonly MemberId[] {
  return [...new Set(list)].sort((a, b) => a - b)
}

function sameIds(a: readonly MemberId[], b: readonly MemberId[]): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i])
}
