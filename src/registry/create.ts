/** create: a new object. Source: specification, "Operations", "Common envelope and metadata". */

import { fail, ok } from '../../store/contract.ts'
import type { AdmissionRequest, OperationOptions } from '../admission/admission.ts'
import type { AuditAnnotations } from '../audit/annotations.ts'
import type { Outcome } from '../pipeline/answer.ts'
import type { User } from '../pipeline/user.ts'
import {
  alreadyExists,
  badRequest,
  generateNameConflict,
  modified,
  type ResourceRef,
  terminatingResource,
} from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'
import type { CachedObject } from '../storage/contract.ts'
import { parseObject } from '../storage/record.ts'
import type { ApiObject } from '../types/object.ts'
import type { TypeRegistry } from '../types/resource.ts'
import { readBodyObject } from './body-object.ts'
import { type ApiRequest, type Checked, type Machinery, type ResourceRoute, timestamp } from './machinery.ts'
import { fillNewMetadata, generatedName, isTerminating } from './metadata.ts'
import { dropRepeatedOwners } from './owner-references.ts'
import { ownAsSent } from './ownership.ts'
import { objectAnswer } from './respond.ts'
import { dryStoreObject, storeObject } from './store-object.ts'
import { validateNew } from './validate.ts'
import { managerName } from './write-options.ts'
import { startWrite } from './write-start.ts'

export async function createObject(
  route: ResourceRoute,
  request: ApiRequest,
  machinery: Machinery,
): Promise<Outcome> {
  const start = startWrite(route, request, machinery, 'CreateOptions')
  if (!start.ok) return start
  const { rendering, options } = start.value
  const expected = { kind: route.type, message: route.type.message }
  const body = await readBodyObject(request, machinery.schema, expected, options.fieldValidation)
  if (!body.ok) return body
  const stored = await insertObject(route, machinery, {
    object: body.value.object,
    namespace: request.info.namespace,
    user: request.user,
    manager: managerName(request, options),
    dryRun: options.dryRun,
    options,
    warnings: request.warnings,
    audit: request.audit,
  })
  return stored.ok ? ok(objectAnswer(201, rendering, stored.value)) : stored
}

interface NewObject {
  /** Decoded and defaulted, of the served version. */
  readonly object: ApiObject
  readonly namespace: string
  readonly user: User
  /** Who is to own its fields; undefined = its managed fields say so already. */
  readonly manager: string | undefined
  readonly dryRun: boolean
  /** As the client gave them; absent = the server itself writes. */
  readonly options?: OperationOptions
  /** Where warnings for the client go. */
  readonly warnings?: string[]
  /** Where it is written down what became of it. */
  readonly audit?: AuditAnnotations | undefined
}

/** Fills in, admits, validates and stores a new object. Gives its JSON in the storage version. */
export async function insertObject(
  route: ResourceRoute,
  machinery: Machinery,
  { object: given, namespace, user, manager, dryRun, options, warnings = [], audit }: NewObject,
): Promise<Checked<Buffer>> {
  const { type } = route
  const mismatch = identityProblem(given, namespace)
  if (mismatch !== undefined) return fail(badRequest(mismatch))
  const object = type.toStorage(given)
  object.metadata.namespace = namespace
  dropRepeatedOwners(object, warnings)
  const admission: AdmissionRequest = {
    operation: 'CREATE',
    type,
    subresource: '',
    namespace,
    name: object.metadata.name ?? '',
    user,
    dryRun,
    object,
    ...(options === undefined ? {} : { options }),
    warnings,
    audit,
  }
  const ownedFirst = type.strategy.addsOnCreate === true || machinery.admission.changes(type, 'CREATE')
  const normalize = (one: ApiObject): ApiObject => machinery.schema.normalize(type.storageMessage, one)
  if (manager !== undefined && ownedFirst)
    await ownAsSent(
      route.ownership,
      undefined,
      object,
      { manager, now: timestamp(machinery.clock) },
      normalize,
    )
  const mutated = machinery.admission.mutate(admission)
  const refused = mutated instanceof Promise ? await mutated : mutated
  if (refused !== undefined) return fail(refused)
  const generated = prepareNew(object, namespace, user, route, machinery)
  const loading = type.strategy.load?.()
  if (loading !== undefined) await loading
  const judged = validateNew(object, type, machinery.schema) ?? machinery.admission.validate(admission)
  const problem = judged instanceof Promise ? await judged : judged
  if (problem !== undefined) return fail(problem)
  if (type.strategy.warnings !== undefined) warnings.push(...type.strategy.warnings(object, undefined))
  const normal = normalize(object)
  if (manager !== undefined && !ownedFirst) {
    const now = normal.metadata.creationTimestamp ?? timestamp(machinery.clock)
    const tracked = route.ownership.track(undefined, normal, { manager, now })
    if (tracked instanceof Promise) await tracked
  }
  if (dryRun) return dryInsert(route, normal)
  return store(route, machinery, normal, generated)
}

