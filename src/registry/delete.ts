/** delete: one object, in one or two phases. Source: specification, "Operations", "States and transitions". */

import { ok } from '../../store/contract.ts'
import type { Rendering } from '../codec/rendering.ts'
import { parseStored } from '../codec/shape.ts'
import type { Answer, Outcome } from '../pipeline/answer.ts'
import type { User } from '../pipeline/user.ts'
import { successStatus } from '../status/status.ts'
import type { ObjectName } from '../storage/contract.ts'
import { type DeleteOptions, readDeleteOptions } from './delete-options.ts'
import { deletionOf } from './deletion.ts'
import { guardedWrite, type Written } from './guarded-write.ts'
import { type ApiRequest, type Checked, type Machinery, objectName, type ResourceRoute } from './machinery.ts'
import { objectAnswer, requestedRendering } from './respond.ts'

export async function deleteObject(
  route: ResourceRoute,
  request: ApiRequest,
  machinery: Machinery,
): Promise<Outcome> {
  const rendering = requestedRendering(route, request)
  if (!rendering.ok) return rendering
  const options = await readDeleteOptions(request, machinery)
  if (!options.ok) return options
  const deleted = await deleteOne(route, machinery, objectName(request), request.user, options.value)
  return deleted.ok ? ok(answerOf(route, deleted.value, options.value, rendering.value)) : deleted
}

/** Also for collections and controllers. */
export function deleteOne(
  route: ResourceRoute,
  machinery: Machinery,
  name: ObjectName,
  user: User,
  options: DeleteOptions,
): Promise<Checked<Written>> {
  const { type } = route
  const { dryRun } = options
  return guardedWrite(route, {
    name,
    dryRun,
    startsNewest: machinery.admission.asksOthers(type, 'DELETE'),
    async change(old, base) {
      const admission = {
        operation: 'DELETE' as const,
        type,
        subresource: '',
        namespace: base.namespace,
        name: base.name,
        user,
        dryRun,
        oldObject: old,
        options,
      }
      const refused =
        (await machinery.admission.mutate(admission)) ?? (await machinery.admission.validate(admission))
      return refused === undefined
        ? deletionOf(old, base, options, route, machinery)
        : { ok: false, failure: refused }
    },
  })
}

/** Types of which a deletion gives back the object that went, not a Status. */
const showsDeleted: ReadonlySet<string> = new Set([
  'core/persistentvolumeclaims',
  'core/persistentvolumes',
  'core/pods',
  'core/podtemplates',
  'core/resourcequotas',
  'core/serviceaccounts',
  'core/services',
])

function answerOf(
  { type, ref }: ResourceRoute,
  { change, json }: Written,
  { cascades }: DeleteOptions,
  rendering: Rendering,
): Answer {
  if (change !== 'remove') return objectAnswer(cascades ? 202 : 200, rendering, json)
  if (showsDeleted.has(type.storage?.prefix ?? '')) return objectAnswer(200, rendering, json)
  const { name = '', uid = '' } = parseStored(json).metadata
  const group = ref.group === '' ? {} : { group: ref.group }
  const status = successStatus({ name, ...group, kind: ref.resource, uid })
  return { type: 'body', code: 200, contentType: rendering.contentType, body: rendering.status(status) }
}
