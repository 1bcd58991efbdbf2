import { type LogScan, scanLog } from './log-format.ts'
import { ByteReader } from './varint.ts'

/** What a manifest says about the other files (LevelDB, db/version_edit.cc). */
export interface Manifest {
  /** Logs with this number or a higher one hold what is not in tables yet; this one always exists. */
  readonly logNumber: number
  /** Sizes of the live tables by number. */
  readonly tables: ReadonlyMap<number, number>
}

const tags = {
  comparator: 1,
  logNumber: 2,
  nextFile: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
  previousLog: 9,
} as const

/** Reads a manifest file. `scan` tells how the file ends; the manifest is undefined when an edit makes no sense. */
export function readManifest(file: Buffer): {
  readonly scan: LogScan
  readonly manifest: Manifest | undefined
} {
  const tables = new Map<number, number>()
  let logNumber: number | undefined
  let sound = true
  const scan = scanLog(file, (record) => {
    const reader = new ByteReader(record)
    while (!reader.atEnd) {
      const tag = reader.varint()
      switch (tag) {
        case tags.comparator:
          reader.string()
          break
        case tags.logNumber:
          logNumber = reader.varint()
          break
        case tags.nextFile:
        case tags.lastSequence:
        case tags.previousLog:
          reader.varint()
          break
        case tags.compactPointer:
          reader.varint()
          reader.string()
          break
        case tags.deletedFile:
          reader.varint()
          tables.delete(reader.varint())
          break
        case tags.newFile: {
          reader.varint()
          const number = reader.varint()
          tables.set(number, reader.varint())
          reader.string()
          reader.string()
          break
        }
        default:
          reader.broken = true
      }
    }
    if (reader.broken) sound = false
  })
  return { scan, manifest: sound && logNumber !== undefined ? { logNumber, tables } : undefined }
}
