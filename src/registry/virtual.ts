/**
 * Resources that stand for an operation: what is created is answered, not stored. Reviews of access and tokens are of
 * this kind.
 *
 * Source: specification, "Terminology" (virtual resource type).
 */

import { ok } from '../../store/contract.ts'
import { createNegotiator, mediaTypesOf, type Offer } from '../codec/accept.ts'
import { createRenderings } from '../codec/renderings.ts'
import type { Outcome } from '../pipeline/answer.ts'
import type { MessageType } from '../schema/descriptor.ts'
import type { ApiObject } from '../types/object.ts'
import { apiVersionOf, type Kind, type ResourceType, type Subresource } from '../types/resource.ts'
import { readBodyObject } from './body-object.ts'
import type { ApiRequest, Checked, Machinery } from './machinery.ts'
import { objectAnswer, type Shown } from './respond.ts'
import { startWrite } from './write-start.ts'

/** `object` is of the storage version, and the answer too. May change the object and give it back. */
export type Operation = (object: ApiObject, request: ApiRequest) => Promise<Checked<ApiObject>>

/** By `<group>/<plural>`, with `/<subresource>` behind it for one of those. */
export type Operations = ReadonlyMap<string, Operation>

interface VirtualRoute extends Shown {
  readonly kind: Kind
  readonly message: MessageType
  readonly storageMessage: MessageType
  readonly operation: Operation
  toStorage(object: ApiObject): ApiObject
}

const offer: Offer = { transforms: new Set(['none', 'table', 'partial']), yaml: true, protobuf: true }

/** Undefined = this server has nothing behind it. */
export function createVirtualRoute(
  type: ResourceType,
  subresource: Subresource | undefined,
  operations: Operations,
  { names, clock, columnsOf, types }: Machinery,
): VirtualRoute | undefined {
  const id = `${type.group}/${type.plural}`
  const operation = operations.get(subresource === undefined ? id : `${id}/${subresource.name}`)
  if (operation === undefined) return undefined
  const shown = subresource === undefined ? type : asType(type, subresource)
  return {
    kind: shown,
    message: shown.message,
    storageMessage: shown.storageMessage,
    operation,
    toStorage: shown.toStorage,
    mediaTypes: mediaTypesOf(names),
    negotiate: createNegotiator(names, offer),
    rendering: createRenderings({
      type: shown,
      names,
      clock,
      columns: columnsOf(shown),
      messageOf: types.message,
    }),
  }
}

/** A subresource of a kind of its own, which has one version. */
function asType(type: ResourceType, { kind, message }: Subresource): ResourceType {
  const same = (object: ApiObject): ApiObject => object
  return {
    ...type,
    ...kind,
    apiVersion: apiVersionOf(kind),
    message,
    storageMessage: message,
    isStorageVersion: true,
    toStorage: same,
    fromStorage: same,
  }
}

export async function createVirtual(
  route: VirtualRoute,
  request: ApiRequest,
  { schema, names }: Machinery,
): Promise<Outcome> {
  const start = startWrite(route, request, { names }, 'CreateOptions')
  if (!start.ok) return start
  const { rendering, options } = start.value
  const body = await readBodyObject(request, schema, route, options.fieldValidation)
  if (!body.ok) return body
  const answered = await route.operation(route.toStorage(body.value.object), request)
  if (!answered.ok) return answered
  const normal = schema.normalize(route.storageMessage, answered.value)
  return ok(objectAnswer(201, rendering, Buffer.from(JSON.stringify(normal))))
}
