/**
 * From a resource request to its verb. Routes are resolved once for each served resource; a request costs two look-ups.
 *
 * Source: specification, "Path shapes", "Operations".
 */

import { fail, ok } from '../../store/contract.ts'
import { createNegotiator, mediaTypesOf, type Offer } from '../codec/accept.ts'
import { createViews } from '../codec/views.ts'
import type { Outcome } from '../pipeline/answer.ts'
import type { ResourceRequest } from '../pipeline/request-info.ts'
import { methodNotAllowed, removedResource, unknownResource } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'
import { createLifecycle, type Deprecation } from '../types/lifecycle.ts'
import type { ResourceType, Subresource } from '../types/resource.ts'
import { createAllocator } from './allocator.ts'
import { createComponentStatuses } from './component-statuses.ts'
import { createObject } from './create.ts'
import { deleteObject } from './delete.ts'
import { deleteCollection } from './delete-collection.ts'
import { type Facet, mainFacet } from './facet.ts'
import { getObject } from './get.ts'
import { listObjects } from './list.ts'
import type { ApiRequest, Checked, Machinery, ResourceRoute } from './machinery.ts'
import { createOwnership } from './ownership.ts'
import { patchObject } from './patch.ts'
import { bindingCreator } from './pods/binding.ts'
import { facetOf } from './subresource-facets.ts'
import { updateObject } from './update.ts'
import { createVirtual, createVirtualRoute, type Operations } from './virtual.ts'
import { type WatchRegister, watchObjects } from './watch.ts'

/** A path of one resource: the object itself, or one of its subresources. */
interface Place {
  readonly type: ResourceType
  readonly verbs: ReadonlySet<string>
  /** Undefined where nothing is stored. */
  readonly route: ResourceRoute | undefined
  serve(request: ApiRequest): Promise<Outcome>
}

export interface Router {
  /** Where a request belongs; fails with 404 or 405 before anything else is done for it. */
  find(info: ResourceRequest): Checked<Place>
  serve(place: Place, request: ApiRequest): Promise<Outcome>
  /** `1.32` for a version that is deprecated ('' = until further notice), undefined for all others. */
  removedRelease(info: ResourceRequest): string | undefined
  /** The route of a stored type, for controllers. */
  route(group: string, version: string, plural: string): ResourceRoute | undefined
}

export interface RouterParts {
  readonly machinery: Machinery
  readonly register: WatchRegister
  readonly operations: Operations
}

export function createRouter(parts: RouterParts): Router {
  const places = createPlaces(parts)
  const lifecycle = createLifecycle(parts.machinery.names)

  /** Subresources of another kind have a life of their own. */
  function deprecationOf(
    { group, version, kind, subresources }: ResourceType,
    { subresource }: ResourceRequest,
  ): Deprecation | undefined {
    const shown = subresources.get(subresource)?.kind.kind ?? kind
    return lifecycle.deprecation(group, version, shown)
  }

  function unknown({ group, version, resource }: ResourceRequest): ApiFailure {
    const removal = lifecycle.removal(group, version, resource)
    return removal === undefined ? unknownResource : removedResource(removal)
  }

  return {
    find(info) {
      const resource = places.get(`${info.group}/${info.version}`)?.get(info.resource)
      const place = resource?.get(info.subresource)
      if (place === undefined) return fail(unknown(info))
      const problem = shapeProblem(info, place.type) ?? verbProblem(info, place)
      return problem === undefined ? ok(place) : fail(problem)
    },
    serve(place, request) {
      const deprecation = deprecationOf(place.type, request.info)
      if (deprecation !== undefined) request.warnings.push(deprecation.warning)
      return place.serve(request)
    },
    removedRelease(info) {
      const found = this.find(info)
      return found.ok ? deprecationOf(found.value.type, info)?.removedRelease : undefined
    },
    route: (group, version, plural) => places.get(`${group}/${version}`)?.get(plural)?.get('')?.route,
  }
}

/** By `group/version`, plural, subresource ('' = the object itself). */
type Places = ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, Place>>>

function createPlaces(parts: RouterParts): Places {
  const places = new Map<string, Map<string, ReadonlyMap<string, Place>>>()
  for (const type of parts.machinery.types.resources) {
    const id = `${type.group}/${type.version}`
    const ofVersion = places.get(id) ?? new Map<string, ReadonlyMap<string, Place>>()
    places.set(id, ofVersion)
    ofVersion.set(type.plural, placesOf(type, parts))
  }
  return places
}

function placesOf(type: ResourceType, parts: RouterParts): ReadonlyMap<string, Place> {
  const subresources = [...type.subresources.values()]
  const virtual = [undefined, ...subresources].map((one) => virtualPlace(type, one, parts))
  const stored = type.storage === undefined ? [] : storedPlaces(type, parts)
  const special = type.group === '' ? specialServe(type, parts.machinery) : undefined
  if (special !== undefined)
    return new Map([['', { type, verbs: type.verbs, route: undefined, serve: special }]])
  return new Map([...virtual.filter((entry) => entry !== undefined), ...stored])
}

