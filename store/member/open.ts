import { type Corrupt, fail, type Result } from '../contract.ts'
import { describeError, isCorruptionError, isLockError, isOwnError } from '../disk/database.ts'
import type { CannotListen } from '../peers/peers.ts'
import type { MemberId } from '../raft/types.ts'
import {
  databaseFolder,
  type Identity,
  readFinalState,
  readIdentity,
  removeFinalState,
  type UnsupportedFormat,
  type WrongIdentity,
  writeIdentity,
} from './data-directory.ts'
import { recoverInstallation } from './installation.ts'
import { checkFound, introduce, loadReplica, writeMembership } from './load-replica.ts'
import { type Machine, nodeMachine } from './machine.ts'
import type { Membership } from './membership.ts'
import type { MemberOptions } from './options.ts'
import { type PlanFailure, planMember } from './plan.ts'
import { type Member, startMember } from './start.ts'

export type { MemberOptions } from './options.ts'
export type { Member } from './start.ts'

/** Another process, or this one, has the data directory open. */
export type InUse = { readonly code: 'InUse'; readonly path: string; readonly message: string }
/** The operating system refused a file operation. */
export type DiskFailed = { readonly code: 'DiskFailed'; readonly path: string; readonly message: string }

/** Why a data directory cannot be opened. Every `message` is fit for the operator; nothing was changed. */
export type OpenFailure =
  | Corrupt
  | InUse
  | DiskFailed
  | WrongIdentity
  | UnsupportedFormat
  | PlanFailure
  | CannotListen

const newIdentity: Identity = { dialect: 'cluster' }

/**
 * Opens a data directory, or makes one, and starts its member; one that is alone serves when this settles, one of a group
 * waits for its leader with the first request. All that is stored is checked first: the files, every
 * record, all records together, and that they are what the last clean stop left.
 */
export async function openMember(options: MemberOptions): Promise<Result<Member, OpenFailure>> {
  const { dataDir, machine = nodeMachine } = options
  const folder = databaseFolder(dataDir)
  let result: Result<Member, OpenFailure>
  try {
    await machine.files.makeFolder(folder)
    result = await openFolder(options, machine, folder)
  } catch (error) {
    result = failToOpen(folder, error)
  }
  if (result.ok || result.failure.code !== 'Corrupt') return result
  // A folder that another process writes to looks damaged while it is being read.
  if (await machine.isLocked(folder)) return failInUse(folder)
  return fail({ ...result.failure, message: `${result.failure.message}; ${whatToDo(dataDir)}` })
}

async function openFolder(
  options: MemberOptions,
  machine: Machine,
  folder: string,
): Promise<Result<Member, OpenFailure>> {
  const { dataDir, replication } = options
  const { files } = machine
  const identity = await readIdentity(files, dataDir, options.identity)
  if (!identity.ok) return identity
  if (identity.value !== undefined && (await machine.isLocked(folder))) return failInUse(folder)
  const recovered = await recoverInstallation(files, dataDir)
  if (!recovered.ok) return recovered
  const final = await readFinalState(files, dataDir)
  if (!final.ok) return final
  const inspected = await machine.inspectDatabase(folder, {
    created: identity.value !== undefined,
    clean: final.value !== undefined,
  })
  if (!inspected.ok) return inspected
  const planned = await planMember(
    identity.value,
    options.identity ?? newIdentity,
    replication === undefined ? undefined : { clock: options.clock, ...replication },
    (question) => machine.askToJoin(question),
  )
  if (!planned.ok) return planned
  const plan = planned.value
  const database = await machine.openDatabase(folder)
  let opened = false
  try {
    if (identity.value === undefined) {
      await writeMembership(database, plan.membership, replication !== undefined)
    }
    const found = await loadReplica(database, plan.membership)
    if (!found.ok) return found
    const loaded = await introduce(database, found.value, plan)
    const misfit = describeMisfit(options, plan.id, loaded.membership)
    if (misfit !== undefined) return fail({ code: 'BadCluster', message: misfit })
    const wrong = checkFound(dataDir, loaded, identity.value, final.value)
    if (wrong !== undefined) return fail(wrong)
    if (plan.changed) await writeIdentity(files, dataDir, plan.identity)
    if (final.value !== undefined) await removeFinalState(files, dataDir)
    const started = await startMember(options, machine, database, loaded, plan)
    opened = started.ok
    return started
  } finally {
    if (!opened) await database.close()
  }
}

/** Why this member cannot run as it was asked to, in view of who takes part; undefined: it can. */
function describeMisfit(
  { dataDir, replication }: MemberOptions,
  own: MemberId,
  { members, nextId }: Membership,
): string | undefined {
  if (replication === undefined && members.length > 1) {
    const names = members.map(({ name, address }) => `${name}=${address}`).join(',')
    return `${dataDir} belongs to a cluster of ${members.length} members (${names}): say which one this is, and where it listens`
  }
  if (own >= nextId || members.some(({ id }) => id === own)) return undefined
  return `the member of ${dataDir} was removed from its cluster: to take part again, add it anew with an empty directory`
}

function whatToDo(dataDir: string): string {
  return `nothing was changed: move ${dataDir} away and restore it from a snapshot or backup`
}

function failInUse(path: string): Result<never, InUse> {
  return fail({ code: 'InUse', path, message: `${path} is in use by another process` })
}

function failToOpen(path: string, error: unknown): Result<never, OpenFailure> {
  const message = describeError(error)
  if (isLockError(error)) return failInUse(path)
  if (isCorruptionError(error)) return fail({ code: 'Corrupt', where: path, message })
  if (isOwnError(error)) throw error
  return fail({ code: 'DiskFailed', path, message })
}
