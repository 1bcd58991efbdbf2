import { join } from 'node:path'
import { type Clock, type Corrupt, fail, ok, type Result, type Store } from '../contract.ts'
import { type Database, describeError, isCorruptionError, isLockError } from '../disk/database.ts'
import { Log, type LogBounds, readLog } from '../log/log.ts'
import { describeDigest, digestEquals } from '../mvcc/digest.ts'
import { loadState } from '../mvcc/load.ts'
import { parseAddress } from '../peers/address.ts'
import type { CannotListen } from '../peers/peers.ts'
import { type Cluster, createCluster } from './cluster.ts'
import {
  databaseFolder,
  type Identity,
  readFinalState,
  readIdentity,
  removeFinalState,
  type UnsupportedFormat,
  type WrongIdentity,
  writeFinalState,
  writeIdentity,
} from './data-directory.ts'
import { LateEvents } from './events.ts'
import { createArrivingState, recoverInstallation } from './installation.ts'
import { type Machine, nodeMachine } from './machine.ts'
import { type FinalState, MemberStore } from './member.ts'
import { decodeMembership, encodeMembership, type Membership, membershipKey } from './membership.ts'
import { type MemberPlan, type PlanFailure, planMember, type ReplicationOptions } from './plan.ts'
import { defaultQueueBounds, type QueueBounds } from './proposal-queue.ts'
import type { LoadedReplica, Stopped, Timing } from './replica-parts.ts'
import type { SnapshotFailure } from './snapshot-file.ts'
import { noTransport } from './transport.ts'

export interface MemberOptions {
  /** Made when absent. One process at a time may have it open. */
  readonly dataDir: string
  readonly clock: Clock
  /** What the directory must belong to; a new one remembers it. Absent: whatever it has; a new one is for `cluster`. */
  readonly identity?: Identity
  /** How long history is kept at least, milliseconds; default five minutes. */
  readonly historyMs?: number
  /** Versions kept for history at most; default 250,000 (about 40 MB of memory). Beyond it history gets shorter. */
  readonly historyVersionsMax?: number
  /** Memory for the newest values, bytes; default 16 MiB. */
  readonly recentBytesMax?: number
  /** Proposals that may wait; what comes on top is refused as Unavailable. */
  readonly queue?: QueueBounds
  /** Log entries kept after they were applied. */
  readonly log?: LogBounds
  /** Other members; absent: this one is alone, and listens for none. */
  readonly replication?: ReplicationOptions
  /** Default: this one. Tests hand in one that fails. */
  readonly machine?: Machine
}

export interface Member {
  /** The in-process store. */
  readonly store: Store
  /** Whom the data directory belongs to. */
  readonly identity: Identity
  /** Who takes part, and how they are. */
  readonly cluster: Cluster
  /** Saves the applied state in a file, which must not exist as `<path>.partial`; restore.ts makes a new cluster of it. */
  saveSnapshot(path: string): Promise<Result<void, SnapshotFailure>>
  /** Calls `listener` once when the member stops serving for good: the disk failed, or records are corrupt. */
  onFatal(listener: (failure: Stopped) => void): void
  close(): Promise<void>
}

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

const defaultHistoryMs = 5 * 60_000
const aloneLogBounds: LogBounds = { keptEntriesMax: 256, keptBytesMax: 4 * 1024 * 1024 }
/** What a member misses within these bounds comes from the log, else by a snapshot. Memory of each member. */
const groupLogBounds: LogBounds = { keptEntriesMax: 8192, keptBytesMax: 32 * 1024 * 1024 }
/** An election begins 0.8 to 1.6 s after the leader was last heard; it is heard ten times a second. */
const defaultTiming: Omit<Timing, 'ticks'> = {
  tickMs: 50,
  electionTicks: 16,
  heartbeatTicks: 2,
  waitMaxMs: 5000,
}
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
    const found = await load(database, plan.membership)
    if (!found.ok) return found
    const loaded = ok(await introduce(database, found.value, plan))
    if (replication === undefined && loaded.value.membership.members.length > 1) {
      return fail({ code: 'BadCluster', message: describeMissingPeers(dataDir, loaded.value.membership) })
    }
    const { members, nextId } = loaded.value.membership
    if (plan.id < nextId && members.every(({ id }) => id !== plan.id)) {
      const message = `the member of ${dataDir} was removed from its cluster: to take part again, add it anew with an empty directory`
      return fail({ code: 'BadCluster', message })
    }
    const wrong = checkFound(dataDir, loaded.value, identity.value, final.value)
    if (wrong !== undefined) return fail(wrong)
    if (plan.changed) await writeIdentity(files, dataDir, plan.identity)
    if (final.value !== undefined) await removeFinalState(files, dataDir)
    const started = await startMember(options, machine, database, loaded.value, plan)
    opened = started.ok
    return started
  } finally {
    if (!opened) await database.close()
  }
}

