/** list: a collection at one version, in pages if asked. Source: specification, "Collections", "Resource versions". */

import { fail, ok } from '../../store/contract.ts'
import type { Outcome } from '../pipeline/answer.ts'
import type { ListRequest } from '../storage/contract.ts'
import { readApiFailure } from '../storage/failures.ts'
import { listStart } from '../storage/freshness.ts'
import type { ApiRequest, Checked, Machinery, ResourceRoute } from './machinery.ts'
import { readParameters, readSelector } from './read-options.ts'

import { partialProblem, requestedRendering } from './respond.ts'

export async function listObjects(
  route: ResourceRoute,
  request: ApiRequest,
  machinery: Machinery,
): Promise<Outcome> {
  const rendering = requestedRendering(route, request)
  if (!rendering.ok) return rendering
  const asked = listRequest(route, request, machinery)
  if (!asked.ok) return asked
  const page = await route.storage.list(asked.value)
  if (!page.ok) return fail(readApiFailure(page.failure))
  const unfit = partialProblem(route, request, true)
  if (unfit !== undefined) return fail(unfit)
  const { contentType } = rendering.value
  return ok({ type: 'pieces', code: 200, contentType, pieces: rendering.value.list(page.value) })
}

/** What the query and the path ask of storage. */
export function listRequest(
  route: ResourceRoute,
  { query, info }: ApiRequest,
  machinery: Machinery,
): Checked<ListRequest> {
  const options = listStart(readParameters(query), machinery)
  if (!options.ok) return options
  const selector = readSelector(query, route.type)
  if (!selector.ok) return selector
  const { start, limit } = options.value
  return ok({
    selector: selector.value,
    start,
    ...(info.namespace === '' ? {} : { namespace: info.namespace }),
    ...(limit === undefined ? {} : { limit }),
  })
}
