/**
 * Deliberate mistakes of a whole member, each a wrapper around what its machine gives it: so the product needs no
 * switch for them.
 */
import { crc32 } from 'node:zlib'
import type { Database, Write } from '../../../store/disk/database.ts'
import { decodeMeta, encodeMeta, metaKey } from '../../../store/mvcc/meta.ts'
import { readContent, recordPrefix, recordsStart } from '../../../store/mvcc/record.ts'
import type { Rules } from '../../../store/raft/rules.ts'
import type { Profile } from '../nemesis.ts'
import type { Random } from '../prng.ts'

export interface WholeFault {
  readonly what: string
  readonly database?: (database: Database, random: Random) => Database | Promise<Database>
  readonly rules?: Partial<Rules>
  readonly trustTornBatch?: boolean
  readonly forwardTwice?: boolean
  /** Damage on disk passes the checksum. */
  readonly unseenDamage?: boolean
  readonly profile?: Profile | 'disks' | 'newcomers'
  readonly seeds: { readonly from: number; readonly count: number }
}

const isState = ({ key }: Write): boolean => key[0] === recordPrefix || key.equals(metaKey)

export const wholeFaults: ReadonlyMap<string, WholeFault> = new Map(
  Object.entries({
    'forget-sync': {
      what: 'answers without waiting for the disk',
      database: (database) => ({ ...database, write: (writes) => database.write(writes, { sync: false }) }),
      profile: 'disks',
      seeds: { from: 1, count: 60 },
    },
    'unsynced-state': {
      what: 'writes its state without a sync when no entry goes with it',
      database: (database) => ({
        ...database,
        write: (writes) =>
          database.write(writes, { sync: writes.some(({ key }) => key.toString('latin1') === 'h') }),
      }),
      profile: 'disks',
      seeds: { from: 1, count: 300 },
    },
    'apply-twice': {
      what: 'applies its last entry again after a restart',
      database: misplaced(-1),
      seeds: { from: 1, count: 20 },
    },
    'apply-not': {
      what: 'passes over an entry after a restart',
      database: misplaced(1),
      seeds: { from: 1, count: 20 },
    },
    'truncate-early': {
      what: 'shortens its log before the state that replaces it is durable',
      database: stateLater,
      profile: 'disks',
      seeds: { from: 1, count: 60 },
    },
    'lose-record': {
      what: 'loses a record of its state',
      database: (database, random) => ({
        ...database,
        write(writes, options) {
          const lost = random.chance(0.05) ? writes.findIndex(({ key }) => key[0] === recordPrefix) : -1
          return database.write(
            writes.filter((_, i) => i !== lost),
            options,
          )
        },
      }),
      profile: 'disks',
      seeds: { from: 1, count: 60 },
    },
    'trust-torn-batch': {
      what: 'takes half a batch for a whole one after a crash',
      trustTornBatch: true,
      profile: 'disks',
      seeds: { from: 1, count: 60 },
    },
    'drop-event-at-compaction': {
      what: 'loses an event too many of the history that is left after a compaction',
      database: dropsEvent,
      seeds: { from: 1, count: 100 },
    },
    'skip-checksum': {
      what: 'serves what it reads without looking at the checksum',
      unseenDamage: true,
      profile: 'disks',
      seeds: { from: 1, count: 100 },
    },
    'forward-twice': {
      what: 'takes a forwarded group again when it comes again',
      forwardTwice: true,
      seeds: { from: 1, count: 20 },
    },
    'read-without-quorum': {
      what: 'serves reads without asking whether it still leads',
      rules: { isReadConfirmed: () => true },
      profile: 'clocks',
      seeds: { from: 1, count: 60 },
    },
  } satisfies Record<string, WholeFault>),
)

/** The place in the log that the state stands for is wrong by one, once for each start. */
function misplaced(by: number): (database: Database) => Database {
  return (database) => {
    let first = true
    return {
      ...database,
      getInTurn(key) {
        const value = database.getInTurn(key)
        const meta = first && key.equals(metaKey) && value !== undefined ? decodeMeta(value) : undefined
        if (key.equals(metaKey)) first = false
        if (meta === undefined || meta.appliedIndex < 2) return value
        return encodeMeta({ ...meta, appliedIndex: meta.appliedIndex + by })
      },
    }
  }
}

function stateLater(database: Database): Database {
  let held: Write[] = []
  return {
    ...database,
    write(writes, options) {
      const now = [...held, ...writes.filter((write) => !isState(write))]
      held = writes.filter(isState)
      return database.write(now, options)
    },
  }
}

/** The oldest event of a history that does not begin with the first revision is not found. */
function dropsEvent(database: Database): Database {
  let compacted = false
  return {
    ...database,
    write(writes, options) {
      compacted ||= writes.some(({ type, key }) => type === 'del' && key[0] === recordPrefix)
      return database.write(writes, options)
    },
    view() {
      const view = database.view()
      return {
        ...view,
        async *scan(start, end) {
          let dropped = !compacted || start[0] !== recordPrefix || start.equals(recordsStart)
          for await (const chunk of view.scan(start, end)) {
            yield dropped ? chunk : chunk.slice(1)
            dropped = true
          }
        },
      }
    },
  }
}

/** Changes a value. `unseen`: so that its CRC-32 stays the same. */
export function damageContent(content: Buffer, unseen: boolean): Buffer {
  const damaged = Buffer.from(content)
  const offset = readContent(content)?.valueOffset ?? 0
  const length = content.length - offset
  if (length < 5) {
    damaged.writeUInt8((damaged.readUInt8(damaged.length - 1) ^ 1) & 0xff, damaged.length - 1)
    return damaged
  }
  damaged.writeUInt8(damaged.readUInt8(offset) ^ 1, offset)
  if (!unseen) return damaged
  // CRC-32 is linear: four bytes at the end can undo any difference. Found bit by bit.
  const goal = crc32(content)
  const at = damaged.length - 4
  const effects: { crc: number; mask: number }[] = []
  const zero = Buffer.alloc(damaged.length)
  const base = crc32(zero)
  for (let bit = 0; bit < 32; bit++) {
    const probe = Buffer.from(zero)
    probe.writeUInt32LE((1 << bit) >>> 0, at)
    effects.push({ crc: (crc32(probe) ^ base) >>> 0, mask: (1 << bit) >>> 0 })
  }
  let difference = (crc32(damaged) ^ goal) >>> 0
  let patch = 0
  for (let bit = 31; bit >= 0; bit--) {
    const pivot = effects.findIndex(({ crc }) => crc >>> bit === 1)
    if (pivot < 0) continue
    const [chosen] = effects.splice(pivot, 1)
    if (chosen === undefined) continue
    for (const other of effects) {
      if ((other.crc >>> bit) % 2 === 1) {
        other.crc = (other.crc ^ chosen.crc) >>> 0
        other.mask = (other.mask ^ chosen.mask) >>> 0
      }
    }
    if ((difference >>> bit) % 2 === 1) {
      difference = (difference ^ chosen.crc) >>> 0
      patch = (patch ^ chosen.mask) >>> 0
    }
  }
  damaged.writeUInt32LE((damaged.readUInt32LE(at) ^ patch) >>> 0, at)
  return damaged
}
