/**
 * Field ownership for the verbs: one manager for each served version of a resource and for each of its
 * subresources, made once. Everything is pure: objects in, objects out, the time handed in.
 *
 * Objects are in the version of the request and complete, as the encoder would print them (defaults set, messages
 * that are always printed present), so that what a create owns is what a client sees.
 *
 * Source: specification, "Server-side apply" and "Common envelope and metadata".
 */

import { fail, ok, type Result } from '../../store/contract.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { sameJson } from '../same-json.ts'
import type { MessageType } from '../schema/descriptor.ts'
import type { ApiFailure } from '../status/status.ts'
import type { ApiObject } from '../types/object.ts'
import { applyTo } from './apply.ts'
import { fieldElement } from './element.ts'
import { type Entry, isReset, requestedEntries, storedEntries, writtenEntries } from './entries.ts'
import { emptySet } from './field-set.ts'
import { emptyObject, objectShape } from './object-shape.ts'
import { settledObject } from './remove.ts'
import { setOf } from './set-builder.ts'
import { type ConvertVersion, describeKind, type Tracking, versionOf } from './tracking.ts'
import { entriesAfterUpdate } from './update.ts'

export interface FieldManagerOptions {
  /** The parent's message, for subresources as well. */
  readonly message: MessageType
  readonly apiVersion: string
  readonly kind: string
  /** '' or absent = the resource itself. */
  readonly subresource?: string
  /**
   * Fields that this door never writes, as JSON names: `[['status']]` for the resource itself where status is a
   * subresource, `[['spec']]` for its status. A path stands for everything below it.
   */
  readonly ignoredFields?: readonly (readonly string[])[]
  /** Other served versions; absent = there are none, and what is owned through another version is forgotten. */
  readonly convert?: ConvertVersion
  /** Annotation of client-side apply; absent = it means nothing here. */
  readonly lastAppliedAnnotation?: string
}

interface UpdateManagedFieldsRequest {
  /** Undefined = the object is being created. */
  readonly live: ApiObject | undefined
  /** What the client wrote; its managedFields are honoured, but not through a subresource. */
  readonly updated: ApiObject
  /** See `managerOf`. */
  readonly manager: string
  /** RFC 3339, whole seconds. */
  readonly now: string
}

interface ManagedObject {
  readonly object: ApiObject
  /** Sentences about managed fields that had to be dropped, for Warning headers and the log. */
  readonly warnings: readonly string[]
}

interface ApplyRequest {
  /** Undefined = there is none: apply creates it. */
  readonly live: ApiObject | undefined
  /** The body as parsed: no defaults, nothing dropped. */
  readonly applied: JsonObject
  readonly manager: string
  readonly force: boolean
  /** RFC 3339, whole seconds. */
  readonly now: string
}

interface AppliedObject extends ManagedObject {
  /** False = `object` is `live` itself: nothing to write. */
  readonly changed: boolean
}

export interface FieldManager {
  /**
   * Sets `metadata.managedFields` of `updated` (which is returned) after a create, an update or a patch. Where
   * ownership cannot be told (list items without their keys) it is removed, with a warning.
   */
  updateManagedFields(request: UpdateManagedFieldsRequest): ManagedObject
  /**
   * Merges the applied configuration. The object shares nothing with `live` or `applied`; defaults are not set in
   * it, and it may have to be decoded again (absent parts of messages that are always printed).
   *
   * Fails with Conflict (causes FieldManagerConflict) and BadRequest (another version or kind, managedFields in the
   * body, a body that is not of the type). Preconditions in the body (resourceVersion, uid) are the caller's.
   */
  apply(request: ApplyRequest): Result<AppliedObject, ApiFailure>
}

/** The owner of what was there before the first apply of an object that had no managed fields. */
const beforeFirstApply = 'before-first-apply'

export function createFieldManager(options: FieldManagerOptions): FieldManager {
  const ignored =
    options.ignoredFields === undefined
      ? emptySet
      : setOf(options.ignoredFields.map((path) => path.map(fieldElement)))
  const tracking: Tracking = {
    shape: objectShape(options.message),
    message: options.message,
    apiVersion: options.apiVersion,
    kind: options.kind,
    subresource: options.subresource ?? '',
    ignored: () => ignored,
    lastAppliedAnnotation: options.lastAppliedAnnotation,
    convert: options.convert ?? (() => undefined),
  }
  return {
    updateManagedFields: (request) => updateManagedFields(tracking, request),
    apply: (request) => apply(tracking, request),
  }
}

/** Objects of the API are plain JSON: `ApiObject` only names what the decoder has checked. */
function asJson(object: ApiObject): JsonObject {
  return object as unknown as JsonObject
}

function asObject(object: JsonObject): ApiObject {
  if (!isJsonObject(object['metadata'])) return asObject({ ...object, metadata: {} })
  return object as unknown as ApiObject // apiVersion and kind were compared with the request's, metadata is there
}

