import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, type Corrupt, fail, ok, type Result, type Store } from '../contract.ts'
import {
  type Database,
  describeError,
  isCorruptionError,
  isLockError,
  isLocked,
  openDatabase,
} from '../disk/database.ts'
import { inspectDatabase } from '../disk/inspect.ts'
import { Log, type LogBounds, readLog } from '../log/log.ts'
import { describeDigest, digestEquals } from '../mvcc/digest.ts'
import { loadState } from '../mvcc/load.ts'
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
import { type FinalState, type MemberParts, MemberStore, type Stopped } from './member.ts'
import { defaultQueueBounds, type QueueBounds } from './proposal-queue.ts'

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
  /** Opens the database in a folder; tests hand in a disk that fails. */
  readonly openDatabase?: (path: string) => Promise<Database>
}

export interface Member {
  /** The in-process store. */
  readonly store: Store
  /** Whom the data directory belongs to. */
  readonly identity: Identity
  /** Calls `listener` once when the member stops serving for good: the disk failed, or records are corrupt. */
  onFatal(listener: (failure: Stopped) => void): void
  close(): Promise<void>
}

/** Another process, or this one, has the data directory open. */
export type InUse = { readonly code: 'InUse'; readonly path: string; readonly message: string }
/** The operating system refused a file operation. */
export type DiskFailed = { readonly code: 'DiskFailed'; readonly path: string; readonly message: string }

/** Why a data directory cannot be opened. Every `message` is fit for the operator; nothing was changed. */
export type OpenFailure = Corrupt | InUse | DiskFailed | WrongIdentity | UnsupportedFormat

const defaultHistoryMs = 5 * 60_000
const defaultLogBounds: LogBounds = { keptEntriesMax: 256, keptBytesMax: 4 * 1024 * 1024 }
const newIdentity: Identity = { dialect: 'cluster' }

/**
 * Opens a data directory, or makes one, and starts its member. All that is stored is checked first: the files, every
 * record, all records together, and that they are what the last clean stop left.
 */
export async function openMember(options: MemberOptions): Promise<Result<Member, OpenFailure>> {
  const { dataDir } = options
  const folder = databaseFolder(dataDir)
  let result: Result<Member, OpenFailure>
  try {
    // What is stored may be secret: the folder is the owner's only.
    await mkdir(folder, { recursive: true, mode: 0o700 })
    result = await openFolder(options, folder)
  } catch (error) {
    result = failToOpen(folder, error)
  }
  if (result.ok || result.failure.code !== 'Corrupt') return result
  // A folder that another process writes to looks damaged while it is being read.
  if (await isLocked(folder)) return failInUse(folder)
  return fail({ ...result.failure, message: `${result.failure.message}; ${whatToDo(dataDir)}` })
}

async function openFolder(options: MemberOptions, folder: string): Promise<Result<Member, OpenFailure>> {
  const { dataDir } = options
  const identity = await readIdentity(dataDir, options.identity)
  if (!identity.ok) return identity
  if (identity.value !== undefined && (await isLocked(folder))) return failInUse(folder)
  const final = await readFinalState(dataDir)
  if (!final.ok) return final
  const inspected = await inspectDatabase(folder, {
    created: identity.value !== undefined,
    clean: final.value !== undefined,
  })
  if (!inspected.ok) return inspected
  const database = await (options.openDatabase ?? openDatabase)(folder)
  let opened = false
  try {
    const loaded = await load(database)
    if (!loaded.ok) return loaded
    const wrong = checkFound(dataDir, loaded.value, identity.value, final.value)
    if (wrong !== undefined) return fail(wrong)
    const own = identity.value ?? options.identity ?? newIdentity
    if (identity.value === undefined) await writeIdentity(dataDir, own)
    if (final.value !== undefined) await removeFinalState(dataDir)
    opened = true
    return ok(startMember(options, database, loaded.value, own))
  } finally {
    if (!opened) await database.close()
  }
}

type Loaded = Pick<MemberParts, 'state' | 'appliedIndex' | 'log' | 'unapplied'>

function startMember(options: MemberOptions, database: Database, loaded: Loaded, identity: Identity): Member {
  const store = new MemberStore({
    ...loaded,
    database,
    clock: options.clock,
    settings: {
      historyMs: options.historyMs ?? defaultHistoryMs,
      historyVersionsMax: options.historyVersionsMax ?? 250_000,
      recentBytesMax: options.recentBytesMax ?? 16 * 1024 * 1024,
      queue: options.queue ?? defaultQueueBounds,
      log: options.log ?? defaultLogBounds,
    },
    closed: (final) => writeFinalState(options.dataDir, final),
  })
  store.start()
  return { store, identity, onFatal: (listener) => store.onFatal(listener), close: () => store.close() }
}

async function load(database: Database): Promise<Result<Loaded, Corrupt>> {
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
  return ok({
    state: state.value.state,
    appliedIndex,
    log: new Log(head, entries),
    unapplied: entries.filter((entry) => entry.index > appliedIndex),
  })
}

/** Compares what was found with what the files beside the database say of it. */
function checkFound(
  dataDir: string,
  { state, log }: Loaded,
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
