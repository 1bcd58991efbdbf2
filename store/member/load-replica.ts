/** What the database of a data directory holds, read and checked as a whole before its member starts. */
import { join } from 'node:path'
import { type Corrupt, fail, ok, type Result } from '../contract.ts'
import type { Database } from '../disk/database.ts'
import { Log, readLog } from '../log/log.ts'
import { describeDigest, digestEquals } from '../mvcc/digest.ts'
import { loadState } from '../mvcc/load.ts'
import { databaseFolder, type FinalState, type Identity } from './data-directory.ts'
import { decodeMembership, encodeMembership, type Membership, membershipKey } from './membership.ts'
import type { MemberPlan } from './plan.ts'
import type { LoadedReplica } from './replica-parts.ts'

/**
 * Reads state, log and membership, each checked, and that they fit together. `planned`: the membership when none is
 * stored.
 */
export async function loadReplica(
  database: Database,
  planned: Membership,
): Promise<Result<LoadedReplica, Corrupt>> {
  const state = await loadState(database)
  if (!state.ok) return state
  const log = await readLog(database)
  if (!log.ok) return log
  const { appliedIndex } = state.value
  const { head, entries } = log.value
  if (appliedIndex < head.before.index || appliedIndex > head.lastIndex) {
    const message = `the state contains entry ${appliedIndex}, the log holds those after ${head.before.index} up to ${head.lastIndex}`
    return fail({ code: 'Corrupt', where: 'log head', message })
  }
  const stored = database.getInTurn(membershipKey)
  const membership = stored === undefined ? planned : decodeMembership(stored)
  if (membership === undefined) {
    return fail({ code: 'Corrupt', where: 'membership record', message: 'checksum does not match' })
  }
  return ok({ ...state.value, membership, log: new Log(head, entries), entries })
}

/** What contradicts between the database and the files beside it; undefined: nothing. */
export function checkFound(
  dataDir: string,
  { state, log }: LoadedReplica,
  identity: Identity | undefined,
  final: FinalState | undefined,
): Corrupt | undefined {
  if (identity === undefined && log.lastIndex > 0) {
    return { code: 'Corrupt', where: join(dataDir, 'store.json'), message: 'the file is missing' }
  }
  if (final === undefined) return undefined
  const { revision, digest } = state.meta()
  const same =
    revision === final.revision && log.lastIndex === final.lastIndex && digestEquals(digest, final.digest)
  if (same) return undefined
  const show = (found: FinalState): string =>
    `revision ${found.revision}, log entry ${found.lastIndex}, hash ${describeDigest(found.digest)}`
  return {
    code: 'Corrupt',
    where: databaseFolder(dataDir),
    message: `found ${show({ revision, digest, lastIndex: log.lastIndex })}, but the last clean stop left ${show(final)}`,
  }
}

/** The membership of a new directory. Others rely on it: then it is durable before the directory counts as in use. */
export async function writeMembership(
  database: Database,
  membership: Membership,
  sync: boolean,
): Promise<void> {
  const value = encodeMembership(membership)
  await database.write([{ type: 'put', key: membershipKey, value }], { sync })
}

/** A member that was alone so far gets the name and address by which others know it. */
export async function introduce(
  database: Database,
  loaded: LoadedReplica,
  plan: MemberPlan,
): Promise<LoadedReplica> {
  const { id, address, identity } = plan
  const { membership } = loaded
  const unknown = membership.members.some((member) => member.id === id && member.address === '')
  if (address === '' || !unknown) return loaded
  const own = { id, name: identity.name ?? '', address }
  const members = membership.members.map((member) => (member.id === id ? own : member))
  const introduced = { ...membership, members }
  await writeMembership(database, introduced, true)
  return { ...loaded, membership: introduced }
}
