/** delete: one object, in one or two phases. Source: specification, "Operations", "States and transitions". */

import { fail, ok } from '../../store/contract.ts'
import type { AuditAnnotations } from '../audit/annotations.ts'
import type { Rendering } from '../codec/rendering.ts'
import { parseStored } from '../codec/shape.ts'
import type { Answer, Outcome } from '../pipeline/answer.ts'
import type { User } from '../pipeline/user.ts'
import { successStatus } from '../status/status.ts'
import type { ObjectName } from '../storage/contract.ts'
import { conversionFailure } from '../storage/failures.ts'
import type { ApiObject } from '../types/object.ts'
import type { VersionConversion } from '../types/resource.ts'
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
  const deleted = await deleteOne(
    route,
    machinery,
    objectName(request),
    request.user,
    options.value,
    request.audit,
  )
  return deleted.ok ? ok(await answerOf(route, deleted.value, options.value, rendering.value)) : deleted
}

/** Also for collections and controllers. Objects are not converted for it, unless somebody wants to see them. */
export function deleteOne(
  route: ResourceRoute,
  machinery: Machinery,
  name: ObjectName,
  user: User,
  options: DeleteOptions,
  audit?: AuditAnnotations,
): Promise<Checked<Written>> {
  const { type, stored = route } = route
  const { dryRun } = options
  const isShown = machinery.admission.asksOthers(type, 'DELETE')
  return guardedWrite(stored, {
    name,
    dryRun,
    startsNewest: isShown,
    async change(old, base) {
      const shown = isShown && type.conversion !== undefined ? await shownIn(type.conversion, old) : ok(old)
      if (!shown.ok) return shown
      const admission = {
        operation: 'DELETE' as const,
        type,
        subresource: '',
        namespace: base.namespace,
        name: base.name,
        user,
        dryRun,
        oldObject: shown.value,
        options,
        audit,
      }
      const refused =
        (await machinery.admission.mutate(admission)) ?? (await machinery.admission.validate(admission))
      return refused === undefined
        ? deletionOf(old, base, options, stored, machinery)
        : { ok: false, failure: refused }
    },
  })
}

async function shownIn(conversion: VersionConversion, stored: ApiObject): Promise<Checked<ApiObject>> {
  const read = await conversion.read([structuredClone(stored)])
  if (!read.ok) return fail(conversionFailure(read.failure))
  return ok(read.value[0] ?? stored)
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

async function answerOf(
  { type, ref }: ResourceRoute,
  { change, json }: Written,
  { cascades }: DeleteOptions,
  rendering: Rendering,
): Promise<Answer> {
  if (change !== 'remove') {
    const code = cascades ? 202 : 200
    if (type.conversion === undefined) return objectAnswer(code, rendering, json)
    const shown = await shownIn(type.conversion, parseStored(json))
    // The deletion has been asked for and counts: who cannot be shown the object is told so much.
    if (shown.ok) return objectAnswer(code, rendering, Buffer.from(JSON.stringify(shown.value)))
  }
  if (showsDeleted.has(type.storage?.prefix ?? '')) return objectAnswer(200, rendering, json)
  const { name = '', uid = '' } = parseStored(json).metadata
  const group = ref.group === '' ? {} : { group: ref.group }
  const status = successStatus({ name, ...group, kind: ref.resource, uid })
  return { type: 'body', code: 200, contentType: rendering.contentType, body: rendering.status(status) }
}