/** The membership of a new directory. Others rely on it: then it is durable before the directory counts as in use. */
async function writeMembership(database: Database, membership: Membership, sync: boolean): Promise<void> {
  const value = encodeMembership(membership)
  await database.write([{ type: 'put', key: membershipKey, value }], { sync })
}

/** A member that was alone so far gets the name and address by which others know it. */
async function introduce(
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

async function startMember(
  options: MemberOptions,
  machine: Machine,
  database: Database,
  loaded: LoadedReplica,
  { identity, id, address }: MemberPlan,
): Promise<Result<Member, OpenFailure>> {
  const { clock, dataDir, replication } = options
  const arriving = createArrivingState({
    dataDir,
    files: machine.files,
    openDatabase: (path) => machine.openDatabase(path),
  })
  const events = new LateEvents()
  const timing = { ...defaultTiming, ...replication?.timing, ticks: replication !== undefined }
  const timers = replication?.clock ?? clock
  const listen = parseAddress(replication?.listenAddress ?? address)
  const peers = listen.ok
    ? await machine.startPeers({
        id,
        name: identity.name ?? '',
        clusterId: identity.clusterId ?? '',
        address,
        listen: listen.value,
        tls: replication?.tls,
        clock: timers,
        events,
        onJoin: (name) => events.describe(name),
        onProblem: replication?.onPeerProblem ?? (() => {}),
      })
    : ok(noTransport)
  if (!peers.ok) return peers
  const store = new MemberStore({
    replica: {
      id,
      database,
      loaded,
      clock,
      timing,
      timers,
      settings: {
        recentBytesMax: options.recentBytesMax ?? 16 * 1024 * 1024,
        queue: options.queue ?? defaultQueueBounds,
        log: options.log ?? (replication === undefined ? aloneLogBounds : groupLogBounds),
      },
      transport: peers.value,
      installation: arriving,
      random: (below) => machine.random(below),
      defer: (action) => machine.defer(action),
      createRaft: (core) => machine.createRaft(core),
    },
    settings: {
      historyMs: options.historyMs ?? defaultHistoryMs,
      historyVersionsMax: options.historyVersionsMax ?? 250_000,
    },
    closed: (final) => writeFinalState(machine.files, dataDir, final),
  })
  const cluster = createCluster({
    store,
    id,
    identity,
    transport: peers.value,
    databaseBytes: () => machine.files.folderBytes(databaseFolder(dataDir)),
    timers,
    waitMaxMs: timing.waitMaxMs,
    loopbackOnly: replication?.tls === undefined,
    address,
  })
  events.connect({ store, arriving, cluster })
  await store.start()
  return ok({
    store,
    identity,
    cluster,
    saveSnapshot: (path) => store.saveSnapshot(path, identity),
    onFatal: (listener) => store.onFatal(listener),
    async close() {
      cluster.close()
      await store.close()
    },
  })
}

async function load(database: Database, planned: Membership): Promise<Result<LoadedReplica, Corrupt>> {
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

/** Compares what was found with what the files beside the database say of it. */
function checkFound(
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

function describeMissingPeers(dataDir: string, { members }: Membership): string {
  const names = members.map(({ name, address }) => `${name}=${address}`).join(',')
  return `${dataDir} belongs to a cluster of ${members.length} members (${names}): say which one this is, and where it listens`
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

/** A bug, rather than something that the operating system or level said: those carry a code of theirs. */
function isOwnError(error: unknown): boolean {
  return !(error instanceof Error && 'code' in error) || String(error.code).startsWith('ERR_')
}
