/**
 * Changing a stored object: read, change, write if it has not moved, else again.
 *
 * The base comes from this worker's cache first; the guard of the write proves it right. An answer that rests on the
 * base without a write (refusal, no change, not found) is given only when the base is known to be the newest.
 *
 *     cached ──change──▶ write ──▶ done
 *        │                 └─ moved: again, with what is there now
 *        └─ refused or unchanged ──read the newest──▶ same: that is the answer; other: again
 *
 * Source: design, "One write".
 */

import assert from 'node:assert/strict'
import { fail, ok } from '../../store/contract.ts'
import { modified, notFound } from '../status/failures.ts'
import type { CachedObject, Moved, ObjectName } from '../storage/contract.ts'
import { readApiFailure, writeApiFailure } from '../storage/failures.ts'
import { parseObject } from '../storage/record.ts'
import type { ApiObject } from '../types/object.ts'
import type { Checked, ResourceRoute } from './machinery.ts'
import { dryStoreObject, storeObject } from './store-object.ts'

/** What is to become of the object (storage version). `remove` takes it out of the store. */
export type Change =
  | { readonly type: 'write'; readonly object: ApiObject }
  | { readonly type: 'remove'; readonly object: ApiObject }
  | { readonly type: 'none' }

interface GuardedWrite {
  readonly name: ObjectName
  readonly dryRun: boolean
  /** Begins with what is stored instead of what the cache has: for changes that are not to be made twice. */
  readonly startsNewest?: boolean
  /** `old` is a fresh copy each time. Called again when the object moved. */
  change(old: ApiObject, base: CachedObject): Promise<Checked<Change>>
}

export interface Written {
  readonly change: Change['type']
  /** JSON of the storage version: the object after the change; of a removed one, as it was last. */
  readonly json: Buffer
}

/** Rounds against a busy object; then the client is told of the conflict. */
const attemptsMax = 32

/** What a write needs of a route. */
type WriteRoute = Pick<ResourceRoute, 'type' | 'ref' | 'storage' | 'allocator'>

/** Reads, changes and writes, again when another write came between; the failure is the answer to the client. */
export async function guardedWrite(route: WriteRoute, write: GuardedWrite): Promise<Checked<Written>> {
  const { storage, ref } = route
  let newest = write.startsNewest === true
  let base = newest ? undefined : storage.peek(write.name)
  if (base === undefined) {
    const first = await (newest
      ? storage.get(write.name, { type: 'mostRecent' })
      : storage.cached(write.name))
    if (!first.ok) return fail(readApiFailure(first.failure))
    base = first.value
  }
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const changed = base === undefined ? undefined : await write.change(parseObject(base), base)
    if (base !== undefined && changed?.ok && changed.value.type !== 'none') {
      const done = await commit(route, write, base, changed.value)
      if (done.type === 'done') return done.result
      base = done.current
      newest = true
      continue
    }
    if (newest) return settled(route, write.name, base, changed)
    const found = await storage.get(write.name, { type: 'mostRecent' })
    if (!found.ok) return fail(readApiFailure(found.failure))
    newest = true
    if (found.value?.revision === base?.revision) return settled(route, write.name, base, changed)
    base = found.value
  }
  return fail(modified(ref, write.name.name))
}

/** The answer of a round that writes nothing. */
function settled(
  { ref }: WriteRoute,
  { name }: ObjectName,
  base: CachedObject | undefined,
  changed: Checked<Change> | undefined,
): Checked<Written> {
  if (base === undefined || changed === undefined) return fail(notFound(ref, name))
  return changed.ok ? ok({ change: 'none', json: base.json }) : changed
}

type Committed =
  | { readonly type: 'done'; readonly result: Checked<Written> }
  | { readonly type: 'moved'; readonly current: CachedObject | undefined }

async function commit(
  route: WriteRoute,
  { name, dryRun }: GuardedWrite,
  base: CachedObject,
  change: Exclude<Change, { type: 'none' }>,
): Promise<Committed> {
  const { storage, allocator } = route
  const done = (result: Checked<Written>): Committed => ({ type: 'done', result })
  const old = (): ApiObject => parseObject(base)
  if (change.type === 'remove') {
    const json = Buffer.from(JSON.stringify(change.object))
    if (dryRun) return done(ok({ change: 'remove', json }))
    const removed = await storage.remove(name, base, allocator?.freed(old()))
    if (removed.ok) return done(ok({ change: 'remove', json }))
    const { failure } = removed
    assert(failure.code !== 'Claimed' && failure.code !== 'Outdated', 'a removal takes nothing')
    return failure.code === 'Moved' ? moved(failure) : done(fail(writeApiFailure(failure)))
  }
  if (dryRun) {
    const json = await dryStoreObject(route, change.object, old)
    return done(json.ok ? ok({ change: 'write', json: json.value }) : json)
  }
  const written = await storeObject(route, change.object, old, (newRecord) =>
    storage.replace(name, base.revision, newRecord),
  )
  if (written.ok) return done(ok({ change: 'write', json: written.value.json }))
  const { failure } = written
  assert(failure.code !== 'Outdated', 'a change has no guard but its own')
  return failure.code === 'Moved' ? moved(failure) : done(fail(failure.failure))
}

function moved({ current }: Moved): Committed {
  return { type: 'moved', current }
}
