/** What the controllers that work on certificate requests share: how they hear of them, and how they change them. */

import type { JsonObject } from '../json.ts'
import { type Machinery, timestamp } from '../registry/machinery.ts'
import { parseObject } from '../storage/record.ts'
import { draftOf, objectAt, objectsAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import { systemUser } from './bootstrap.ts'
import type { Controller, Routes } from './controller.ts'
import { signingRequestsOf } from './csr.ts'
import { followingController } from './following.ts'
import { createInformer } from './informer.ts'
import { changeOwn, ownFacet } from './own-writes.ts'
import { createWorkQueue } from './work-queue.ts'

interface RequestWork {
  /** Of the controller: the manager of what it writes. */
  readonly name: string
  /** What of a request it writes. */
  readonly subresource: 'approval' | 'status'
  /** Whether the controller has anything to do with the request. */
  isDue(request: ApiObject): boolean
  /** Gives what is in the way, to be tried again; undefined = done, or nothing is to be done. */
  handle(request: ApiObject, tools: RequestTools): Promise<string | undefined>
}

export interface RequestTools {
  /** Writes these members of the status of the request, if it is still the same one and still due. */
  change(
    request: ApiObject,
    members: (status: JsonObject | undefined) => JsonObject,
  ): Promise<string | undefined>
  /** Looks at the request again, this many milliseconds later. */
  again(request: ApiObject, delayMs: number): void
}

/** Does nothing where requests are not served. */
export function createRequestController(
  machinery: Machinery,
  routes: Routes,
  { name, subresource, isDue, handle }: RequestWork,
): Controller {
  const { clock, log } = machinery
  const maybeRoute = signingRequestsOf(machinery, routes)
  if (maybeRoute === undefined) return { start() {}, close() {} }
  const route = maybeRoute
  const facet = ownFacet(route, subresource, machinery)
  const write = { route, machinery, user: systemUser, manager: name, facet }

  const tools: RequestTools = {
    async change({ metadata: { name: requested = '', uid } }, members) {
      const changed = await changeOwn(write, { namespace: '', name: requested }, (object) => {
        if (object.metadata.uid !== uid || !isDue(object)) return undefined
        const status = objectAt(draftOf(object), 'status')
        return { ...object, status: { ...status, ...members(status) } }
      })
      return changed.ok || changed.failure.reason === 'NotFound' ? undefined : changed.failure.message
    },
    again: ({ metadata }, delayMs) => queue.addLater(metadata.name ?? '', delayMs),
  }

  async function lookAt(key: string): Promise<string | undefined> {
    const found = await route.storage.cached({ namespace: '', name: key })
    if (!found.ok) return found.failure.code
    if (found.value === undefined) return undefined
    const request = parseObject(found.value)
    return isDue(request) ? handle(request, tools) : undefined
  }

  const queue = createWorkQueue({ clock, log, name, work: lookAt })
  const informer = createInformer(
    { clock, log, storage: route.storage, resource: 'certificatesigningrequests' },
    {
      set: (request) => {
        if (isDue(request)) queue.add(request.metadata.name ?? '')
      },
      remove() {},
    },
  )
  return followingController(queue, [informer])
}

/** The conditions of a status, and one more that is true from now on. */
export function withCondition(
  status: JsonObject | undefined,
  condition: { readonly type: string; readonly reason: string; readonly message: string },
  { clock }: Machinery,
): JsonObject {
  const now = timestamp(clock)
  const { type, reason, message } = condition
  const added = { type, status: 'True', reason, message, lastUpdateTime: now, lastTransitionTime: now }
  return { conditions: [...objectsAt(status, 'conditions'), added] }
}
