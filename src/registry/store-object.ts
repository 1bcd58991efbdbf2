/** Hands an object to storage: encoded, with what it is to hold of limited things. */

import assert from 'node:assert/strict'
import { fail, ok, type Result } from '../../store/contract.ts'
import type { ApiFailure } from '../status/status.ts'
import type { CachedObject, Claimed, Moved, NewRecord, StorageWriteFailure } from '../storage/contract.ts'
import { conversionFailure, writeApiFailure } from '../storage/failures.ts'
import type { ApiObject } from '../types/object.ts'
import type { ResourceType, VersionConversion } from '../types/resource.ts'
import type { Allocator } from './allocator.ts'
import type { Checked, ResourceRoute } from './machinery.ts'
import { newRecordOf } from './new-record.ts'

/** `Refused`: the answer to the client. */
type NotStored =
  | Moved
  | { readonly code: 'Outdated' }
  | { readonly code: 'Refused'; readonly failure: ApiFailure }

type Write = (newRecord: NewRecord) => Promise<Result<CachedObject, StorageWriteFailure>>

/** `write` puts a new record into storage. `old`: what the object replaces; undefined = it is new. */
export async function storeObject(
  { type, allocator }: Pick<ResourceRoute, 'type' | 'allocator'>,
  object: ApiObject,
  old: () => ApiObject | undefined,
  write: Write,
): Promise<Result<CachedObject, NotStored>> {
  if (allocator !== undefined) return storeAllocated(type, allocator, object, old(), write)
  const stored = type.conversion === undefined ? ok(object) : await storedForm(type.conversion, object)
  if (!stored.ok) return fail({ code: 'Refused', failure: stored.failure })
  // What was converted has not got the defaults of its new version.
  const newRecord = newRecordOf(stored.value, type, stored.value === object)
  if (!newRecord.ok) return fail({ code: 'Refused', failure: newRecord.failure })
  const written = await write(newRecord.value)
  return written.ok ? written : fail(unclaimed(notStored(written.failure)))
}

/** Objects of the version of a request are stored in another one. */
async function storedForm(conversion: VersionConversion, object: ApiObject): Promise<Checked<ApiObject>> {
  const written = await conversion.write(object)
  if (!written.ok) return fail(conversionFailure(written.failure))
  const [stored] = written.value
  assert(stored !== undefined, 'one object becomes one')
  return ok(stored)
}

async function storeAllocated(
  type: ResourceType,
  allocator: Allocator,
  object: ApiObject,
  old: ApiObject | undefined,
  write: Write,
): Promise<Result<CachedObject, NotStored>> {
  const written = await allocator.write<CachedObject, NotStored | Claimed>(
    object,
    old,
    async (planned, claims) => {
      const newRecord = newRecordOf(planned, type)
      if (!newRecord.ok) return fail({ code: 'Refused', failure: newRecord.failure })
      const result = await write({ ...newRecord.value, claims })
      return result.ok ? result : fail(notStored(result.failure))
    },
  )
  return written.ok ? written : fail(unclaimed(written.failure))
}

function unclaimed(failure: NotStored | Claimed): NotStored {
  assert(failure.code !== 'Claimed', 'only allocators take claims, and they explain what is taken')
  return failure
}

function notStored(failure: StorageWriteFailure): NotStored | Claimed {
  return failure.code === 'Moved' || failure.code === 'Claimed' || failure.code === 'Outdated'
    ? failure
    : { code: 'Refused', failure: writeApiFailure(failure) }
}

/** The object as {@link storeObject} would have stored it. */
export async function dryStoreObject(
  { type, allocator }: Pick<ResourceRoute, 'type' | 'allocator'>,
  object: ApiObject,
  old: () => ApiObject | undefined,
): Promise<Checked<Buffer>> {
  const planned = allocator === undefined ? ok(object) : await allocator.dryRun(object, old())
  if (!planned.ok) return planned
  const stored = type.conversion === undefined ? planned : await storedForm(type.conversion, planned.value)
  if (!stored.ok) return stored
  const newRecord = newRecordOf(stored.value, type)
  return newRecord.ok ? ok(Buffer.from(JSON.stringify(planned.value))) : newRecord
}
