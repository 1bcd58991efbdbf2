import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Corrupt, fail, ok, type Result } from '../contract.ts'
import { scanLog } from './log-format.ts'
import { readManifest } from './manifest.ts'
import { checkTable } from './table.ts'

export interface Inspection {
  /** The database was completely created earlier: it must be there. */
  readonly created: boolean
  /** The last stop was a clean one: a torn end of a log is damage. */
  readonly clean: boolean
}

/** How many table files are read at the same time, at most 8 MiB each. */
const tablesAtOnce = 2

/**
 * Checks the files of a closed LevelDB folder before LevelDB opens it, since LevelDB passes over damage in silence:
 * it drops unreadable parts of a log, does not verify tables, and makes an empty database where CURRENT is missing.
 * The value tells whether a database is there. Rejects when a file cannot be read.
 */
export async function inspectDatabase(
  folder: string,
  { created, clean }: Inspection,
): Promise<Result<boolean, Corrupt>> {
  const names = await listFiles(folder)
  if (!names.has('CURRENT')) {
    const left = [...names].some((name) => /\.(ldb|sst|log)$/.test(name))
    return created || left ? corrupt(folder, 'CURRENT', 'the file is missing') : ok(false)
  }
  const current = /^(MANIFEST-\d+)\n$/.exec(await readFile(join(folder, 'CURRENT'), 'latin1'))?.[1]
  if (current === undefined) return corrupt(folder, 'CURRENT', 'does not name a manifest')
  if (!names.has(current)) return corrupt(folder, current, 'the file is missing')
  const { scan, manifest } = readManifest(await readFile(join(folder, current)))
  // A torn end is allowed: the files that the last whole edit names are still there, or it is noticed below.
  if (scan.end === 'corrupt') return corrupt(folder, current, `at offset ${scan.offset}: ${scan.message}`)
  if (manifest === undefined) return corrupt(folder, current, 'incomplete')
  const log = await checkLogs(folder, numbered(names, /^(\d+)\.log$/), manifest.logNumber, clean)
  if (log !== undefined) return fail(log)
  const table = await checkTables(folder, numbered(names, /^(\d+)\.(?:ldb|sst)$/), manifest.tables)
  return table === undefined ? ok(true) : fail(table)
}

async function listFiles(folder: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(await readdir(folder))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Set()
    throw error
  }
}

function numbered(names: ReadonlySet<string>, pattern: RegExp): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  for (const name of names) {
    const number = pattern.exec(name)?.[1]
    if (number !== undefined) found.set(Number(number), name)
  }
  return found
}

async function checkLogs(
  folder: string,
  logs: ReadonlyMap<number, string>,
  logNumber: number,
  clean: boolean,
): Promise<Corrupt | undefined> {
  if (!logs.has(logNumber)) {
    return failure(folder, `${String(logNumber).padStart(6, '0')}.log`, 'the file is missing')
  }
  const live = [...logs].filter(([number]) => number >= logNumber).sort(([a], [b]) => a - b)
  const newest = live.at(-1)?.[0]
  for (const [number, name] of live) {
    const scan = scanLog(await readFile(join(folder, name)))
    if (scan.end === 'complete') continue
    if (scan.end === 'corrupt') return failure(folder, name, `at offset ${scan.offset}: ${scan.message}`)
    if (clean || number !== newest) return failure(folder, name, `cut short at offset ${scan.offset}`)
  }
  return undefined
}

async function checkTables(
  folder: string,
  files: ReadonlyMap<number, string>,
  tables: ReadonlyMap<number, number>,
): Promise<Corrupt | undefined> {
  const waiting = [...tables]
  let found: Corrupt | undefined
  const lane = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined && found === undefined; next = waiting.pop()) {
      const [number, size] = next
      const name = files.get(number)
      if (name === undefined) {
        found = failure(folder, `${String(number).padStart(6, '0')}.ldb`, 'the file is missing')
        return
      }
      const file = await readFile(join(folder, name))
      const wrong = file.length === size ? checkTable(file) : `${file.length} bytes instead of ${size}`
      if (wrong !== undefined) found = failure(folder, name, wrong)
    }
  }
  await Promise.all(Array.from({ length: tablesAtOnce }, lane))
  return found
}

function failure(folder: string, name: string, message: string): Corrupt {
  return { code: 'Corrupt', where: join(folder, name), message }
}

function corrupt(folder: string, name: string, message: string): Result<never, Corrupt> {
  return fail(failure(folder, name, message))
}
