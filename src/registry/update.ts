/** update (PUT): replaces what a path shows of an object. Source: specification, "Update rules", "Operations". */

import { fail, ok } from '../../store/contract.ts'
import type { Outcome } from '../pipeline/answer.ts'
import { badRequest } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'
import type { ApiObject } from '../types/object.ts'
import { type BodyObject, readBodyObject } from './body-object.ts'
import { insertObject } from './create.ts'
import type { Facet } from './facet.ts'
import { guardedWrite } from './guarded-write.ts'
import { type ApiRequest, type Machinery, objectName, type ResourceRoute } from './machinery.ts'
import { objectAnswer } from './respond.ts'
import { changeOf, uidProblem } from './update-rules.ts'
import { managerName, type WriteOptions } from './write-options.ts'
import { startWrite } from './write-start.ts'

export async function updateObject(
  route: ResourceRoute,
  facet: Facet,
  request: ApiRequest,
  machinery: Machinery,
): Promise<Outcome> {
  const start = startWrite(route, request, machinery, 'UpdateOptions')
  if (!start.ok) return start
  const { rendering, options } = start.value
  const body = await readBodyObject(request, machinery.schema, facet.expected, options.fieldValidation)
  if (!body.ok) return body
  const mismatch = identityProblem(body.value.object, request)
  if (mismatch !== undefined) return fail(mismatch)
  const written = await replace(route, facet, request, machinery, body.value, options)
  if (written.ok) return ok(objectAnswer(200, rendering, written.value.json))
  if (!isAbsent(written.failure)) return written
  const absent = uidProblem(
    body.value.again(),
    { ...body.value.object, metadata: { name: request.info.name } },
    route,
  )
  if (absent !== undefined) return fail(absent)
  return facet.subresource === '' && route.type.strategy.createOnUpdate
    ? createInstead(route, request, machinery, body.value, options, rendering)
    : written
}

function replace(
  route: ResourceRoute,
  facet: Facet,
  request: ApiRequest,
  machinery: Machinery,
  body: BodyObject,
  options: WriteOptions,
) {
  const { dryRun } = options
  const manager = managerName(request, options)
  const { user, warnings, audit } = request
  let first: ApiObject | undefined = body.object
  return guardedWrite(route, {
    name: objectName(request),
    dryRun,
    startsNewest: machinery.admission.asksOthers(route.type, 'UPDATE'),
    async change(old, base) {
      const given = first ?? body.again()
      first = undefined
      const another = uidProblem(given, old, route)
      if (another !== undefined) return fail(another)
      const asked = { user, manager, dryRun, options, warnings, audit }
      return changeOf(route, machinery, { facet, body: given, old, base, ...asked })
    },
  })
}

function isAbsent(failure: ApiFailure): boolean {
  return failure.reason === 'NotFound'
}

async function createInstead(
  route: ResourceRoute,
  request: ApiRequest,
  machinery: Machinery,
  body: BodyObject,
  options: WriteOptions,
  rendering: Parameters<typeof objectAnswer>[1],
): Promise<Outcome> {
  const object = body.again()
  const { namespace } = request.info
  delete object.metadata.resourceVersion
  const { user, warnings, audit } = request
  const { dryRun } = options
  const manager = managerName(request, options)
  const stored = await insertObject(route, machinery, {
    object,
    namespace,
    user,
    manager,
    dryRun,
    options,
    warnings,
    audit,
  })
  return stored.ok ? ok(objectAnswer(201, rendering, stored.value)) : stored
}

/** What is said of a body that has no name. */
export function undeterminableName(inPath: string): string {
  return `the name of the object (${inPath} based on URL) was undeterminable: name must be provided`
}

/** Name and namespace, where the body says them, are those of the path. */
export function identityProblem({ metadata }: ApiObject, { info }: ApiRequest): ApiFailure | undefined {
  const { name = '', namespace = '' } = metadata
  if (name === '') {
    return badRequest(undeterminableName(info.name))
  }
  if (name !== info.name) {
    return badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`)
  }
  return namespace === '' || info.namespace === '' || namespace === info.namespace
    ? undefined
    : badRequest(
        `the namespace of the object (${namespace}) does not match the namespace on the request (${info.namespace})`,
      )
}
