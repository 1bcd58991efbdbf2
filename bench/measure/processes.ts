/**
 * What processes cost, read from `/proc` (Linux): processor time and memory of a process and all its descendants.
 *
 * Source: proc(5), `/proc/pid/stat` fields 4 (ppid), 14 (utime), 15 (stime); `/proc/pid/smaps_rollup`.
 */

import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks are 1/100 s on every Linux that Node runs on: figures of one window are true to ±10 ms a process. */
const tickMs = 10

interface Memory {
  /** Proportional set size: pages shared by n processes count 1/n in each, so the sum is true. */
  readonly pssBytes: number
  readonly rssBytes: number
}

export interface ProcessTree {
  /** The processes alive now. */
  pids(): readonly number[]
  /** Processor time that the processes alive now have used so far, user and system, milliseconds. */
  cpuMs(): number
  memory(): Memory
}

interface Stat {
  readonly parent: number
  readonly cpuMs: number
}

/** Watches over `roots` and whatever they have started. A process that is gone counts nothing. */
export function createProcessTree(roots: readonly number[]): ProcessTree {
  return {
    pids: () => members(roots).map(([pid]) => pid),
    cpuMs: () => members(roots).reduce((sum, [, stat]) => sum + stat.cpuMs, 0),
    memory: () =>
      members(roots)
        .map(([pid]) => memoryOf(pid))
        .reduce(
          (sum, one) => ({
            pssBytes: sum.pssBytes + one.pssBytes,
            rssBytes: sum.rssBytes + one.rssBytes,
          }),
          { pssBytes: 0, rssBytes: 0 },
        ),
  }
}

function members(roots: readonly number[]): readonly (readonly [number, Stat])[] {
  const stats = new Map<number, Stat>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    const stat = Number.isInteger(pid) ? statOf(pid) : undefined
    if (stat !== undefined) stats.set(pid, stat)
  }
  const within = new Set(roots)
  for (let grown = true; grown; ) {
    grown = false
    for (const [pid, { parent }] of stats) {
      if (!within.has(parent) || within.has(pid)) continue
      within.add(pid)
      grown = true
    }
  }
  return [...stats].filter(([pid]) => within.has(pid))
}

function statOf(pid: number): Stat | undefined {
  const text = readProc(`/proc/${pid}/stat`)
  if (text === undefined) return undefined
  // The second field is the command in parentheses, which may hold anything: count from its end.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { parent: Number(fields[1]), cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs }
}

function memoryOf(pid: number): Memory {
  const text = readProc(`/proc/${pid}/smaps_rollup`) ?? ''
  const bytes = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024
  return { pssBytes: bytes('Pss'), rssBytes: bytes('Rss') }
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined // ended between the listing and the read
  }
}