/** Resources of the core group that stand for something else: the server's components, a subresource of pods. */
function specialServe(type: ResourceType, machinery: Machinery): Place['serve'] | undefined {
  switch (type.plural) {
    case 'componentstatuses':
      return createComponentStatuses(type, machinery)
    case 'bindings': {
      const pods = machinery.types.resource(type.group, type.version, 'pods')
      const subresource = pods?.subresources.get('binding')
      if (pods === undefined || subresource === undefined) return undefined
      const route = createRoute(pods, pods, machinery)
      const bind = bindingCreator(subresource)
      return (request) => bind(route, request, machinery)
    }
    default:
      return undefined
  }
}

type Entry = readonly [subresource: string, place: Place]

function virtualPlace(
  type: ResourceType,
  subresource: Subresource | undefined,
  { machinery, operations }: RouterParts,
): Entry | undefined {
  const route = createVirtualRoute(type, subresource, operations, machinery)
  if (route === undefined) return undefined
  const { verbs } = subresource ?? type
  const serve = (request: ApiRequest) => createVirtual(route, request, machinery)
  return [subresource?.name ?? '', { type, verbs, route: undefined, serve }]
}

function storedPlaces(type: ResourceType, parts: RouterParts): readonly Entry[] {
  const { machinery } = parts
  const route = createRoute(type, type, machinery)
  const main = storedPlace(route, mainFacet(type, route.ownership), type.verbs, parts)
  const places: Entry[] = [['', main]]
  for (const subresource of type.subresources.values()) {
    const ownership = createOwnership(type, subresource.name, machinery.names, machinery.types)
    const facet = facetOf(type, subresource, ownership)
    if (facet === undefined) continue
    const shown = subresource.name === 'scale' ? shownAs(type, subresource, facet) : type
    const own = shown === type ? route : createRoute(type, shown, machinery)
    places.push([subresource.name, storedPlace(own, facet, subresource.verbs, parts)])
  }
  return places
}

function storedPlace(
  route: ResourceRoute,
  facet: Facet,
  verbs: ReadonlySet<string>,
  { machinery, register }: RouterParts,
): Place {
  return {
    type: route.type,
    verbs,
    route,
    serve: (request) => serve(route, facet, request, machinery, register),
  }
}

/** The parent as reads of a subresource of another kind see it. */
function shownAs(type: ResourceType, { kind, message }: Subresource, facet: Facet): ResourceType {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
  return { ...type, ...kind, apiVersion, message, isStorageVersion: false, fromStorage: facet.show }
}

const transforms: Offer['transforms'] = new Set(['none', 'table', 'partial'])
const readOffer: Offer = { transforms, yaml: true, protobuf: true }
const watchOffer: Offer = { transforms, yaml: false, protobuf: true }

function createRoute(
  type: ResourceType,
  shown: ResourceType,
  { storage, names, types, clock, columnsOf, allocations, schema }: Machinery,
): ResourceRoute {
  if (type.storage === undefined) throw new TypeError(`${type.plural} is not stored`)
  const allocation = allocations.get(type.storage.prefix)
  return {
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
    storage: storage.resource(type.storage),
    ownership: createOwnership(type, '', names, types),
    mediaTypes: mediaTypesOf(names),
    negotiate: createNegotiator(names, readOffer),
    negotiateWatch: createNegotiator(names, watchOffer),
    view: createViews({
      type: shown,
      names,
      clock,
      columns: columnsOf(shown),
      messageOf: types.message,
      // A subresource of another kind makes its own object; versions of a type are all shown from what is stored.
      ...(shown === type ? {} : { source: shown.fromStorage }),
    }),
  }
}

/** Paths that have the right words in the wrong places. */
function shapeProblem(info: ResourceRequest, type: ResourceType): ApiFailure | undefined {
  if (info.rest.length > 0) return unknownResource
  if (info.subresource !== '' && info.name === '') return unknownResource
  if (!type.namespaced) return info.namespace === '' ? undefined : unknownResource
  if (info.namespace !== '') return undefined
  // All namespaces: a collection to read, nothing else.
  return info.name === '' ? undefined : unknownResource
}

function verbProblem(info: ResourceRequest, { type, verbs }: Place): ApiFailure | undefined {
  const { verb, name, subresource } = info
  if (verb === undefined || !verbs.has(verb)) return methodNotAllowed
  const acrossNamespaces = type.namespaced && info.namespace === ''
  switch (verb) {
    case 'create':
      return (name !== '' && subresource === '') || acrossNamespaces ? methodNotAllowed : undefined
    case 'update':
    case 'patch':
      return name === '' ? methodNotAllowed : undefined
    case 'deletecollection':
      return acrossNamespaces ? methodNotAllowed : undefined
    default:
      return undefined
  }
}

function serve(
  route: ResourceRoute,
  facet: Facet,
  request: ApiRequest,
  machinery: Machinery,
  register: WatchRegister,
): Promise<Outcome> {
  switch (request.info.verb) {
    case 'get':
      return getObject(route, request)
    case 'list':
      return listObjects(route, request, machinery)
    case 'watch':
      return watchObjects(route, request, machinery, register)
    case 'create':
      return (facet.create ?? createObject)(route, request, machinery)
    case 'update':
      return updateObject(route, facet, request, machinery)
    case 'patch':
      return patchObject(route, facet, request, machinery)
    case 'delete':
      return deleteObject(route, request, machinery)
    case 'deletecollection':
      return deleteCollection(route, request, machinery)
    case undefined:
      return Promise.resolve(fail(methodNotAllowed))
  }
}
