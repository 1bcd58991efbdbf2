/**
 * What a request wants to read, from its query parameters: pure verdicts, one for each row of the specification's
 * tables ("Resource versions"). Combinations that make no sense are refused as clients of this API know it: 422 Invalid
 * with a cause for each wrong parameter, or 400 BadRequest where a value cannot be read.
 */

import type { Result, Revision } from '../../store/contract.ts'
import { fail, revision as mintRevision, ok } from '../../store/contract.ts'
import type { Names } from '../names/names.ts'
import type { ApiFailure, Cause } from '../status/status.ts'
import type { Freshness, ListStart, WatchStart } from './contract.ts'

/** Values as they stand in the query; absent and empty mean the same. */
export interface ReadParameters {
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: string
  readonly limit?: string
  readonly continue?: string
  readonly sendInitialEvents?: string
  readonly allowWatchBookmarks?: string
}

interface FreshnessOptions {
  readonly names: Pick<Names, 'metaGroup'>
  /** Feature gate `WatchList`: `sendInitialEvents` may be used. */
  readonly watchList: boolean
}

interface ListVerdict {
  readonly start: ListStart
  /** Absent = all in one page. */
  readonly limit?: number
}

interface WatchVerdict {
  readonly start: WatchStart
  readonly bookmarks: boolean
}

/** get: unset = most recent, 0 = any, else not older than. */
export function getStart(parameters: ReadParameters): Result<Freshness, ApiFailure> {
  const version = parseVersion(parameters.resourceVersion ?? '')
  return version.ok ? ok(freshnessOf(version.value)) : version
}

/** list: the table over resourceVersionMatch, limit, continue and resourceVersion. */
export function listStart(
  parameters: ReadParameters,
  options: FreshnessOptions,
): Result<ListVerdict, ApiFailure> {
  const { resourceVersionMatch: match = '', continue: token = '' } = parameters
  const causes = listCauses(parameters)
  if (causes.length > 0) return fail(invalidOptions(causes, options))
  const limit = parseLimit(parameters.limit ?? '')
  if (!limit.ok) return limit
  const version = parseVersion(parameters.resourceVersion ?? '')
  if (!version.ok) return version
  const paging = limit.value === undefined ? {} : { limit: limit.value }
  if (token !== '') {
    if (version.value !== undefined && version.value > 0) return fail(continueWithVersion)
    return ok({ start: { type: 'continue', token }, ...paging })
  }
  const isExact = match === 'Exact' || (match === '' && limit.value !== undefined)
  if (isExact && version.value !== undefined && version.value > 0) {
    return ok({ start: { type: 'exact', revision: version.value }, ...paging })
  }
  return ok({ start: freshnessOf(version.value), ...paging })
}

/** watch: unset = the most recent state, 0 = any state, else what comes after; and `sendInitialEvents`. */
export function watchStart(
  parameters: ReadParameters,
  options: FreshnessOptions,
): Result<WatchVerdict, ApiFailure> {
  const causes = watchCauses(parameters, options)
  if (causes.length > 0) return fail(invalidOptions(causes, options))
  const version = parseVersion(parameters.resourceVersion ?? '')
  if (!version.ok) return version
  const bookmarks = isTrue(parameters.allowWatchBookmarks ?? '')
  return ok({ start: startOf(parameters.sendInitialEvents ?? '', version.value, bookmarks), bookmarks })
}

function startOf(sendInitialEvents: string, version: Revision | undefined, bookmarks: boolean): WatchStart {
  const isStart = version === undefined || version === 0
  if (sendInitialEvents === '') {
    return isStart
      ? { type: 'state', freshness: freshnessOf(version), initialEventsEndBookmark: false }
      : { type: 'after', revision: version }
  }
  if (isTrue(sendInitialEvents)) {
    return { type: 'state', freshness: freshnessOf(version), initialEventsEndBookmark: bookmarks }
  }
  return isStart ? { type: 'now', freshness: freshnessOf(version) } : { type: 'after', revision: version }
}

function freshnessOf(version: Revision | undefined): Freshness {
  if (version === undefined) return { type: 'mostRecent' }
  return version === 0 ? { type: 'any' } : { type: 'notOlderThan', revision: version }
}

