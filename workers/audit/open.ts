/** Opens the audit log of a process that serves clients. */

import { randomBytes } from 'node:crypto'
import type { LineOut } from '../../src/audit/log-sink.ts'
import type { AuditLog } from '../../src/audit/open-audit.ts'
import type { AuditOptions } from '../../src/audit/options.ts'
import type { Names } from '../../src/names/names.ts'
import type { Log } from '../../src/observe/log.ts'
import { systemClock } from '../../store/clock.ts'
import { ok, type Result } from '../../store/contract.ts'
import type { LogFile } from './log-file.ts'

/** Plain data: it goes to other processes. */
export interface AuditSettings {
  readonly options: AuditOptions
  /** Undefined = lines go to standard output. */
  readonly file: { readonly path: string; readonly bytesMax: number } | undefined
}

/** Who keeps the log in order: the supervisor, for all processes. */
export interface AuditKeeper {
  /** The file of this inode is to be put aside. */
  full(inode: number): void
  /** Whole lines for standard output: one process alone writes there, for a pipe tears long lines of several. */
  print(lines: string): void
}

/** Nobody puts files aside. */
export const noKeeper: AuditKeeper = { full() {}, print: (lines) => void process.stdout.write(lines) }

interface AuditSources {
  readonly settings: AuditSettings | undefined
  readonly keeper: AuditKeeper
  readonly names: Names
  readonly log: Log
}

interface OpenedAudit {
  readonly log: AuditLog
  /** The file has been put aside. */
  reopen(): void
}

/** Undefined = there is none: then nothing that it needs is loaded. The failure names flag and file. */
export async function openAudit({
  settings,
  keeper,
  names,
  log,
}: AuditSources): Promise<Result<OpenedAudit | undefined, string>> {
  if (settings === undefined) return ok(undefined)
  const { options, file } = settings
  const [{ openAuditLog }, { createLogFile }, { machineFiles }] = await Promise.all([
    import('../../src/audit/open-audit.ts'),
    import('./log-file.ts'),
    import('./files.ts'),
  ])
  let logFile: LogFile | undefined
  const lines = (): LineOut => {
    if (file === undefined) return printed(keeper)
    logFile = createLogFile({
      ...file,
      files: machineFiles,
      askRotation: (inode) => keeper.full(inode),
    })
    return logFile
  }
  const opened = await openAuditLog(options, {
    names,
    clock: systemClock,
    log,
    outside: async () => (await import('../outside/outside.ts')).machineOutside,
    fraction: () => randomBytes(4).readUInt32LE() / 2 ** 32,
    lines,
  })
  return opened.ok ? ok({ log: opened.value, reopen: () => logFile?.reopen() }) : opened
}

function printed(keeper: AuditKeeper): LineOut {
  return {
    write(lines) {
      keeper.print(lines)
      return undefined
    },
    close() {},
  }
}
