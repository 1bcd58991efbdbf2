import { maskedCrc32c } from './crc32c.ts'
import { snappyUncompress } from './snappy.ts'
import { ByteReader } from './varint.ts'

/**
 * Checks a LevelDB table file (LevelDB, doc/table_format.md): every block against its checksum, and that the blocks
 * cover the file. LevelDB itself checks none of them unless told to, and level does not tell it.
 *
 *     data blocks | filter block | metaindex block | index block | footer of 48 bytes
 *     block       contents | compression u8 | masked CRC-32C over both, u32
 */
const footerBytes = 48
const trailerBytes = 5
const magic = Buffer.from('57fb808b247547db', 'hex')

interface Handle {
  readonly offset: number
  readonly size: number
}

/** What is wrong with the file, undefined = nothing. */
export function checkTable(file: Buffer): string | undefined {
  const footerAt = file.length - footerBytes
  if (footerAt < 0 || !file.subarray(-8).equals(magic)) return 'footer is damaged'
  const footer = new ByteReader(file.subarray(footerAt))
  const metaIndex = readHandle(footer)
  const index = readHandle(footer)
  if (footer.broken) return 'footer is damaged'
  const handles = [metaIndex, index]
  for (const parent of [metaIndex, index]) {
    const contents = readBlock(file, parent)
    const children = contents === undefined ? undefined : readHandles(contents)
    if (children === undefined) return `index block at ${parent.offset} is damaged`
    for (const handle of children) handles.push(handle)
  }
  let end = 0
  for (const handle of handles.sort((a, b) => a.offset - b.offset)) {
    if (handle.offset !== end) return `blocks do not join at ${end}`
    if (!blockMatches(file, handle)) return `block at ${handle.offset}: checksum does not match`
    end = handle.offset + handle.size + trailerBytes
  }
  return end === footerAt ? undefined : `blocks end at ${end} instead of ${footerAt}`
}

function readHandle(reader: ByteReader): Handle {
  return { offset: reader.varint(), size: reader.varint() }
}

function blockMatches(file: Buffer, { offset, size }: Handle): boolean {
  const end = offset + size + 1
  return end + 4 <= file.length && file.readUInt32LE(end) === maskedCrc32c(file, offset, end)
}

/** Contents of a checked block; undefined when it is damaged. */
function readBlock(file: Buffer, handle: Handle): Buffer | undefined {
  if (!blockMatches(file, handle)) return undefined
  const end = handle.offset + handle.size
  const contents = file.subarray(handle.offset, end)
  return file[end] === 0 ? contents : snappyUncompress(contents)
}

/** The values of an index block, which are handles. Restart points at its end: count u32, and one u32 for each. */
function readHandles(block: Buffer): Handle[] | undefined {
  if (block.length < 4) return undefined
  const entriesEnd = block.length - 4 - 4 * block.readUInt32LE(block.length - 4)
  if (entriesEnd < 0) return undefined
  const reader = new ByteReader(block.subarray(0, entriesEnd))
  const handles: Handle[] = []
  while (!reader.atEnd) {
    reader.varint()
    const keyBytes = reader.varint()
    const valueBytes = reader.varint()
    reader.bytes(keyBytes)
    const value = new ByteReader(reader.bytes(valueBytes))
    handles.push(readHandle(value))
    if (value.broken) return undefined
  }
  return reader.broken ? undefined : handles
}
