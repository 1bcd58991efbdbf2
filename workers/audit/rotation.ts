/**
 * Puts a full log aside, under a name that says when, and removes what is too old or too much.
 *
 *     full ─▶ rename ─▶ all who write open the new file ─▶ compress, remove
 *
 * One process does this: of several, two would put the new file aside that the first has just begun. Lines that are
 * written meanwhile land in the file that was put aside, whole; so it is compressed only when nobody has it open.
 */

import { basename, dirname, extname, join } from 'node:path'
import type { Log } from '../../src/observe/log.ts'
import type { Clock } from '../../store/contract.ts'
import type { AuditFileConfig } from '../flags/audit.ts'
import type { LogFiles } from './files.ts'

interface RotationParts {
  readonly config: AuditFileConfig
  readonly files: LogFiles
  readonly clock: Clock
  readonly log: Log
  /** Settles when all who write have let go of the file. */
  readonly reopened: () => Promise<void>
}

interface Rotation {
  /** Looks after what earlier runs left. */
  start(): void
  /** The file of this inode is full. */
  rotate(inode: number): void
  /** Settles when it is done with what it has begun. */
  close(): Promise<void>
}

export function createRotation({ config, files, clock, log, reopened }: RotationParts): Rotation {
  const { path } = config
  const folder = dirname(path)
  let closed = false
  /** Put aside, and still open somewhere. */
  const open = new Set<string>()
  // Each one after the other; no full log waits for another to be compressed.
  const renames = createQueue(complain)
  const tidying = createQueue(complain)

  function complain(error: unknown): void {
    log.error('the audit log could not be put aside', {
      path,
      error: error instanceof Error ? error.message : String(error),
    })
  }

  async function putAside(inode: number): Promise<void> {
    const found = await files.state(path)
    // Somebody else may have told it before.
    const aside = found?.inode === inode ? await freeName(path, files, clock.wallMs()) : undefined
    if (aside !== undefined) {
      open.add(basename(aside))
      await files.rename(path, aside)
    }
    await reopened()
    if (aside !== undefined) open.delete(basename(aside))
    tidying.add(tidy)
  }

  async function tidy(): Promise<void> {
    const kept = backupsIn(await files.list(folder), path)
    const { remove, compress } = selectBackups(kept, config, clock.wallMs())
    for (const { name } of remove) await files.remove(join(folder, name))
    for (const { name } of compress) {
      if (closed) return
      if (open.has(name)) continue
      await files.compress(join(folder, name), join(folder, `${name}.gz`))
      await files.remove(join(folder, name))
    }
  }

  return {
    start: () => tidying.add(tidy),
    rotate: (inode) => renames.add(() => putAside(inode)),
    async close() {
      closed = true
      await renames.idle()
      await tidying.idle()
    },
  }
}

/** Work in its order; what fails keeps nothing else from its turn. */
function createQueue(complain: (error: unknown) => void) {
  let last: Promise<void> = Promise.resolve()
  return {
    add(work: () => Promise<void>): void {
      last = last.then(work).catch(complain)
    },
    idle: (): Promise<void> => last,
  }
}

/** A log that was put aside. */
interface Backup {
  readonly name: string
  /** Without `.gz`. */
  readonly plainName: string
  /** Wall-clock milliseconds. */
  readonly asideMs: number
}

/** `audit.log` → `audit-2026-01-31T12-00-00.000.log`. In UTC. */
export function backupName(path: string, wallMs: number): string {
  const extension = extname(path)
  const time = new Date(wallMs).toISOString().slice(0, -1).replaceAll(':', '-')
  return `${basename(path, extension)}-${time}${extension}`
}

async function freeName(path: string, files: LogFiles, wallMs: number): Promise<string> {
  for (let ms = wallMs; ; ms++) {
    const candidate = join(dirname(path), backupName(path, ms))
    if ((await files.state(candidate)) === undefined) return candidate
  }
}

const timeShape = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/

/** Newest first. */
export function backupsIn(names: readonly string[], path: string): readonly Backup[] {
  const extension = extname(path)
  const start = `${basename(path, extension)}-`
  return names
    .flatMap((name) => {
      const plainName = name.endsWith('.gz') ? name.slice(0, -'.gz'.length) : name
      if (!plainName.startsWith(start) || !plainName.endsWith(extension)) return []
      const time = timeShape.exec(plainName.slice(start.length, plainName.length - extension.length))
      if (time === null) return []
      const asideMs = Date.parse(`${time[1]}T${time[2]}:${time[3]}:${time[4]}Z`)
      return Number.isNaN(asideMs) ? [] : [{ name, plainName, asideMs }]
    })
    .sort((a, b) => b.asideMs - a.asideMs)
}

const dayMs = 24 * 3600 * 1000

/** @param backups newest first; a file and its compressed form count as one */
export function selectBackups(
  backups: readonly Backup[],
  { backupsMax, ageDaysMax, compress }: Omit<AuditFileConfig, 'path' | 'bytesMax'>,
  nowMs: number,
): { readonly remove: readonly Backup[]; readonly compress: readonly Backup[] } {
  const plainNames = [...new Set(backups.map(({ plainName }) => plainName))]
  const kept = new Set(backupsMax === 0 ? plainNames : plainNames.slice(0, backupsMax))
  const isKept = ({ plainName, asideMs }: Backup): boolean =>
    kept.has(plainName) && (ageDaysMax === 0 || asideMs >= nowMs - ageDaysMax * dayMs)
  return {
    remove: backups.filter((one) => !isKept(one)),
    compress: compress ? backups.filter((one) => isKept(one) && one.name === one.plainName) : [],
  }
}
