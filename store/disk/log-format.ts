import { maskedCrc32c } from './crc32c.ts'

/**
 * The record format of LevelDB's write-ahead logs and manifests (LevelDB, doc/log_format.md): blocks of 32 KiB, each
 * a row of fragments.
 *
 *     fragment   masked CRC-32C over type and data, u32 | length u16 | type u8 | data          (little-endian)
 *     record     FULL, or FIRST MIDDLE* LAST; fewer than 7 bytes at the end of a block are filler
 *
 * LevelDB drops what it cannot read and goes on. Here every byte is accounted for.
 */
export type LogScan =
  | { readonly end: 'complete' }
  /** The file stops in the middle of a record, or in zeros: a write that never finished. */
  | { readonly end: 'torn'; readonly offset: number }
  | { readonly end: 'corrupt'; readonly offset: number; readonly message: string }

const blockBytes = 32_768
const headBytes = 7
const full = 1
const middle = 3
const last = 4

/** Walks a whole file; `onRecord` receives each complete record before the end that is returned. */
export function scanLog(file: Buffer, onRecord: (record: Buffer) => void = () => {}): LogScan {
  let fragments: Buffer[] = []
  let offset = 0
  while (offset < file.length) {
    const inBlock = blockBytes - (offset % blockBytes)
    if (inBlock < headBytes) {
      offset += inBlock
      continue
    }
    if (isZero(file, offset)) return { end: 'torn', offset }
    if (file.length - offset < headBytes) return tail(file, offset)
    const length = file.readUInt16LE(offset + 4)
    const type = file.readUInt8(offset + 6)
    const end = offset + headBytes + length
    if (headBytes + length > inBlock) return corrupt(offset, `fragment of ${length} bytes leaves its block`)
    if (end > file.length) return tail(file, offset)
    if (!fragmentMatches(file, offset, end)) return corrupt(offset, 'checksum does not match')
    if (type < full || type > last) return corrupt(offset, `fragment of unknown type ${type}`)
    const continues = type === middle || type === last
    if (continues !== fragments.length > 0) return corrupt(offset, 'fragments out of order')
    fragments.push(file.subarray(offset + headBytes, end))
    if (type === full || type === last) {
      const [only] = fragments
      onRecord(fragments.length === 1 && only !== undefined ? only : Buffer.concat(fragments))
      fragments = []
    }
    offset = end
  }
  return fragments.length > 0 ? { end: 'torn', offset } : { end: 'complete' }
}

function corrupt(offset: number, message: string): LogScan {
  return { end: 'corrupt', offset, message }
}

/** From `offset` a fragment runs past the end: torn, unless a damaged length only makes it look so. */
function tail(file: Buffer, offset: number): LogScan {
  if (file.length - offset > headBytes && fragmentMatches(file, offset, file.length)) {
    return corrupt(offset, 'the last fragment has a wrong length')
  }
  for (let at = offset + 1; at + headBytes <= file.length; at++) {
    const type = file[at + 6]
    if (type === undefined || type < full || type > last) continue
    const end = at + headBytes + file.readUInt16LE(at + 4)
    if (end <= file.length && fragmentMatches(file, at, end)) {
      return corrupt(offset, 'unreadable, with an intact record after it')
    }
  }
  return { end: 'torn', offset }
}

function fragmentMatches(file: Buffer, offset: number, end: number): boolean {
  return file.readUInt32LE(offset) === maskedCrc32c(file, offset + 6, end)
}

function isZero(file: Buffer, from: number): boolean {
  for (let at = from; at < file.length; at++) if (file[at] !== 0) return false
  return true
}
