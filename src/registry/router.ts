/**
 * From a resource request to its verb. Routes are resolved once for each served resource; a request costs two look-ups.
 *
 * Source: specification, "Path shapes", "Operations".
 */

import { fail, ok } from '../../store/contract.ts'
import type { Outcome } from '../pipeline/answer.ts'
import type { ResourceRequest } from '../pipeline/request-info.ts'
import {
  methodNotAllowed,
  notFound,
  removedResource,
  terminatingResource,
  unknownResource,
} from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'
import { createLifecycle, type Deprecation } from '../types/lifecycle.ts'
import type { ResourceType } from '../types/resource.ts'
import type { ApiRequest, Checked, ResourceRoute } from './machinery.ts'
import { createPlaces, type Place, type PlaceParts } from './places.ts'

export interface Router {
  /** Where a request belongs; fails with 404 or 405 before anything else is done for it. */
  find(info: ResourceRequest): Checked<Place>
  /** The same once this process knows all types that the store knows of: before anybody is told that there is none. */
  findNewest(info: ResourceRequest): Promise<Checked<Place>>
  serve(place: Place, request: ApiRequest): Promise<Outcome>
  /** `1.32` for a version that is deprecated ('' = until further notice), undefined for all others. */
  removedRelease(info: ResourceRequest): string | undefined
  /** The route of a stored type, for controllers: objects are as they are stored. */
  route(group: string, version: string, plural: string): ResourceRoute | undefined
  /** The same by the place where the objects lie: whether they are served or not. */
  stored(prefix: string): ResourceRoute | undefined
}

export function createRouter(parts: PlaceParts): Router {
  const { types } = parts.machinery
  const places = createPlaces(parts)
  const lifecycle = createLifecycle(parts.machinery.names)

  /** Subresources of another kind have a life of their own. */
  function deprecationOf(
    { group, version, kind, subresources, custom }: ResourceType,
    { subresource }: ResourceRequest,
  ): Deprecation | undefined {
    if (custom !== undefined) return custom.deprecation
    const shown = subresources.get(subresource)?.kind.kind ?? kind
    return lifecycle.deprecation(group, version, shown)
  }

  function unknown({ group, version, resource }: ResourceRequest): ApiFailure {
    const removal = lifecycle.removal(group, version, resource)
    return removal === undefined ? unknownResource : removedResource(removal)
  }

  return {
    find(info) {
      const resource = places.of(info.group, info.version, info.resource)
      const place = resource?.get(info.subresource)
      if (place === undefined)
        return fail(resource === undefined ? unknown(info) : unknownPart(info, resource))
      const problem = shapeProblem(info, place.type) ?? verbProblem(info, place)
      return problem === undefined ? ok(place) : fail(problem)
    },
    async findNewest(info) {
      const refreshed = await types.refresh()
      return refreshed.ok ? this.find(info) : refreshed
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
    route(group, version, plural) {
      return storedRoute(places.of(group, version, plural))
    },
    stored: (prefix) => storedRoute(places.stored(prefix)),
  }
}

function storedRoute(places: ReadonlyMap<string, Place> | undefined): ResourceRoute | undefined {
  const route = places?.get('')?.route
  return route?.stored ?? route
}

/** A subresource that there is none of. */
function unknownPart(info: ResourceRequest, resource: ReadonlyMap<string, Place>): ApiFailure {
  const isCustom = resource.get('')?.type.custom !== undefined
  return isCustom ? notFound(info, info.name) : unknownResource
}

/** Paths that have the right words in the wrong places. */
function shapeProblem(info: ResourceRequest, type: ResourceType): ApiFailure | undefined {
  if (info.rest.length > 0 && info.subresource !== 'proxy') return unknownResource
  if (info.subresource !== '' && info.name === '') return unknownResource
  if (!type.namespaced) return info.namespace === '' ? undefined : unknownResource
  if (info.namespace !== '') return undefined
  // All namespaces: a collection to read, nothing else.
  return info.name === '' ? undefined : unknownResource
}

function verbProblem(info: ResourceRequest, { type, verbs }: Place): ApiFailure | undefined {
  const { verb, name, subresource } = info
  if (verb === 'create' && type.custom?.terminating === true) return terminatingResource(info, 'create')
  if (verb === undefined || !verbs.has(verb)) return methodNotAllowed
  const acrossNamespaces = type.namespaced && info.namespace === ''
  switch (verb) {
    case 'create':
      if (acrossNamespaces) return type.custom === undefined ? methodNotAllowed : unknownResource
      return name !== '' && subresource === '' ? methodNotAllowed : undefined
    case 'update':
    case 'patch':
      return name === '' ? methodNotAllowed : undefined
    case 'deletecollection':
      if (!acrossNamespaces) return undefined
      return type.custom === undefined ? methodNotAllowed : unknownResource
    default:
      return undefined
  }
}
