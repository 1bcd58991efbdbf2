/** Everything that is wrong with an object about to be stored, as one failure. */

import { invalid } from '../status/failures.ts'
import type { ApiFailure, Cause } from '../status/status.ts'
import type { ApiObject } from '../types/object.ts'
import type { ResourceType } from '../types/resource.ts'
import type { ObjectSchema } from './machinery.ts'
import { metadataCauses, metadataUpdateCauses } from './metadata-validation.ts'

/** All that is wrong with a new object in one answer (422); undefined = nothing. */
export function validateNew(
  object: ApiObject,
  type: ResourceType,
  schema: ObjectSchema,
): ApiFailure | undefined {
  return failureOf(object, type, [
    ...metadataCauses(object, type),
    ...schema.missing(type.storageMessage, object),
    ...(type.strategy.validate?.(object) ?? []),
    ...(type.strategy.validateCreate?.(object) ?? []),
  ])
}

/** All that is wrong with an object or with its change, in one answer (422); undefined = nothing. */
export function validateChange(
  object: ApiObject,
  old: ApiObject,
  type: ResourceType,
  schema: ObjectSchema,
  updateCauses = type.strategy.validateUpdate,
): ApiFailure | undefined {
  const refused = updateCauses?.(object, old) ?? []
  const { changeFirst = false } = type.strategy
  const failure = failureOf(object, type, [
    ...metadataUpdateCauses(object, old),
    ...metadataCauses(object, type),
    ...(changeFirst ? refused : []),
    ...schema.missing(type.storageMessage, object),
    ...(type.strategy.validate?.(object) ?? []),
    ...(changeFirst ? [] : refused),
  ])
  const code = type.strategy.refusedChangeCode
  return failure === undefined || code === undefined || refused.length === 0 ? failure : { ...failure, code }
}

function failureOf(object: ApiObject, type: ResourceType, causes: readonly Cause[]): ApiFailure | undefined {
  if (causes.length === 0) return undefined
  const { kind, group, strategy } = type
  return invalid({ kind, group: strategy.toldGroup ?? group }, object.metadata.name ?? '', causes)
}