function listCauses(parameters: ReadParameters): readonly Cause[] {
  const { resourceVersion = '', resourceVersionMatch: match = '', continue: token = '' } = parameters
  const causes: Cause[] = []
  if (match !== '') {
    if (resourceVersion === '') {
      causes.push(forbidden('resourceVersionMatch', 'is forbidden unless resourceVersion is provided'))
    }
    if (token !== '') causes.push(matchWithContinue)
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      causes.push(notSupported(match, ['Exact', 'NotOlderThan', '']))
    }
    if (match === 'Exact' && resourceVersion === '0') {
      causes.push(forbidden('resourceVersionMatch', '"exact" is forbidden for resourceVersion "0"'))
    }
  }
  if ((parameters.sendInitialEvents ?? '') !== '') {
    causes.push(forbidden('sendInitialEvents', 'is forbidden for list'))
  }
  return causes
}

function watchCauses(parameters: ReadParameters, { watchList }: FreshnessOptions): readonly Cause[] {
  const { resourceVersionMatch: match = '', continue: token = '', sendInitialEvents = '' } = parameters
  const causes: Cause[] = []
  if (sendInitialEvents !== '') {
    if (match !== 'NotOlderThan') causes.push(initialEventsWithoutMatch)
    if (!watchList) {
      causes.push(
        forbidden('sendInitialEvents', 'is forbidden for watch unless the WatchList feature gate is enabled'),
      )
    }
  }
  if (match !== '') {
    if (sendInitialEvents === '') {
      causes.push(
        forbidden('resourceVersionMatch', 'is forbidden for watch unless sendInitialEvents is provided'),
      )
    }
    if (match !== 'NotOlderThan') causes.push(notSupported(match, ['NotOlderThan']))
    if (token !== '') causes.push(matchWithContinue)
  }
  return causes
}

function forbidden(field: string, rule: string): Cause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${field} ${rule}`, field }
}

const matchWithContinue = forbidden('resourceVersionMatch', 'is forbidden when continue is provided')
const initialEventsWithoutMatch: Cause = {
  reason: 'FieldValueForbidden',
  message: 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
  field: 'resourceVersionMatch',
}

function notSupported(match: string, supported: readonly string[]): Cause {
  const list = supported.map((value) => JSON.stringify(value)).join(', ')
  return {
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${JSON.stringify(match)}: supported values: ${list}`,
    field: 'resourceVersionMatch',
  }
}

function invalidOptions(causes: readonly Cause[], { names }: FreshnessOptions): ApiFailure {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`)
  const text = texts.length === 1 ? texts.join() : `[${texts.join(', ')}]`
  return {
    reason: 'Invalid',
    message: `ListOptions.${names.metaGroup} "" is invalid: ${text}`,
    details: { group: names.metaGroup, kind: 'ListOptions', causes },
  }
}

const continueWithVersion: ApiFailure = {
  reason: 'BadRequest',
  message: 'specifying resource version is not allowed when using continue',
}

/** Fits into a number, as every revision that a server has given does. */
const smallVersion = /^\d{1,15}$/

/** undefined = unset. What 64 bits can say, but no revision can be, stands for the largest revision. */
function parseVersion(text: string): Result<Revision | undefined, ApiFailure> {
  if (text === '') return ok(undefined)
  if (smallVersion.test(text)) return ok(mintRevision(Number(text)))
  const value = /^\d+$/.test(text) ? BigInt(text) : undefined
  if (value === undefined || value >= 2n ** 64n) {
    const problem = value === undefined ? 'must be an unsigned integer' : 'value out of range'
    return badRequest(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`)
  }
  return ok(mintRevision(Math.min(Number(value), Number.MAX_SAFE_INTEGER)))
}

/** undefined = no pages: unset, 0 or negative. */
function parseLimit(text: string): Result<number | undefined, ApiFailure> {
  if (text === '') return ok(undefined)
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(value)) {
    return badRequest(`limit: Invalid value: ${JSON.stringify(text)}: must be an integer`)
  }
  return ok(value > 0 ? value : undefined)
}

/** As query parameters of this API are read: everything but `0` and `false` is true; empty is unset. */
function isTrue(text: string): boolean {
  return text !== '' && text !== '0' && text.toLowerCase() !== 'false'
}

function badRequest(message: string) {
  return fail({ reason: 'BadRequest' as const, message })
}
