/**
 * Reads the records of one resource. Where the form in which its objects are stored can change (custom resources), what
 * was stored in another is brought into the present one here, so that nobody else meets it: for each object, when it
 * enters the cache. What was stored in the present form costs the comparison of a few bytes.
 */

import type { Corrupt, KeyValue, Result } from '../../store/contract.ts'
import type { StorageIdentity } from '../types/resource.ts'
import { decodeRecord, encodeRecord, hasForm, parseObject, type StoredObject } from './record.ts'

export type RecordReader = (entry: KeyValue) => Result<StoredObject, Corrupt>

export function createReader({ prefix, form }: StorageIdentity): RecordReader {
  if (form === undefined) return (entry) => decodeRecord(prefix, entry)
  return (entry) => {
    const stored = decodeRecord(prefix, entry)
    if (!stored.ok || hasForm(entry.value, form.id)) return stored
    const { record } = encodeRecord({ ...form.renew(parseObject(stored.value)), form: form.id })
    return decodeRecord(prefix, { ...entry, value: record })
  }
}
