/** get: one object, as new as asked for. Source: specification, "Operations", "Resource versions". */

import { fail, ok } from '../../store/contract.ts'
import { parseStored } from '../codec/shape.ts'
import type { Outcome } from '../pipeline/answer.ts'
import { notFound } from '../status/failures.ts'
import { readApiFailure } from '../storage/failures.ts'
import { getStart } from '../storage/freshness.ts'
import type { Facet } from './facet.ts'
import { type ApiRequest, objectName, type ResourceRoute } from './machinery.ts'
import { readParameters } from './read-options.ts'
import { objectAnswer, partialProblem, requestedRendering } from './respond.ts'

export async function getObject(
  route: ResourceRoute,
  request: ApiRequest,
  readFailure?: Facet['readFailure'],
): Promise<Outcome> {
  const rendering = requestedRendering(route, request)
  if (!rendering.ok) return rendering
  const freshness = getStart(readParameters(request.query))
  if (!freshness.ok) return freshness
  const found = await route.storage.get(objectName(request), freshness.value)
  if (!found.ok) return fail(readApiFailure(found.failure))
  if (found.value === undefined) return fail(notFound(route.ref, request.info.name))
  const { json } = found.value
  const unreadable = readFailure?.(parseStored(json))
  const unfit = unreadable ?? partialProblem(route, request, false)
  if (unfit !== undefined) return fail(unfit)
  return ok(objectAnswer(200, rendering.value, json))
}
