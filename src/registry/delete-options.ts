/** How an object is to be deleted: from the body, or from the query. Source: specification, "States and transitions". */

import { fail, ok } from '../../store/contract.ts'
import type { DeleteOperationOptions } from '../admission/admission.ts'
import { readObjectBody } from '../codec/body.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import type { Query } from '../pipeline/query.ts'
import { badRequest, invalid } from '../status/failures.ts'
import type { ApiRequest, Checked, Machinery } from './machinery.ts'
import { propagationCauses } from './metadata-validation.ts'
import { dryRunCauses, isDryRun } from './write-options.ts'

export interface DeleteOptions extends DeleteOperationOptions {
  /** `orphanDependents` was given and is false: an answer before the end is 202. */
  readonly cascades: boolean
}

const optionsMessage = 'meta/v1.DeleteOptions'

/** An absent body leaves the word to the query. */
export async function readDeleteOptions(
  request: ApiRequest,
  machinery: Machinery,
): Promise<Checked<DeleteOptions>> {
  const length = request.exchange.header('content-length')
  const hasBody =
    (length !== undefined && length !== '0') || request.exchange.header('transfer-encoding') !== undefined
  if (!hasBody) return fromQuery(request.query, machinery)
  const message = machinery.types.message(optionsMessage)
  const protobuf = machinery.schema.protobufBody({ kind: 'DeleteOptions', message })
  const body = await readObjectBody(request.exchange, protobuf)
  if (!body.ok) return body
  if (body.value.bytes.length === 0) return fromQuery(request.query, machinery)
  const value = body.value.parse()
  if (!value.ok) return value
  if (!isJsonObject(value.value)) return fail(badRequest('delete options are an object'))
  request.audit?.requestBody(value.value)
  return deleteOptionsOf(value.value, request.query, machinery)
}

/** Options that stand in a body, on their own or within another object. */
export function deleteOptionsOf(
  body: JsonObject,
  query: Query,
  machinery: Machinery,
): Checked<DeleteOptions> {
  if ((body['kind'] ?? 'DeleteOptions') !== 'DeleteOptions')
    return fail(badRequest(`${JSON.stringify(body['kind'])} cannot be handled as a DeleteOptions`))
  const named = { ...body, apiVersion: 'v1', kind: 'DeleteOptions', metadata: {} }
  const decoded = machinery.schema.decode(machinery.types.message(optionsMessage), named)
  if (!decoded.ok) return fail(badRequest(decoded.failure.message))
  const object: Readonly<Record<string, unknown>> = decoded.value.object
  const preconditions = isJsonObject(object['preconditions']) ? object['preconditions'] : {}
  const dryRun = Array.isArray(object['dryRun']) ? object['dryRun'].map(String) : []
  return checked(
    {
      dryRun: dryRun.length > 0 ? dryRun : query.all('dryRun'),
      gracePeriodSeconds: numberOf(object['gracePeriodSeconds']),
      propagation: typeof object['propagationPolicy'] === 'string' ? object['propagationPolicy'] : undefined,
      orphanDependents: booleanOf(object['orphanDependents']),
      uid: textOf(preconditions['uid']),
      resourceVersion: textOf(preconditions['resourceVersion']),
    },
    machinery,
  )
}

function fromQuery(query: Query, machinery: Machinery): Checked<DeleteOptions> {
  const grace = query.integer('gracePeriodSeconds')
  if (!grace.ok) return fail(badRequest(grace.failure))
  return checked(
    {
      dryRun: query.all('dryRun'),
      gracePeriodSeconds: grace.value,
      propagation: query.text('propagationPolicy'),
      orphanDependents: query.flag('orphanDependents'),
      uid: query.text('uid') || undefined,
      resourceVersion: query.text('resourceVersion') || undefined,
    },
    machinery,
  )
}

interface Given {
  readonly dryRun: readonly string[]
  readonly gracePeriodSeconds: number | undefined
  readonly propagation: string | undefined
  readonly orphanDependents: boolean | undefined
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
}

function checked(given: Given, { names }: Machinery): Checked<DeleteOptions> {
  const { orphanDependents } = given
  const { propagation } = given
  const causes = [...propagationCauses(propagation, orphanDependents), ...dryRunCauses(given.dryRun)]
  if (causes.length > 0) return fail(invalid({ group: names.metaGroup, kind: 'DeleteOptions' }, '', causes))
  return ok({
    kind: 'DeleteOptions',
    dryRun: isDryRun(given.dryRun),
    // A negative period means "at once, but in order": one second, as clients of this API know it.
    gracePeriodSeconds: (given.gracePeriodSeconds ?? 0) < 0 ? 1 : given.gracePeriodSeconds,
    propagation: propagation ?? legacyPropagation(orphanDependents),
    uid: given.uid,
    resourceVersion: given.resourceVersion,
    cascades: orphanDependents === false,
  })
}

function legacyPropagation(orphanDependents: boolean | undefined): string | undefined {
  if (orphanDependents === undefined) return undefined
  return orphanDependents ? 'Orphan' : 'Background'
}

/** An empty text is a condition that nothing meets. */
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
const booleanOf = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined)

/** What the server deletes for somebody who goes: dependents follow by themselves, nothing is asked of the object. */
export const inBackground: DeleteOptions = {
  kind: 'DeleteOptions',
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagation: 'Background',
  uid: undefined,
  resourceVersion: undefined,
  cascades: false,
}
