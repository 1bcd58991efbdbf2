/**
 * Server-side apply: the body is merged into the live object, what the manager gave up goes away, and what others
 * own and the body would change is a conflict, unless forced.
 */

import { fail, ok, type Result } from '../../store/contract.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { sameJson } from '../same-json.ts'
import type { ApiFailure } from '../status/status.ts'
import { checkBody, describeProblems } from './check-body.ts'
import { type Changes, compareObjects, type Incomparable, withoutFields } from './compare.ts'
import { type Claim, conflictFailure, conflictsOf, type FieldConflict } from './conflict.ts'
import { type Entry, type Writer, withFields, writerId } from './entries.ts'
import {
  difference,
  equalSets,
  type FieldSet,
  intersection,
  isEmptySet,
  recursiveDifference,
  union,
} from './field-set.ts'
import { fieldSetOf } from './field-set-of.ts'
import { hasLastApplied, lastAppliedFields, lastAppliedManager, withLastApplied } from './last-applied.ts'
import { mergeObjects } from './merge.ts'
import { objectShape } from './object-shape.ts'
import { prune, type Versioned } from './prune.ts'
import { reconciled } from './reconcile.ts'
import { settledObject } from './remove.ts'
import { describeKind, type Tracking, versionOf } from './tracking.ts'

interface ApplyToRequest {
  /** The live object, in the version of the request; {} where there is none yet. */
  readonly live: JsonObject
  readonly body: JsonObject
  readonly entries: readonly Entry[]
  readonly manager: string
  readonly force: boolean
  readonly now: string
}

interface Applied {
  /** `live` itself when nothing but ownership changed. */
  readonly object: JsonObject
  /** The entries that came in, each as it was, when the manager owns what it owned. */
  readonly entries: readonly Entry[]
}

export function applyTo(tracking: Tracking, request: ApplyToRequest): Result<Applied, ApiFailure> {
  const problems = checkBody(tracking.shape, request.body)
  if (problems.length > 0) {
    return fail(badRequest(tracking, request.body, 'patch', describeProblems(problems)))
  }
  const entries = reconcileEntries(tracking, request.live, request.entries)
  const merged = mergeAndPrune(tracking, { ...request, entries })
  const claims = claimsOf(tracking, request.live, merged.object, merged.others)
  if (!claims.ok) return fail(badRequest(tracking, request.live, 'live', claims.failure.message))
  const conflicts = request.force ? [] : openConflicts(tracking, request, claims.value)
  if (conflicts.length > 0) return fail(conflictFailure(conflicts))
  const object = finished(tracking, request, merged.object)
  const others = claims.value.left
  const own = ownEntry(merged, object !== request.live, request.now)
  return ok({ object, entries: own === undefined ? others : [...others, own] })
}

function badRequest(tracking: Tracking, object: JsonObject, what: string, problem: string): ApiFailure {
  const named = isJsonObject(object['metadata']) ? object['metadata'] : {}
  const namespace = typeof named['namespace'] === 'string' ? named['namespace'] : ''
  const name = typeof named['name'] === 'string' ? named['name'] : ''
  const kind = describeKind(tracking.apiVersion, tracking.kind)
  return {
    reason: 'BadRequest',
    message: `failed to create typed ${what} object (${namespace}/${name}; ${kind}): ${problem}`,
  }
}

/** Entries of versions that are gone stay as they are here: the comparison drops them. */
function reconcileEntries(tracking: Tracking, live: JsonObject, entries: readonly Entry[]): readonly Entry[] {
  return entries.map((entry) => {
    const shape =
      entry.apiVersion === tracking.apiVersion
        ? tracking.shape
        : versionOf(tracking, live, entry.apiVersion)?.shape
    return shape === undefined ? entry : withFields(entry, reconciled(shape, entry.fields))
  })
}

interface Merged {
  readonly object: JsonObject
  readonly others: readonly Entry[]
  /** The manager's entry as it was. */
  readonly last: Entry | undefined
  readonly writer: Writer
  /** What the manager owns now. */
  readonly fields: FieldSet
}

