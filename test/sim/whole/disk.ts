/**
 * One machine's disk: folders with a database each, and small files. It keeps LevelDB's promises and no more:
 *
 * - a write is whole or not there; one that was cut short is recognised and dropped;
 * - the log of a database goes from file to file: a synced write makes what is in its own file durable, what an
 *   older file holds is durable only when its table has been written, a while later;
 * - when the process is killed, what was written stays; when power is lost, of each file a head stays that includes
 *   what was synced.
 */
import { fail, ok } from '../../../store/contract.ts'
import type { Database, DatabaseView, Write } from '../../../store/disk/database.ts'
import type { Files } from '../../../store/disk/files.ts'
import { type OrderedMap, orderedMap } from '../../../store/mvcc/ordered-map.ts'
import { recordPrefix } from '../../../store/mvcc/record.ts'
import type { Random } from '../prng.ts'
import type { Scheduler } from '../scheduler.ts'
import type { Life } from './life.ts'

/** Keys as binary strings. */
type Content = OrderedMap<string, Buffer>

interface Batch {
  readonly file: number
  readonly writes: readonly Write[]
  /** The process was told so, or would have been: it is in memory. */
  done: boolean
  durable: boolean
}

/** A database as it lies on the disk. */
interface Stored {
  /** What is durable for certain, without `journal`. */
  base: Content
  /** What the process sees. */
  content: Content
  journal: Batch[]
  file: number
}

interface Effect {
  happen(): void
}

interface DiskFaults {
  /** Recovery takes half a batch for a whole one. */
  readonly trustTornBatch: boolean
}

export interface MachineDisk {
  /** How long synced writes take, in milliseconds. */
  latencyMs: readonly [min: number, max: number]
  /** Refuses writes; some are done nevertheless. */
  full: boolean
  /** Damages a stored value, until `repair`; false when there is none. `damage` changes the content. */
  rot(damage: (content: Buffer) => Buffer): boolean
  repair(): void
  readonly isDamaged: boolean
  /** The process is gone; with `power`, also what was not durable, as chance has it. */
  crash(power: boolean): void
  /** An empty disk in its place. */
  replace(): void
  openDatabase(life: Life, path: string): Promise<Database>
  files(life: Life): Files
  exists(path: string): boolean
}