function identityProblem({ metadata }: ApiObject, namespace: string): string | undefined {
  if ((metadata.resourceVersion ?? '') !== '' && metadata.resourceVersion !== '0')
    return 'resourceVersion should not be set on objects to be created'
  const given = metadata.namespace ?? ''
  return given === '' || namespace === '' || given === namespace
    ? undefined
    : 'the namespace of the provided object does not match the namespace sent on the request'
}

/** What the server decides about a new object. True = its name is generated. */
function prepareNew(
  object: ApiObject,
  namespace: string,
  user: User,
  { type: { strategy } }: ResourceRoute,
  { clock, identifiers }: Machinery,
): boolean {
  const { name = '', generateName = '' } = object.metadata
  const generated = name === '' && generateName !== ''
  if (generated) object.metadata.name = generatedName(generateName, identifiers)
  const now = timestamp(clock)
  fillNewMetadata(object, { namespace, now, identifiers, generation: strategy.generation })
  if (strategy.status && strategy.keepsStatusOnCreate !== true) delete object['status']
  strategy.prepareForCreate?.(object, { now, user })
  return generated
}

/** How often another name is tried when a generated one is taken, or it is tried again under a changed definition. */
const attemptsMax = 8

async function store(
  route: ResourceRoute,
  { identifiers, types }: Machinery,
  object: ApiObject,
  generated: boolean,
): Promise<Checked<Buffer>> {
  const { metadata } = object
  for (let attempt = 1; ; attempt++) {
    const { namespace = '', name = '' } = metadata
    // The definition may have gone while others were asked: what is created now would be left behind.
    if (isEnding(route, types)) return fail(terminatingResource(route.ref, 'create'))
    const guard = route.type.custom?.guard()
    const created = await storeObject(route, object, noOld, (newRecord) =>
      route.storage.create(
        { namespace, name },
        guard === undefined ? newRecord : { ...newRecord, guards: [guard] },
      ),
    )
    if (created.ok) return ok(created.value.json)
    if (created.failure.code === 'Refused') return fail(created.failure.failure)
    if (created.failure.code === 'Outdated') {
      const refreshed = await types.refresh()
      if (!refreshed.ok) return refreshed
      if (attempt === attemptsMax) return fail(modified(route.ref, name))
      continue
    }
    if (!generated) return fail(taken(route.ref, name, created.failure.current))
    if (attempt === attemptsMax) return fail(generateNameConflict(route.ref, name))
    metadata.name = generatedName(metadata.generateName ?? '', identifiers)
  }
}

function isEnding({ type: { custom, storage } }: ResourceRoute, types: TypeRegistry): boolean {
  if (custom === undefined || storage === undefined) return false
  return types.stored(storage.prefix)?.custom?.terminating !== false
}

const noOld = (): undefined => undefined

/** Who waits for a name to become free is told that it will. */
function taken(ref: ResourceRef, name: string, current: CachedObject | undefined): ApiFailure {
  const failure = alreadyExists(ref, name)
  return current !== undefined && isTerminating(parseObject(current))
    ? { ...failure, message: `object is being deleted: ${failure.message}` }
    : failure
}

/** Says what creation would have said, without storing. */
async function dryInsert(route: ResourceRoute, object: ApiObject): Promise<Checked<Buffer>> {
  const { namespace = '', name = '' } = object.metadata
  const found = await route.storage.get({ namespace, name }, { type: 'mostRecent' })
  if (found.ok && found.value !== undefined) return fail(taken(route.ref, name, found.value))
  return dryStoreObject(route, object, noOld)
}
