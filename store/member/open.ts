import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, type Corrupt, fail, ok, type Result, type Store } from '../contract.ts'
import { type Database, openDatabase } from '../disk/database.ts'
import { Log, type LogBounds, readLog } from '../log/log.ts'
import { loadState } from '../mvcc/load.ts'
import { MemberStore, type Stopped } from './member.ts'
import { defaultQueueBounds, type QueueBounds } from './proposal-queue.ts'

export interface MemberOptions {
  /** Made when absent. One process at a time may have it open. */
  readonly dataDir: string
  readonly clock: Clock
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
  /** Calls `listener` once when the member stops serving for good: the disk failed, or records are corrupt. */
  onFatal(listener: (failure: Stopped) => void): void
  close(): Promise<void>
}

export type OpenFailure = Corrupt

const defaultHistoryMs = 5 * 60_000
const defaultLogBounds: LogBounds = { keptEntriesMax: 256, keptBytesMax: 4 * 1024 * 1024 }

export async function openMember(options: MemberOptions): Promise<Result<Member, OpenFailure>> {
  await mkdir(options.dataDir, { recursive: true })
  const database = await (options.openDatabase ?? openDatabase)(join(options.dataDir, 'store'))
  const loaded = await load(database)
  if (!loaded.ok) {
    await database.close()
    return loaded
  }
  const store = new MemberStore({
    ...loaded.value,
    database,
    clock: options.clock,
    settings: {
      historyMs: options.historyMs ?? defaultHistoryMs,
      historyVersionsMax: options.historyVersionsMax ?? 250_000,
      recentBytesMax: options.recentBytesMax ?? 16 * 1024 * 1024,
      queue: options.queue ?? defaultQueueBounds,
      log: options.log ?? defaultLogBounds,
    },
    closed: async () => {},
  })
  store.start()
  return ok({ store, onFatal: (listener) => store.onFatal(listener), close: () => store.close() })
}

async function load(database: Database) {
  const state = await loadState(database)
  if (!state.ok) return state
  const log = await readLog(database)
  if (!log.ok) return log
  const { appliedIndex } = state.value
  const { head, entries } = log.value
  if (appliedIndex < head.before.index || appliedIndex > head.lastIndex) {
    const message = `the state contains entry ${appliedIndex}, the log holds those after ${head.before.index} up to ${head.lastIndex}`
    return fail<Corrupt>({ code: 'Corrupt', where: 'log head', message })
  }
  return ok({
    state: state.value.state,
    appliedIndex,
    log: new Log(head, entries),
    unapplied: entries.filter((entry) => entry.index > appliedIndex),
  })
}