export function createMachineDisk(scheduler: Scheduler, random: Random, faults: DiskFaults): MachineDisk {
  let databases = new Map<string, Stored>()
  let sealed = new Map<string, unknown>()
  let damaged = new Map<Buffer, Buffer>()
  let underWay: Effect[] = []
  let freeAtMs = 0

  const hardware: MachineDisk = {
    latencyMs: [0, 2],
    full: false,
    rot(damage) {
      const stored = [...databases.values()].flatMap(({ content }) =>
        [...content.entries('r', undefined)].filter(([key]) => key.charCodeAt(0) === recordPrefix),
      )
      if (stored.length === 0) return false
      const [, value] = random.pick(stored)
      damaged.set(value, damage(value))
      return true
    },
    repair() {
      damaged = new Map()
    },
    get isDamaged() {
      return damaged.size > 0
    },
    crash(power) {
      freeAtMs = 0
      const doing = underWay
      underWay = []
      for (const effect of doing) {
        if (random.chance(0.5)) break
        effect.happen()
      }
      for (const stored of databases.values()) recover(stored, power)
    },
    replace() {
      databases = new Map()
      sealed = new Map()
      damaged = new Map()
    },
    exists: (path) => databases.has(path) || sealed.has(path),
    async openDatabase(life, path) {
      await access(life, 0)
      let stored = databases.get(path)
      if (stored === undefined) {
        stored = { base: orderedMap(), content: orderedMap(), journal: [], file: 0 }
        databases.set(path, stored)
      }
      // What recovery found is written to a table first.
      makeDurable(stored, () => true)
      return openStored(life, stored)
    },
    files: (life) => openFiles(life),
  }
  return hardware

  /** The disk does one thing after the other. */
  function access(life: Life, lengthMs: number): Promise<void> {
    const startMs = Math.max(freeAtMs, scheduler.nowMs())
    freeAtMs = startMs + lengthMs
    return life.wait(freeAtMs - scheduler.nowMs())
  }

  function recover(stored: Stored, power: boolean): void {
    const heads = new Map<number, number>()
    const kept: Batch[] = []
    for (const file of new Set(stored.journal.map((batch) => batch.file))) {
      const batches = stored.journal.filter((batch) => batch.file === file)
      const certain = batches.findLastIndex(({ done, durable }) => (power ? durable : done)) + 1
      heads.set(file, certain + random.below(batches.length - certain + 1))
    }
    for (const batch of stored.journal) {
      const left = heads.get(batch.file) ?? 0
      heads.set(batch.file, left - 1)
      if (left > 0) kept.push({ ...batch, done: true, durable: batch.durable || power })
      else if (left === 0 && faults.trustTornBatch) {
        kept.push({ ...batch, writes: batch.writes.slice(0, -1), done: true, durable: true })
      }
    }
    stored.journal = kept
    stored.content = stored.base.clone()
    for (const { writes } of kept) apply(stored.content, writes)
    settle(stored)
  }

  /** Forgets the part of the journal that is durable for certain. */
  function settle(stored: Stored): void {
    if (!stored.journal.every(({ done, durable }) => done && durable)) return
    stored.base = stored.content.clone()
    stored.journal = []
  }

  function makeDurable(stored: Stored, concerned: (batch: Batch) => boolean): void {
    for (const batch of stored.journal) if (concerned(batch)) batch.durable = true
    settle(stored)
  }

  /** From time to time the log goes on in another file, and the table of the one before is written beside it. */
  function changeFile(life: Life, stored: Stored): void {
    const before = stored.file++
    life.after(random.between(5, 200), () => {
      if ([...databases.values()].includes(stored)) makeDurable(stored, ({ file }) => file <= before)
    })
  }

  function read(content: Buffer | undefined): Buffer | undefined {
    return content === undefined ? undefined : (damaged.get(content) ?? content)
  }

  function openStored(life: Life, stored: Stored): Database {
    let open = true
    const check = () => {
      if (!open)
        throw Object.assign(new Error('the database is not open'), { code: 'LEVEL_DATABASE_NOT_OPEN' })
    }
    function view(): DatabaseView {
      check()
      const seen = stored.content.clone()
      return {
        async getMany(keys) {
          await life.wait(random.next())
          check()
          return keys.map((key) => read(seen.get(key.toString('latin1'))))
        },
        async *scan(start, end) {
          const chunkMax = random.pick([2, 8, 512])
          const end_ = end.toString('latin1')
          let from = start.toString('latin1')
          for (;;) {
            await life.wait(random.next())
            check()
            const chunk: [Buffer, Buffer][] = []
            seen.forRange(from, end_, false, (key, value) => {
              chunk.push([Buffer.from(key, 'latin1'), read(value) ?? value])
              from = `${key}\0`
              return chunk.length < chunkMax ? undefined : { break: true }
            })
            if (chunk.length === 0) return
            yield chunk
          }
        },
        async close() {},
      }
    }
    return {
      async write(writes, { sync }) {
        check()
        if (random.chance(0.1)) changeFile(life, stored)
        const batch: Batch = { file: stored.file, writes: [...writes], done: false, durable: false }
        stored.journal.push(batch)
        await access(life, sync ? random.between(...hardware.latencyMs) : 0)
        if (hardware.full) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
        check()
        apply(stored.content, writes)
        batch.done = true
        if (sync) makeDurable(stored, ({ file, done }) => done && file === batch.file)
      },
      getInTurn(key) {
        check()
        return read(stored.content.get(key.toString('latin1')))
      },
      view,
      async close() {
        await life.wait(0)
        open = false
      },
    }
  }

  function openFiles(life: Life): Files {
    /** Takes a while, and happens as a whole or not at all. */
    async function change(happen: () => void): Promise<void> {
      const effect = { happen }
      underWay.push(effect)
      await access(life, random.between(...hardware.latencyMs))
      underWay = underWay.filter((other) => other !== effect)
      happen()
    }
    return {
      async makeFolder() {},
      exists: async (path) => hardware.exists(path),
      moveFolder: (from, to) =>
        change(() => {
          const moved = databases.get(from)
          databases.delete(from)
          if (moved !== undefined) databases.set(to, moved)
        }),
      removeFolder: (path) => change(() => databases.delete(path)),
      syncContents: (path) =>
        change(() => {
          const stored = databases.get(path)
          if (stored !== undefined) makeDurable(stored, ({ done }) => done)
        }),
      folderBytes: async () => 0,
      readSealed: async (path) =>
        sealed.has(path) ? { state: 'intact', content: sealed.get(path) } : { state: 'absent' },
      async writeSealed(path, content) {
        if (hardware.full) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
        await change(() => sealed.set(path, JSON.parse(JSON.stringify(content))))
      },
      removeSealed: (path) => change(() => sealed.delete(path)),
    }
  }
}

/** As inspectDatabase does for real files. */
export function inspectStored(disk: MachineDisk, path: string, created: boolean) {
  return created && !disk.exists(path)
    ? fail({ code: 'Corrupt', where: path, message: 'CURRENT: the file is missing' } as const)
    : ok(true)
}

function apply(content: Content, writes: readonly Write[]): void {
  for (const write of writes) {
    const key = write.key.toString('latin1')
    if (write.type === 'put') content.set(key, write.value)
    else content.delete(key)
  }
}
