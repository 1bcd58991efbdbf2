/** How the server itself writes: through the same checks and guards as a client, as a user who may do all. */

import { ok } from '../../store/contract.ts'
import type { JsonObject } from '../json.ts'
import type { User } from '../pipeline/user.ts'
import { insertObject } from '../registry/create.ts'
import { deleteOne } from '../registry/delete.ts'
import { type Facet, mainFacet } from '../registry/facet.ts'
import { guardedWrite, type Written } from '../registry/guarded-write.ts'
import type { Checked, Machinery, ResourceRoute } from '../registry/machinery.ts'
import { createOwnership } from '../registry/ownership.ts'
import { facetOf } from '../registry/subresource-facets.ts'
import { changeOf } from '../registry/update-rules.ts'
import type { ObjectName } from '../storage/contract.ts'
import type { ApiObject } from '../types/object.ts'

export interface OwnWrite {
  readonly route: ResourceRoute
  readonly machinery: Machinery
  readonly user: User
  /** Who owns the fields that are written. */
  readonly manager: string
  /** What of the object is written: absent = all but its status. Made by {@link ownFacet}. */
  readonly facet?: Facet
}

/** `value` is a whole object of the route's version. A bug (throws) when it does not fit its schema. */
export async function createOwn(
  { route, machinery, user, manager }: OwnWrite,
  value: JsonObject,
): Promise<Checked<Buffer>> {
  const { message } = route.type
  const decoded = machinery.schema.decode(message, value)
  if (!decoded.ok) throw new TypeError(decoded.failure.message)
  const { object } = decoded.value
  machinery.schema.applyDefaults(message, object)
  const namespace = object.metadata.namespace ?? ''
  return insertObject(route, machinery, { object, namespace, user, manager, dryRun: false })
}

/** `edit` gets a copy of the stored object, again when it has moved, and gives it back changed; undefined = it is right. */
export async function changeOwn(
  { route, machinery, user, manager, facet = mainFacet(route.type, route.ownership) }: OwnWrite,
  name: ObjectName,
  edit: (object: ApiObject) => ApiObject | undefined,
): Promise<Checked<Written>> {
  return guardedWrite(route, {
    name,
    dryRun: false,
    async change(old, base) {
      const body = edit(structuredClone(old))
      if (body === undefined) return ok({ type: 'none' })
      return changeOf(route, machinery, {
        facet,
        body,
        old,
        base,
        user,
        manager,
        dryRun: false,
        warnings: [],
      })
    },
  })
}

/** The facet behind a subresource. A bug (throws) when the type has none of that name. */
export function ownFacet({ type }: ResourceRoute, subresource: string, { names, types }: Machinery): Facet {
  const found = type.subresources.get(subresource)
  const facet =
    found === undefined
      ? undefined
      : facetOf(type, found, createOwnership(type, subresource, names, types), names)
  if (facet === undefined) throw new TypeError(`${type.plural} have no ${subresource}`)
  return facet
}

/** Takes it away: `uid` makes sure that it is the one that was looked at. Undefined = it is gone or going. */
export async function deleteOwn(
  { route, machinery, user }: Omit<OwnWrite, 'manager' | 'facet'>,
  name: ObjectName,
  uid: string | undefined,
): Promise<string | undefined> {
  const deleted = await deleteOne(route, machinery, name, user, {
    kind: 'DeleteOptions',
    dryRun: false,
    gracePeriodSeconds: undefined,
    propagation: undefined,
    uid,
    resourceVersion: undefined,
    cascades: false,
  })
  return deleted.ok || ['NotFound', 'Conflict'].includes(deleted.failure.reason)
    ? undefined
    : deleted.failure.message
}
