import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { fail, ok, type Result } from '../contract.ts'
import { describeError, isOwnError, openDatabase, type Write } from '../disk/database.ts'
import { nodeFiles } from '../disk/files.ts'
import { emptyLog, Log } from '../log/log.ts'
import { loadState } from '../mvcc/load.ts'
import { decodeMeta, encodeMeta, metaKey } from '../mvcc/meta.ts'
import { parseInitialCluster } from '../peers/address.ts'
import { configurationOf } from '../raft/configuration.ts'
import { logIndex, memberId, term } from '../raft/types.ts'
import { databaseFolder, type Identity, writeIdentity } from './data-directory.ts'
import { encodeMembership, type Membership, membershipKey } from './membership.ts'
import { readSnapshotFile, type SnapshotFailure, type SnapshotSummary } from './snapshot-file.ts'

export interface RestoreOptions {
  readonly file: string
  /** Must be absent or empty. */
  readonly dataDir: string
  /** The members of the new cluster, and which one this is. Each is restored from the same file. Absent: one, alone. */
  readonly group?: { readonly name: string; readonly initialCluster: string }
}

export type RestoreFailure =
  | SnapshotFailure
  | { readonly code: 'NotEmpty' | 'BadCluster'; readonly message: string }

/** The restored state counts as applied up to here, so that a member which joins later gets it as a snapshot. */
const base = { index: 1, term: term(1) }

/**
 * Makes the data directory of a new cluster from a snapshot: same data, same revisions, another cluster id. When
 * anything is wrong nothing is left in the directory.
 */
export async function restoreSnapshot(
  options: RestoreOptions,
): Promise<Result<SnapshotSummary, RestoreFailure>> {
  const planned = planRestore(options)
  if (!planned.ok) return planned
  try {
    return await restoreAs(planned.value, options)
  } catch (error) {
    if (isOwnError(error)) throw error
    return fail({
      code: 'DiskFailed',
      message: `cannot restore to ${options.dataDir}: ${describeError(error)}`,
    })
  }
}

/** Rejects with what the operating system says. */
async function restoreAs(
  planned: RestorePlan,
  { dataDir, file }: RestoreOptions,
): Promise<Result<SnapshotSummary, RestoreFailure>> {
  const folder = databaseFolder(dataDir)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  if ((await readdir(dataDir)).length > 0) {
    return fail({ code: 'NotEmpty', message: `${dataDir} is not empty: nothing was restored` })
  }
  await mkdir(folder, { mode: 0o700 })
  let complete = false
  try {
    const restored = await fill(folder, file, planned.membership)
    if (!restored.ok) return restored
    // LevelDB syncs the last file of its log only: what was written before it changed files would be lost with the power.
    await nodeFiles.syncContents(folder)
    await writeIdentity(nodeFiles, dataDir, identityOf(planned, restored.value))
    complete = true
    return restored
  } finally {
    if (!complete) await rm(folder, { recursive: true, force: true })
  }
}

/** Of the new cluster: the same for all members that are restored from one file, and no other. */
function identityOf(
  { cluster, identity }: RestorePlan,
  { dialect, hash, revision }: SnapshotSummary,
): Identity {
  const clusterId =
    cluster === undefined
      ? randomBytes(8).toString('hex')
      : createHash('sha256')
          .update(['restored', dialect, hash, revision, cluster].join('\n'))
          .digest('hex')
          .slice(0, 16)
  return { ...identity, dialect, clusterId }
}

async function fill(
  folder: string,
  file: string,
  membership: Membership,
): Promise<Result<SnapshotSummary, SnapshotFailure>> {
  const database = await openDatabase(folder)
  try {
    const read = await readSnapshotFile(file, (records) =>
      database.write(
        records.map(
          ([key, value]): Write => ({
            type: 'put',
            key,
            value: key.equals(metaKey) ? rebased(value) : value,
          }),
        ),
        { sync: false },
      ),
    )
    if (!read.ok) return read
    const writes: Write[] = [
      { type: 'put', key: membershipKey, value: encodeMembership(membership) },
      ...new Log(emptyLog, []).restart(base, [], {
        term: base.term,
        vote: undefined,
        commit: logIndex(base.index),
      }),
    ]
    await database.write(writes, { sync: true })
    const loaded = await loadState(database)
    if (loaded.ok) return read
    const { where, message } = loaded.failure
    return fail({ code: 'BadSnapshot', message: `${file}: ${where}: ${message}` })
  } catch (error) {
    return fail({ code: 'DiskFailed', message: describeError(error) })
  } finally {
    await database.close()
  }
}

/** The same state, at the start of another log. */
function rebased(value: Buffer): Buffer {
  const meta = decodeMeta(value)
  return meta === undefined
    ? value
    : encodeMeta({ ...meta, appliedIndex: base.index, appliedTerm: base.term })
}

interface RestorePlan {
  readonly membership: Membership
  readonly identity: Omit<Identity, 'dialect' | 'clusterId'>
  /** `a=host:port,b=host:port`, sorted; undefined: one member, alone. */
  readonly cluster: string | undefined
}

function planRestore({ group }: RestoreOptions): Result<RestorePlan, RestoreFailure> {
  if (group === undefined) {
    const id = memberId(1)
    const members = [{ id, name: 'default', address: '' }]
    return ok({
      membership: { configuration: configurationOf([id]), members, nextId: 2 },
      identity: {},
      cluster: undefined,
    })
  }
  const cluster = parseInitialCluster(group.initialCluster)
  if (!cluster.ok) return fail({ code: 'BadCluster', message: `initial cluster: ${cluster.failure}` })
  const members = cluster.value.map((member, i) => ({ ...member, id: memberId(i + 1) }))
  const own = members.find(({ name }) => name === group.name)
  if (own === undefined) {
    return fail({ code: 'BadCluster', message: `member ${group.name} is not in the initial cluster` })
  }
  const configuration = configurationOf(members.map(({ id }) => id))
  return ok({
    membership: { configuration, members, nextId: members.length + 1 },
    identity: { memberId: own.id, name: own.name },
    cluster: members.map(({ name, address }) => `${name}=${address}`).join(','),
  })
}
