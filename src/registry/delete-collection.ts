/** deletecollection: every object that a list of the same query would show. Source: specification, "Operations". */

import { fail, ok } from '../../store/contract.ts'
import type { Outcome } from '../pipeline/answer.ts'
import { successStatus } from '../status/status.ts'
import type { CachedObject } from '../storage/contract.ts'
import { formsOf } from '../storage/converted/converted-objects.ts'
import { readApiFailure } from '../storage/failures.ts'
import { deleteOne } from './delete.ts'
import { readDeleteOptions } from './delete-options.ts'
import { listRequest } from './list.ts'
import type { ApiRequest, Checked, Machinery, ResourceRoute } from './machinery.ts'
import { requestedRendering } from './respond.ts'

/** Deletions under way at once, for one request. */
const concurrency = 8

/** The answer lists the objects as they were when they were chosen. */
export async function deleteCollection(
  route: ResourceRoute,
  request: ApiRequest,
  machinery: Machinery,
): Promise<Outcome> {
  const rendering = requestedRendering(route, request)
  if (!rendering.ok) return rendering
  const options = await readDeleteOptions(request, machinery)
  if (!options.ok) return options
  const asked = listRequest(route, request, machinery)
  if (!asked.ok) return asked
  const { storage } = route.stored ?? route
  const page = await storage.list(asked.value)
  if (!page.ok) return fail(readApiFailure(page.failure))
  const deleted = await inParallel(page.value.items, (item) =>
    deleteOne(route, machinery, item, request.user, options.value, request.audit),
  )
  if (!deleted.ok) return deleted
  const { contentType } = rendering.value
  const items = await shownItems(route, page.value.items)
  if (items === undefined) {
    const body = rendering.value.status(successStatus({ group: route.ref.group, kind: route.ref.resource }))
    return ok({ type: 'body', code: 200, contentType, body })
  }
  return ok({
    type: 'pieces',
    code: 200,
    contentType,
    pieces: rendering.value.list(items === page.value.items ? page.value : { ...page.value, items }),
  })
}

/** What is gone is gone: where it cannot be shown (undefined), that is no failure. */
async function shownItems(
  { type: { conversion } }: ResourceRoute,
  items: readonly CachedObject[],
): Promise<readonly CachedObject[] | undefined> {
  if (conversion === undefined) return items
  const shown = await formsOf(conversion).all(items)
  return shown.ok ? shown.value : undefined
}

/** Stops at the first failure; an object that somebody else has deleted meanwhile is none. */
async function inParallel(
  items: readonly CachedObject[],
  remove: (item: CachedObject) => Promise<Checked<unknown>>,
): Promise<Checked<void>> {
  const queue = items.values()
  let failed: Checked<void> = ok(undefined)
  async function worker(): Promise<void> {
    for (const item of queue) {
      if (!failed.ok) return
      const done = await remove(item)
      if (!done.ok && done.failure.reason !== 'NotFound') failed = done
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return failed
}
