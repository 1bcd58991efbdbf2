/** Every path under which resources are served, and what serves it: objects, subresources, and what is not stored. */

import { fail } from '../../store/contract.ts'
import { connectionOf } from '../connect/connections.ts'
import type { NodeAgents } from '../connect/node-agents.ts'
import type { Outcome } from '../pipeline/answer.ts'
import { methodNotAllowed } from '../status/failures.ts'
import type { ResourceType, Subresource } from '../types/resource.ts'
import { createComponentStatuses } from './component-statuses.ts'
import { createObject } from './create.ts'
import { deleteObject } from './delete.ts'
import { deleteCollection } from './delete-collection.ts'
import { type Facet, mainFacet } from './facet.ts'
import { getObject } from './get.ts'
import { listObjects } from './list.ts'
import type { ApiRequest, Machinery, ResourceRoute } from './machinery.ts'
import { createOwnership } from './ownership.ts'
import { patchObject } from './patch.ts'
import { bindingCreator } from './pods/binding.ts'
import { createRoute } from './route.ts'
import { facetOf } from './subresource-facets.ts'
import { updateObject } from './update.ts'
import { createVirtual, createVirtualRoute, type Operations } from './virtual.ts'
import { type StreamRegister, watchObjects } from './watch.ts'

/** A path of one resource: the object itself, or one of its subresources. */
export interface Place {
  readonly type: ResourceType
  readonly verbs: ReadonlySet<string>
  /** Undefined where nothing is stored. */
  readonly route: ResourceRoute | undefined
  serve(request: ApiRequest): Promise<Outcome>
}

export interface PlaceParts {
  readonly machinery: Machinery
  readonly register: StreamRegister
  readonly operations: Operations
  readonly agents: NodeAgents
}

/** By subresource ('' = the object itself). */
type PlacesOfType = ReadonlyMap<string, Place>

interface Places {
  /** Undefined = no such resource is served. */
  of(group: string, version: string, plural: string): PlacesOfType | undefined
  /** Of the type whose objects lie there, served or not: for those who look after all of it. */
  stored(prefix: string): PlacesOfType | undefined
}

/** Those of built-in types are made now; those of custom types at first use, and go with their type. */
export function createPlaces(parts: PlaceParts): Places {
  const { types } = parts.machinery
  const builtIn = new Map<string, Map<string, PlacesOfType>>()
  const custom = new WeakMap<ResourceType, PlacesOfType>()
  for (const type of types.resources) {
    if (type.custom !== undefined) continue
    const id = `${type.group}/${type.version}`
    const ofVersion = builtIn.get(id) ?? new Map<string, PlacesOfType>()
    builtIn.set(id, ofVersion)
    ofVersion.set(type.plural, placesOf(type, parts))
  }

  function customPlaces(type: ResourceType): PlacesOfType {
    const known = custom.get(type)
    if (known !== undefined) return known
    const made = placesOf(type, parts)
    custom.set(type, made)
    return made
  }

  return {
    of(group, version, plural) {
      const known = builtIn.get(`${group}/${version}`)?.get(plural)
      if (known !== undefined) return known
      const type = types.resource(group, version, plural)
      return type?.custom === undefined ? undefined : customPlaces(type)
    },
    stored(prefix) {
      const type = types.stored(prefix)
      if (type?.custom !== undefined) return customPlaces(type)
      return type && builtIn.get(`${type.group}/${type.version}`)?.get(type.plural)
    },
  }
}

function placesOf(type: ResourceType, parts: PlaceParts): PlacesOfType {
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
  { machinery, operations }: PlaceParts,
): Entry | undefined {
  const route = createVirtualRoute(type, subresource, operations, machinery)
  if (route === undefined) return undefined
  const { verbs } = subresource ?? type
  const serve = (request: ApiRequest) => createVirtual(route, request, machinery)
  return [subresource?.name ?? '', { type, verbs, route: undefined, serve }]
}

function storedPlaces(type: ResourceType, parts: PlaceParts): readonly Entry[] {
  const { machinery } = parts
  const route = createRoute(type, type, machinery)
  const main = storedPlace(route, mainFacet(type, route.ownership), type.verbs, parts)
  const places: Entry[] = [['', main]]
  for (const subresource of type.subresources.values()) {
    const connection = connectionOf(type, subresource)
    if (connection !== undefined) {
      const { name, verbs } = subresource
      places.push([name, { type, verbs, route, serve: (request) => connection(request, parts) }])
      continue
    }
    const ownership = createOwnership(type, subresource.name, machinery.names, machinery.types)
    const facet = facetOf(type, subresource, ownership, machinery.names)
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
  { machinery, register }: PlaceParts,
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
  const { columns: _, ...parent } = type
  return { ...parent, ...kind, apiVersion, message, isStorageVersion: false, fromStorage: facet.show }
}

function serve(
  route: ResourceRoute,
  facet: Facet,
  request: ApiRequest,
  machinery: Machinery,
  register: StreamRegister,
): Promise<Outcome> {
  switch (request.info.verb) {
    case 'get':
      return getObject(
        facet.absent === undefined ? route : { ...route, ref: facet.absent },
        request,
        facet.readFailure,
      )
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