function mergeAndPrune(tracking: Tracking, { live, body, entries, manager }: ApplyToRequest): Merged {
  const { shape, apiVersion, subresource } = tracking
  const writer: Writer = { manager, operation: 'Apply', apiVersion, subresource }
  const id = writerId(writer)
  const last = entries.find((entry) => writerId(entry) === id)
  const others = entries.filter((entry) => entry !== last)
  const fields = recursiveDifference(fieldSetOf(shape, body), tracking.ignored(apiVersion))
  const merged = mergeObjects(shape, live, body)
  const object =
    last === undefined
      ? merged
      : prune({
          merged: { object: merged, shape },
          apiVersion,
          last,
          owned: [...others, { apiVersion, fields }],
          convert: (versioned, to) => convertSettled(tracking, live, versioned, to),
        })
  return { object, others, last, writer, fields }
}

function convertSettled(
  tracking: Tracking,
  live: JsonObject,
  { object, shape }: Versioned,
  apiVersion: string,
): Versioned | undefined {
  const plain = settledObject(shape, object, live)
  const converted = tracking.convert(plain, apiVersion)
  if (converted === undefined) return undefined
  const target = apiVersion === tracking.apiVersion ? tracking.shape : objectShape(converted.message)
  return { object: converted.object, shape: target }
}

interface Claims {
  readonly claims: readonly Claim[]
  /** The other entries without what changed. */
  readonly left: readonly Entry[]
}

/** What the others own of what changes, each in its own version; entries of versions that are gone go. */
function claimsOf(
  tracking: Tracking,
  live: JsonObject,
  object: JsonObject,
  others: readonly Entry[],
): Result<Claims, Incomparable> {
  const changesIn = new Map<string, Changes | undefined>()
  const claims: Claim[] = []
  const left: Entry[] = []
  for (const entry of others) {
    if (!changesIn.has(entry.apiVersion)) {
      const changes = changesInVersion(tracking, live, object, entry.apiVersion)
      if (!changes.ok) return changes
      changesIn.set(entry.apiVersion, changes.value)
    }
    const changes = changesIn.get(entry.apiVersion)
    if (changes === undefined) continue
    const claimed = intersection(entry.fields, union(changes.modified, changes.added))
    if (!isEmptySet(claimed)) claims.push({ entry, fields: claimed })
    const fields = difference(difference(entry.fields, claimed), changes.removed)
    if (!isEmptySet(fields)) left.push(withFields(entry, fields))
  }
  return ok({ claims, left })
}

function changesInVersion(
  tracking: Tracking,
  live: JsonObject,
  object: JsonObject,
  apiVersion: string,
): Result<Changes | undefined, Incomparable> {
  const isOther = apiVersion !== tracking.apiVersion
  const before = versionOf(tracking, live, apiVersion)
  const after = versionOf(
    tracking,
    isOther ? settledObject(tracking.shape, object, live) : object,
    apiVersion,
  )
  if (before === undefined || after === undefined) return ok(undefined)
  const changes = compareObjects(after.shape, before.object, after.object)
  return changes.ok ? ok(withoutFields(changes.value, tracking.ignored(apiVersion))) : changes
}

/** Conflicts that remain when what the client applied on its own side before counts as its own. */
function openConflicts(
  tracking: Tracking,
  { live, manager }: ApplyToRequest,
  { claims }: Claims,
): readonly FieldConflict[] {
  const annotation = tracking.lastAppliedAnnotation
  if (claims.length === 0 || manager !== lastAppliedManager || annotation === undefined) {
    return conflictsOf(claims)
  }
  const allowed = lastAppliedFields(tracking.shape, live, annotation, tracking.apiVersion)
  if (allowed === undefined) return conflictsOf(claims)
  return conflictsOf(claims.map(({ entry, fields }) => ({ entry, fields: difference(fields, allowed) })))
}

/** The object as it is to be written, the client's annotation following the body; `live` itself when it is the same. */
function finished(
  tracking: Tracking,
  { live, body, manager }: ApplyToRequest,
  object: JsonObject,
): JsonObject {
  const annotation = tracking.lastAppliedAnnotation
  const isKept =
    manager === lastAppliedManager && annotation !== undefined && hasLastApplied(object, annotation)
  const kept = isKept ? withLastApplied(object, annotation, body) : object
  if (kept === live) return live
  const plain = settledObject(tracking.shape, kept, live)
  return sameJson(plain, live) ? live : plain
}

function ownEntry(
  { writer, fields, last }: Merged,
  isObjectChanged: boolean,
  now: string,
): Entry | undefined {
  if (isEmptySet(fields)) return undefined
  const isSame = last !== undefined && last.apiVersion === writer.apiVersion && equalSets(last.fields, fields)
  return isSame && !isObjectChanged ? last : { ...writer, time: now, fields }
}
