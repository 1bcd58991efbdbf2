/**
 * componentstatuses: not stored, but asked of the server when they are read. There is one component beside the server
 * itself, its store; deprecated by the API, and still what people look at first.
 */

import { fail, key, ok, revision } from '../../store/contract.ts'
import { createNegotiator, mediaTypesOf, type Offer } from '../codec/accept.ts'
import { createRenderings } from '../codec/renderings.ts'
import type { Outcome } from '../pipeline/answer.ts'
import { notFound } from '../status/failures.ts'
import type { CachedObject } from '../storage/contract.ts'
import { compileSelector } from '../storage/selector/selector.ts'
import type { ResourceType } from '../types/resource.ts'
import type { ApiRequest, Machinery } from './machinery.ts'
import { readSelector } from './read-options.ts'
import { objectAnswer, requestedRendering, type Shown } from './respond.ts'

const offer: Offer = { transforms: new Set(['none', 'table', 'partial']), yaml: true, protobuf: true }

/** Serves get and list. */
export function createComponentStatuses(
  type: ResourceType,
  machinery: Machinery,
): (request: ApiRequest) => Promise<Outcome> {
  const { names, clock, columnsOf, types } = machinery
  const shown: Shown = {
    mediaTypes: mediaTypesOf(names),
    negotiate: createNegotiator(names, offer),
    rendering: createRenderings({ type, names, clock, columns: columnsOf(type), messageOf: types.message }),
  }
  return async (request) => {
    const rendering = requestedRendering(shown, request)
    if (!rendering.ok) return rendering
    const selector = readSelector(request.query, type)
    if (!selector.ok) return selector
    const statuses = [await storeStatus(type, machinery)]
    const { name } = request.info
    if (name !== '') {
      const found = statuses.find((one) => one.name === name)
      if (found === undefined) return fail(notFound({ group: type.group, resource: type.plural }, name))
      return ok(objectAnswer(200, rendering.value, found.json))
    }
    const items = statuses.filter(compileSelector(selector.value) ?? (() => true))
    const { contentType } = rendering.value
    const pieces = rendering.value.list({ items, revision: revision(0) })
    return ok({ type: 'pieces', code: 200, contentType, pieces })
  }
}

async function storeStatus(
  { apiVersion, kind }: ResourceType,
  { storage }: Machinery,
): Promise<CachedObject> {
  const index = await storage.readIndex()
  const name = 'store'
  const condition = index.ok
    ? { type: 'Healthy', status: 'True', message: 'ok' }
    : { type: 'Healthy', status: 'False', message: index.failure.message }
  const metadata = { name, creationTimestamp: null }
  const object = { apiVersion, kind, metadata, conditions: [condition] }
  return {
    key: key(name),
    namespace: '',
    name,
    revision: revision(0),
    json: Buffer.from(JSON.stringify(object)),
    labels: () => new Map(),
    field: (field) => (field === 'metadata.name' ? name : ''),
  }
}
