/** What the verbs over a stored type need, made once for each. */

import { createNegotiator, mediaTypesOf, type Offer } from '../codec/accept.ts'
import { createRenderings } from '../codec/renderings.ts'
import { formsOf } from '../storage/converted/converted-objects.ts'
import { createConvertedStorage } from '../storage/converted/converted-storage.ts'
import type { ResourceType } from '../types/resource.ts'
import { createAllocator } from './allocator.ts'
import type { Machinery, ResourceRoute } from './machinery.ts'
import { createOwnership, unowned } from './ownership.ts'

const transforms: Offer['transforms'] = new Set(['none', 'table', 'partial'])
const readOffer: Offer = { transforms, yaml: true }
const watchOffer: Offer = { transforms, yaml: false }

/** @param shown as reads see it: the type itself, or a subresource of another kind */
export function createRoute(
  type: ResourceType,
  shown: ResourceType,
  { storage, names, types, clock, columnsOf, allocations, schema }: Machinery,
): ResourceRoute {
  if (type.storage === undefined) throw new TypeError(`${type.plural} is not stored`)
  // Of custom resources only the metadata has a form in protobuf.
  const protobuf = type.custom === undefined ? true : 'metadata'
  const allocation = allocations.get(type.storage.prefix)
  const objects = storage.resource(type.storage)
  const route: ResourceRoute = {
    type,
    ...(allocation === undefined
      ? {}
      : {
          allocator: createAllocator({
            allocation,
            claimed: storage.claimed,
            normalize: (object) => schema.normalize(type.storageMessage, object),
          }),
        }),
    ref: { group: type.group, resource: type.plural },
    storage: objects,
    ownership: createOwnership(type, '', names, types),
    mediaTypes: mediaTypesOf(names),
    negotiate: createNegotiator(names, { ...readOffer, protobuf }),
    negotiateWatch: createNegotiator(names, { ...watchOffer, protobuf }),
    rendering: createRenderings({
      type: shown,
      names,
      clock,
      columns: shown.columns ?? columnsOf(shown),
      messageOf: types.message,
      // A subresource of another kind makes its own object; versions of a type are all shown from what is stored,
      // where they have no columns of their own.
      ...(shown === type && type.columns === undefined ? {} : { source: shown.fromStorage }),
    }),
  }
  const { conversion, ...unconverted } = type
  if (conversion === undefined) return route
  const storedRoute = { ...route, type: unconverted, ownership: unowned }
  return { ...route, storage: createConvertedStorage(objects, formsOf(conversion)), stored: storedRoute }
}
