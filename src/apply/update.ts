/**
 * Ownership after a write that is no apply: the writer owns what it added or changed, everybody else loses what was
 * changed, and what is gone belongs to nobody. Never a conflict.
 */

import { ok, type Result } from '../../store/contract.ts'
import type { JsonObject } from '../json.ts'
import { capUpdates } from './cap.ts'
import { type Changes, compareObjects, type Incomparable, isUnchanged, withoutFields } from './compare.ts'
import { type Entry, isOneWriter, type Writer, withFields } from './entries.ts'
import { type FieldSet, isEmptySet, recursiveDifference, union } from './field-set.ts'
import { type Tracking, versionOf } from './tracking.ts'

interface UpdateRequest {
  readonly before: JsonObject
  readonly after: JsonObject
  readonly entries: readonly Entry[]
  readonly manager: string
  readonly now: string
}

/** Returns the same entries when the write changed no tracked field. */
export function entriesAfterUpdate(
  tracking: Tracking,
  request: UpdateRequest,
): Result<readonly Entry[], Incomparable> {
  const { before, after, entries, now } = request
  const compared = compareObjects(tracking.shape, before, after)
  if (!compared.ok) return compared
  const changes = withoutFields(compared.value, tracking.ignored(tracking.apiVersion))
  if (isUnchanged(changes)) return ok(entries)
  const left = loseChanged(tracking, request, changes)
  if (!left.ok) return left
  const taken = union(changes.added, changes.modified)
  if (isEmptySet(taken)) return left
  const writer: Writer = {
    manager: request.manager === '' ? 'unknown' : request.manager,
    operation: 'Update',
    apiVersion: tracking.apiVersion,
    subresource: tracking.subresource,
  }
  return ok(capUpdates(takeFields(left.value, writer, taken, now)))
}

function takeFields(
  entries: readonly Entry[],
  writer: Writer,
  taken: FieldSet,
  time: string,
): readonly Entry[] {
  const own = entries.find((entry) => isOneWriter(entry, writer))
  const { manager, operation, apiVersion, subresource } = writer
  const fields = own === undefined ? taken : union(taken, own.fields)
  const entry: Entry = { manager, operation, apiVersion, subresource, time, fields }
  return entries.length === 0 ? [entry] : [...entries.filter((other) => other !== own), entry]
}

/** Every entry without what changed, each in its own version. Entries of versions that are gone go with them. */
function loseChanged(
  tracking: Tracking,
  { before, after, entries }: UpdateRequest,
  changes: Changes,
): Result<readonly Entry[], Incomparable> {
  const changedIn = new Map<string, FieldSet | undefined>([[tracking.apiVersion, allOf(changes)]])
  const left: Entry[] = []
  for (const entry of entries) {
    if (!changedIn.has(entry.apiVersion)) {
      const changed = changedInVersion(tracking, before, after, entry.apiVersion)
      if (!changed.ok) return changed
      changedIn.set(entry.apiVersion, changed.value)
    }
    const changed = changedIn.get(entry.apiVersion)
    if (changed === undefined) continue
    // With its parts: what is owned whole now may have been owned in pieces when the entry was written.
    const fields = recursiveDifference(entry.fields, changed)
    if (!isEmptySet(fields)) left.push(withFields(entry, fields))
  }
  return ok(left)
}

function changedInVersion(
  tracking: Tracking,
  before: JsonObject,
  after: JsonObject,
  apiVersion: string,
): Result<FieldSet | undefined, Incomparable> {
  const old = versionOf(tracking, before, apiVersion)
  const now = versionOf(tracking, after, apiVersion)
  if (old === undefined || now === undefined) return ok(undefined)
  const compared = compareObjects(now.shape, old.object, now.object)
  return compared.ok ? ok(allOf(withoutFields(compared.value, tracking.ignored(apiVersion)))) : compared
}

function allOf({ added, modified, removed }: Changes): FieldSet {
  return union(union(added, modified), removed)
}
