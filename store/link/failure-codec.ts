import { type KeyValue, key, keyBytesMax, revision, type StoreFailure } from '../contract.ts'
import type { WireReader, WireWriter } from './wire.ts'

/** message Failure { code = 1; key = 2; first = 3; second = 4; text = 5; where = 6; value = 7; mod_revision = 8 } */
const codes = [
  'Compacted',
  'FutureRevision',
  'GuardFailed',
  'Unavailable',
  'Unknown',
  'TooLarge',
  'Corrupt',
] as const satisfies readonly StoreFailure['code'][]

/** Writes a failure as the message in `field`. */
export function writeFailure(writer: WireWriter, field: number, failure: StoreFailure): void {
  const start = writer.begin(field)
  writer.uint(1, codes.indexOf(failure.code) + 1)
  switch (failure.code) {
    case 'Compacted':
      writer.uint(3, failure.requested)
      writer.uint(4, failure.oldest)
      break
    case 'FutureRevision':
      writer.uint(3, failure.requested)
      writer.uint(4, failure.current)
      break
    case 'GuardFailed':
      writer.key(2, failure.key)
      writer.uint(3, failure.expected)
      writer.uint(4, failure.revision)
      if (failure.current !== undefined) {
        writer.bytes(7, failure.current.value)
        writer.uint(8, failure.current.modRevision)
      }
      break
    case 'Unavailable':
    case 'Unknown':
      writer.text(5, failure.message)
      break
    case 'TooLarge':
      writer.uint(3, failure.found)
      writer.uint(4, failure.limit)
      writer.text(5, failure.what)
      break
    case 'Corrupt':
      writer.text(5, failure.message)
      writer.text(6, failure.where)
      break
  }
  writer.end(start)
}

/** Breaks the reader on what is no failure. */
export function readFailure(reader: WireReader): StoreFailure {
  let code = 0
  let name = ''
  let first = 0
  let second = 0
  let text = ''
  let where = ''
  let value: Buffer = Buffer.alloc(0)
  let modRevision = 0
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) code = reader.uint()
    else if (field === 2) name = reader.binary()
    else if (field === 3) first = reader.uint()
    else if (field === 4) second = reader.uint()
    else if (field === 5) text = reader.text()
    else if (field === 6) where = reader.text()
    else if (field === 7) value = reader.bytes()
    else if (field === 8) modRevision = reader.uint()
    else reader.skip()
  }
  switch (codes[code - 1]) {
    case 'Compacted':
      return { code: 'Compacted', requested: revision(first), oldest: revision(second) }
    case 'FutureRevision':
      return { code: 'FutureRevision', requested: revision(first), current: revision(second) }
    case 'GuardFailed': {
      if (name === '' || name.length > keyBytesMax) break
      const shared = {
        code: 'GuardFailed',
        key: key(name),
        expected: revision(first),
        revision: revision(second),
      } as const
      if (modRevision === 0) return shared
      const current: KeyValue = { key: key(name), value, modRevision: revision(modRevision) }
      return { ...shared, current }
    }
    case 'Unavailable':
      return { code: 'Unavailable', message: text }
    case 'Unknown':
      return { code: 'Unknown', message: text }
    case 'TooLarge':
      return { code: 'TooLarge', found: first, limit: second, what: text }
    case 'Corrupt':
      return { code: 'Corrupt', where, message: text }
    case undefined:
      break
  }
  reader.fail()
  return { code: 'Unavailable', message: 'malformed failure' }
}
