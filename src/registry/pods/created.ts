/** What the operations on pods have in common: a body that names the pod, and an answer that shows no object. */

import { fail, ok } from '../../../store/contract.ts'
import type { Outcome } from '../../pipeline/answer.ts'
import { badRequest } from '../../status/failures.ts'
import type { ObjectName } from '../../storage/contract.ts'
import type { ApiObject } from '../../types/object.ts'
import type { Subresource } from '../../types/resource.ts'
import { admitOperation } from '../admit-operation.ts'
import { readBodyObject } from '../body-object.ts'
import type { ApiRequest, Checked, Machinery, ResourceRoute } from '../machinery.ts'
import type { WriteOptions } from '../write-options.ts'
import { startWrite } from '../write-start.ts'

interface PodOperation {
  /** The pod: named by the path, or by the body alone where the path is that of a collection. */
  readonly name: ObjectName
  readonly body: ApiObject
  readonly options: WriteOptions
}

/** Reads the body, runs the operation, answers `Success`. */
export async function operateOnPod(
  route: ResourceRoute,
  request: ApiRequest,
  machinery: Machinery,
  { name: subresource, kind, message }: Subresource,
  operate: (operation: PodOperation) => Promise<Checked<unknown>>,
): Promise<Outcome> {
  const start = startWrite(route, request, machinery, 'CreateOptions')
  if (!start.ok) return start
  const { rendering, options } = start.value
  const expected = { kind, message }
  const body = await readBodyObject(request, machinery.schema, expected, options.fieldValidation)
  if (!body.ok) return body
  const { name = '', namespace = '' } = body.value.object.metadata
  if (request.info.name !== '' && name !== request.info.name)
    return fail(badRequest(`name in URL does not match name in ${kind.kind} object`))
  if (namespace !== '' && namespace !== request.info.namespace)
    return fail(
      badRequest('the namespace of the provided object does not match the namespace sent on the request'),
    )
  const refused = await admitOperation(machinery, {
    type: route.type,
    subresource,
    namespace: request.info.namespace,
    name,
    user: request.user,
    dryRun: options.dryRun,
    options,
    object: body.value.object,
    warnings: request.warnings,
    audit: request.audit,
  })
  if (refused !== undefined) return fail(refused)
  const done = await operate({
    body: body.value.object,
    name: { namespace: request.info.namespace, name },
    options: options,
  })
  if (!done.ok) return done
  const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } as const
  return ok({
    type: 'body',
    code: 201,
    contentType: rendering.contentType,
    body: rendering.status(success),
  })
}
