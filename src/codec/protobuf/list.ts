/**
 * Lists in protobuf. The bytes of a list stand behind their length, so the items have to be known before the first
 * byte leaves. Items are encoded once and kept up to a bound; the rest is measured, and encoded again when its turn
 * comes. So a list of any size takes bounded memory.
 */

import type { JsonObject } from '../../json.ts'
import { measured, type ObjectWriter, writtenBy } from './encode.ts'
import { envelopeTail, type TypeMeta, writeHead } from './envelope.ts'
import { wire } from './reader.ts'
import type { ReverseWriter } from './writer.ts'

export interface ListForm {
  readonly typeMeta: TypeMeta
  readonly metadata: { readonly number: number; readonly write: ObjectWriter }
  readonly items: { readonly number: number; readonly write: ObjectWriter }
}

interface ListLimits {
  /** Encoded items that are kept. Bytes. */
  readonly keptBytesMax: number
  /** Items are gathered into pieces of about this size. Bytes. */
  readonly pieceBytes: number
}

const limitsDefault: ListLimits = { keptBytesMax: 8 * 1024 * 1024, pieceBytes: 64 * 1024 }

/** `read` makes the object of an item; it is called once or twice for each, and must give the same. */
export function* listPieces<T>(
  form: ListForm,
  metadata: JsonObject,
  items: readonly T[],
  read: (item: T) => JsonObject,
  limits: ListLimits = limitsDefault,
): Iterable<Buffer> {
  const writeItem = (item: T) => (writer: ReverseWriter) =>
    writeField(writer, form.items.number, form.items.write, read(item))
  const meta = writtenBy((writer) => writeField(writer, form.metadata.number, form.metadata.write, metadata))
  const kept: Buffer[] = []
  let keptBytes = 0
  let rawBytes = meta.length
  for (const item of items) {
    if (keptBytes >= limits.keptBytesMax) {
      rawBytes += measured(writeItem(item))
      continue
    }
    const bytes = writtenBy(writeItem(item))
    kept.push(bytes)
    keptBytes += bytes.length
    rawBytes += bytes.length
  }

  const head = writtenBy((writer) => writeHead(writer, form.typeMeta, rawBytes))
  const metaFirst = form.metadata.number < form.items.number
  let parts: Buffer[] = metaFirst ? [head, meta] : [head]
  let bytes = 0
  for (const [index, item] of items.entries()) {
    const part = kept[index] ?? writtenBy(writeItem(item))
    parts.push(part)
    bytes += part.length
    if (bytes >= limits.pieceBytes) {
      yield Buffer.concat(parts)
      parts = []
      bytes = 0
    }
  }
  if (!metaFirst) parts.push(meta)
  parts.push(envelopeTail)
  yield Buffer.concat(parts)
}

function writeField(writer: ReverseWriter, number: number, write: ObjectWriter, object: JsonObject): void {
  const before = writer.length
  write(writer, object)
  writer.varint(writer.length - before)
  writer.tag((number << 3) | wire.bytes)
}
