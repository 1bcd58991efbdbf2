/**
 * Taking a state from another member: it arrives in a database of its own beside the one in use, and takes its place
 * when it is complete. At every moment of a crash one of the two is whole and known to be the right one:
 *
 *     store/            in use                      in use                      (removed)
 *     store.arriving/   being written, no promise   complete, synced, closed    renamed to store/
 *     arrived           absent                      written: the switch is on   removed
 */
import { join } from 'node:path'
import { type Corrupt, fail, ok, type Result } from '../contract.ts'
import { type Database, describeError, type Write } from '../disk/database.ts'
import type { Files } from '../disk/files.ts'
import { loadState } from '../mvcc/load.ts'
import { databaseFolder } from './data-directory.ts'
import { decodeMembership, membershipKey } from './membership.ts'
import type { Installation, InstalledState, Stopped } from './replica-parts.ts'

export interface InstallationOptions {
  readonly dataDir: string
  readonly files: Files
  openDatabase(path: string): Promise<Database>
}

function arrivingFolder(dataDir: string): string {
  return join(dataDir, 'store.arriving')
}

function arrivedMark(dataDir: string): string {
  return join(dataDir, 'arrived')
}

/** Finishes or forgets what a crash left of an installation. Before the database is looked at. */
export async function recoverInstallation(files: Files, dataDir: string): Promise<Result<void, Corrupt>> {
  const mark = await files.readSealed(arrivedMark(dataDir))
  if (mark.state === 'damaged') {
    return fail({ code: 'Corrupt', where: arrivedMark(dataDir), message: 'checksum does not match' })
  }
  if (mark.state === 'intact') await switchOver(files, dataDir)
  await files.removeFolder(arrivingFolder(dataDir))
  return ok(undefined)
}

/** From the mark on: repeated from its start after a crash. Once the state was moved, only the mark is left to remove. */
async function switchOver(files: Files, dataDir: string): Promise<void> {
  const arriving = arrivingFolder(dataDir)
  if (await files.exists(arriving)) {
    await files.removeFolder(databaseFolder(dataDir))
    await files.moveFolder(arriving, databaseFolder(dataDir))
  }
  await files.removeSealed(arrivedMark(dataDir))
}

export interface ArrivingState extends Installation {
  /** Starts over with an empty database. */
  begin(): Promise<void>
  write(records: readonly (readonly [Buffer, Buffer])[]): Promise<void>
  /** Removes what has arrived, unless it is being installed. */
  abandon(): Promise<void>
}

/** The place where a state arrives, one at a time, and from where it is installed. */
export function createArrivingState({ dataDir, files, openDatabase }: InstallationOptions): ArrivingState {
  const folder = arrivingFolder(dataDir)
  let arriving: Database | undefined

  async function abandon(): Promise<void> {
    const database = arriving
    arriving = undefined
    await database?.close()
    await files.removeFolder(folder)
  }

  async function install(current: Database, writes: readonly Write[]): Promise<InstalledState | Corrupt> {
    const database = arriving
    if (database === undefined) throw new Error('the core installs a state that has not arrived')
    arriving = undefined
    try {
      await database.write(writes, { sync: true })
    } finally {
      await database.close()
    }
    // LevelDB syncs the last file of its log only, and may leave the one before it unsynced.
    await files.syncContents(folder)
    await files.writeSealed(arrivedMark(dataDir), {})
    await current.close()
    await switchOver(files, dataDir)
    const installed = await openDatabase(databaseFolder(dataDir))
    const loaded = await loadInstalled(installed)
    if ('code' in loaded) await installed.close()
    return loaded
  }

  return {
    async begin() {
      await abandon()
      await files.makeFolder(folder)
      arriving = await openDatabase(folder)
    },
    async write(records) {
      const writes = records.map(([key, value]): Write => ({ type: 'put', key, value }))
      await arriving?.write(writes, { sync: false })
    },
    abandon,
    async install(current, writes): Promise<Result<InstalledState, Stopped>> {
      try {
        const installed = await install(current, writes)
        return 'code' in installed ? fail(installed) : ok(installed)
      } catch (error) {
        const message = `the disk failed while a state was installed: ${describeError(error)}`
        return fail({ code: 'Unavailable', message })
      }
    },
  }
}

async function loadInstalled(database: Database): Promise<InstalledState | Corrupt> {
  const loaded = await loadState(database)
  if (!loaded.ok) return loaded.failure
  const stored = database.getInTurn(membershipKey)
  const membership = stored === undefined ? undefined : decodeMembership(stored)
  if (membership === undefined) {
    return { code: 'Corrupt', where: 'membership record', message: 'checksum does not match' }
  }
  return { ...loaded.value, database, membership }
}
