/**
 * `metadata.managedFields` as it is stored, and as the rest of this folder uses it: one entry for each manager,
 * operation, version (updates only: an applier has one entry, whatever the version) and subresource.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { isList } from './equality.ts'
import { emptySet, type FieldSet, isEmptySet } from './field-set.ts'
import { parseFieldSet } from './set-builder.ts'

type Operation = 'Apply' | 'Update'

/** Who wrote, and how. */
export interface Writer {
  readonly manager: string
  readonly operation: Operation
  readonly apiVersion: string
  /** '' = the resource itself. */
  readonly subresource: string
}

export interface Entry extends Writer {
  /** RFC 3339, whole seconds; of the last write that changed what the manager owns. */
  readonly time: string | undefined
  readonly fields: FieldSet
  /** The entry as it was read, while nothing in it has changed. */
  readonly stored?: JsonObject
}

/** Equal for entries that are one. */
export function writerId({ manager, operation, apiVersion, subresource }: Writer): string {
  const version = operation === 'Apply' ? '' : apiVersion
  return `${operation} ${manager.length} ${manager} ${version.length} ${version} ${subresource}`
}

/** The same as equal {@link writerId}s. */
export function isOneWriter(a: Writer, b: Writer): boolean {
  return (
    a.operation === b.operation &&
    a.manager === b.manager &&
    (a.operation === 'Apply' || a.apiVersion === b.apiVersion) &&
    a.subresource === b.subresource
  )
}

/** Entries that this server has stored: their sets are canonical. Undefined = not valid entries. */
export function storedEntries(managedFields: JsonValue | undefined): readonly Entry[] | undefined {
  return readEntries(managedFields, (fields) => (isJsonObject(fields) ? (fields as FieldSet) : undefined))
}

/** Entries from a client. Undefined = not valid entries. */
export function requestedEntries(managedFields: JsonValue | undefined): readonly Entry[] | undefined {
  return readEntries(managedFields, parseFieldSet)
}

function readEntries(
  managedFields: JsonValue | undefined,
  readFields: (fields: JsonValue) => FieldSet | undefined,
): readonly Entry[] | undefined {
  if (managedFields === undefined || managedFields === null) return []
  if (!isList(managedFields)) return undefined
  const entries: Entry[] = []
  for (const stored of managedFields) {
    const entry = readEntry(stored, readFields)
    if (entry === undefined) return undefined
    entries.push(entry)
  }
  return hasTwins(entries) ? lastOfEach(entries) : entries
}

function readEntry(
  stored: JsonValue,
  readFields: (fields: JsonValue) => FieldSet | undefined,
): Entry | undefined {
  if (!isJsonObject(stored)) return undefined
  const { operation, apiVersion, fieldsType } = stored
  if (operation !== 'Apply' && operation !== 'Update') return undefined
  if (typeof apiVersion !== 'string' || apiVersion === '' || fieldsType !== 'FieldsV1') return undefined
  const fields = readFields(stored['fieldsV1'] ?? emptySet)
  if (fields === undefined) return undefined
  return {
    manager: stringOr(stored['manager'], ''),
    operation,
    apiVersion,
    subresource: stringOr(stored['subresource'], ''),
    time: stringOr(stored['time'], undefined),
    fields,
    ...(fields === stored['fieldsV1'] ? { stored } : {}),
  }
}

function stringOr<T>(value: JsonValue | undefined, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise
}

function hasTwins(entries: readonly Entry[]): boolean {
  return entries.length > 1 && new Set(entries.map(writerId)).size < entries.length
}

function lastOfEach(entries: readonly Entry[]): readonly Entry[] {
  return [...new Map(entries.map((entry) => [writerId(entry), entry])).values()]
}

/** A write sets `[{}]` to start over. */
export function isReset(managedFields: JsonValue | undefined): boolean {
  if (!isList(managedFields) || managedFields.length !== 1) return false
  const [only] = managedFields
  return isJsonObject(only) && Object.values(only).every((value) => value === undefined || value === null)
}

/** The stored form, in order; entries that own nothing are left out. Undefined = none are left. */
export function writtenEntries(entries: readonly Entry[]): readonly JsonObject[] | undefined {
  const written = entries.filter(({ fields }) => !isEmptySet(fields))
  if (written.length > 1) written.sort(compareEntries)
  if (written.length === 0) return undefined
  // Pushed, not mapped: V8 writes a list without holes as JSON on its fast path.
  const stored: JsonObject[] = []
  for (const entry of written) stored.push(writtenEntry(entry))
  return stored
}

function writtenEntry(entry: Entry): JsonObject {
  if (entry.stored !== undefined) return entry.stored
  const { manager, operation, apiVersion, time, fields, subresource } = entry
  const written: Record<string, JsonValue> =
    manager === '' ? { operation, apiVersion } : { manager, operation, apiVersion }
  if (time !== undefined) written['time'] = time
  written['fieldsType'] = 'FieldsV1'
  written['fieldsV1'] = fields
  if (subresource !== '') written['subresource'] = subresource
  return written
}

/** The same entry owning other fields. */
export function withFields(entry: Entry, fields: FieldSet): Entry {
  if (fields === entry.fields) return entry
  const { stored: _, ...rest } = entry
  return { ...rest, fields }
}

/** Appliers first, then the oldest write first. */
function compareEntries(a: Entry, b: Entry): number {
  return compareText(a.operation, b.operation) || compareTimes(a.time, b.time) || compareWriters(a, b)
}

/** By name. */
export function compareWriters(a: Writer, b: Writer): number {
  return (
    compareText(a.manager, b.manager) ||
    compareText(a.operation, b.operation) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  )
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** Whole seconds; no time is the oldest. */
export function compareTimes(a: string | undefined, b: string | undefined): number {
  return a === b ? 0 : seconds(a) - seconds(b)
}

function seconds(time: string | undefined): number {
  const ms = time === undefined ? 0 : Date.parse(time)
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000)
}