interface KnownEntries {
  readonly entries: readonly Entry[]
  /** The live object's own, as stored. */
  readonly areStored: boolean
  readonly warnings: readonly string[]
}

const invalidStored = 'metadata.managedFields: the stored entries are invalid and were dropped'
const invalidRequested = 'metadata.managedFields: the given entries are invalid and were ignored'

function knownEntries(live: ApiObject | undefined, warnings: readonly string[]): KnownEntries {
  const entries = storedEntries(live?.metadata.managedFields)
  if (entries === undefined) return { entries: [], areStored: false, warnings: [...warnings, invalidStored] }
  return { entries, areStored: true, warnings }
}

/** A client may edit the entries, or start over with `[{}]`; leaving them out or emptying the list changes nothing. */
function entriesToUpdate(tracking: Tracking, { live, updated }: UpdateManagedFieldsRequest): KnownEntries {
  const requested: JsonValue | undefined = updated.metadata.managedFields
  if (tracking.subresource !== '' || requested === undefined || requested === null)
    return knownEntries(live, [])
  if (isReset(requested)) return { entries: [], areStored: false, warnings: [] }
  if (sameJson(requested, live?.metadata.managedFields)) return knownEntries(live, [])
  const given = requestedEntries(requested)
  if (given === undefined) return knownEntries(live, [invalidRequested])
  if (given.length === 0) return knownEntries(live, [])
  return { entries: given.filter(isServed(tracking, asJson(updated))), areStored: false, warnings: [] }
}

/** Nobody can own anything in a version that is not there. */
function isServed(tracking: Tracking, object: JsonObject): (entry: Entry) => boolean {
  return ({ apiVersion }) => versionOf(tracking, object, apiVersion) !== undefined
}

function updateManagedFields(tracking: Tracking, request: UpdateManagedFieldsRequest): ManagedObject {
  const { live, updated, manager, now } = request
  const known = entriesToUpdate(tracking, request)
  const result = entriesAfterUpdate(tracking, {
    before: live === undefined ? emptyObject(tracking.message) : asJson(live),
    after: asJson(updated),
    entries: known.entries,
    manager,
    now,
  })
  if (!result.ok) {
    setManagedFields(updated, undefined)
    const dropped = `metadata.managedFields: dropped, as the owners cannot be told: ${result.failure.message}`
    return { object: updated, warnings: [...known.warnings, dropped] }
  }
  const isAsStored = known.areStored && result.value === known.entries
  setManagedFields(updated, isAsStored ? live?.metadata.managedFields : writtenEntries(result.value))
  return { object: updated, warnings: known.warnings }
}

function setManagedFields(object: ApiObject, managedFields: readonly JsonObject[] | undefined): void {
  if (managedFields === undefined) delete object.metadata.managedFields
  else object.metadata.managedFields = managedFields as JsonObject[] // never changed in place, only replaced
}

function apply(tracking: Tracking, request: ApplyRequest): Result<AppliedObject, ApiFailure> {
  const { live, applied, force, now } = request
  const refusal = refusedBody(tracking, applied)
  if (refusal !== undefined) return fail({ reason: 'BadRequest', message: refusal })
  const known = knownEntries(live, [])
  const liveJson = live === undefined ? {} : asJson(live)
  const manager = request.manager === '' ? 'unknown' : request.manager
  const entries = withFirstOwner(tracking, live, known.entries, now)
  const result = applyTo(tracking, { live: liveJson, body: applied, entries, manager, force, now })
  if (!result.ok) return result
  const managedFields = writtenEntries(result.value.entries)
  const { warnings } = known
  if (live !== undefined && result.value.object === liveJson) {
    if (sameJson(managedFields, live.metadata.managedFields))
      return ok({ object: live, changed: false, warnings })
  }
  const object = asObject(settledObject(tracking.shape, result.value.object, liveJson))
  setManagedFields(object, managedFields)
  return ok({ object, changed: true, warnings })
}

function refusedBody(tracking: Tracking, body: JsonObject): string | undefined {
  const { apiVersion, kind } = tracking
  if (body['apiVersion'] !== apiVersion || body['kind'] !== kind) {
    return `invalid object type: ${describeKind(text(body['apiVersion']), text(body['kind']))}`
  }
  const metadata = body['metadata']
  const managedFields = isJsonObject(metadata) ? metadata['managedFields'] : undefined
  return managedFields === undefined || managedFields === null
    ? undefined
    : 'metadata.managedFields must be nil'
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** What an object without managed fields holds counts as written by one manager of its own. */
function withFirstOwner(
  tracking: Tracking,
  live: ApiObject | undefined,
  entries: readonly Entry[],
  now: string,
): readonly Entry[] {
  if (live === undefined || entries.length > 0) return entries
  const before = emptyObject(tracking.message)
  const first = entriesAfterUpdate(tracking, {
    before,
    after: asJson(live),
    entries,
    manager: beforeFirstApply,
    now,
  })
  return first.ok ? first.value : entries
}
