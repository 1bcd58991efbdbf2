/**
 * What a request asks for, read off its method and path alone.
 *
 * Source: specification, "Path shapes", "Operations", "Authorization" (verb mapping).
 */

import type { Result } from '../../store/contract.ts'
import { fail, ok } from '../../store/contract.ts'

/** `deletecollection`, `list` and `watch` address collections; `watch` single items too. */
type RequestVerb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch'

export interface ResourceRequest {
  readonly type: 'resource'
  /** Undefined for a method that this API does not know. */
  readonly verb: RequestVerb | undefined
  /** '' for the core group. */
  readonly group: string
  readonly version: string
  /** '' for cluster-scoped resources and for all namespaces. */
  readonly namespace: string
  readonly resource: string
  /** '' for collections. */
  readonly name: string
  /** '' for the resource itself. */
  readonly subresource: string
  /** Segments behind the subresource: too many for anything but proxies. */
  readonly rest: readonly string[]
}

export interface NonResourceRequest {
  readonly type: 'nonResource'
  /** Lower-case HTTP method. */
  readonly verb: string
  /** Decoded. */
  readonly path: string
}

export type RequestInfo = ResourceRequest | NonResourceRequest

/** Subresources of a namespace: what else stands behind its name is a resource in it. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize'])

/** Fails with a sentence when the path is not valid percent-encoded UTF-8. */
export function parseRequestInfo(
  method: string,
  path: string,
  watching: boolean,
): Result<RequestInfo, string> {
  const segments = decodeSegments(path)
  if (segments === undefined)
    return fail(`the path ${JSON.stringify(path)} is not valid percent-encoded UTF-8`)
  const prefixLength = segments[0] === 'api' ? 2 : segments[0] === 'apis' ? 3 : undefined
  if (prefixLength === undefined || segments.length <= prefixLength) {
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
    return ok({ type: 'nonResource', verb, path: `/${segments.join('/')}` })
  }
  const group = prefixLength === 2 ? '' : (segments[1] ?? '')
  const version = segments[prefixLength - 1] ?? ''
  // Paths of old, for watches alone; there is no resource of that name.
  const isRead = method === 'GET' || method === 'HEAD'
  const isWatchPath = isRead && segments[prefixLength] === 'watch' && segments.length > prefixLength + 1
  const parts = segments.slice(isWatchPath ? prefixLength + 1 : prefixLength)
  return ok(resourceRequest(method, group, version, parts, watching || isWatchPath))
}

/** Segments between slashes, decoded; a trailing slash counts for nothing. Undefined = cannot be decoded. */
function decodeSegments(path: string): string[] | undefined {
  const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length
  const segments = path.slice(1, end).split('/')
  if (!path.includes('%')) return segments
  try {
    return segments.map(decodeURIComponent)
  } catch {
    return undefined
  }
}

function resourceRequest(
  method: string,
  group: string,
  version: string,
  parts: readonly string[],
  watching: boolean,
): ResourceRequest {
  const [first = '', second = '', third = ''] = parts
  const inNamespace =
    first === 'namespaces' && parts.length > 2 && !(group === '' && namespaceSubresources.has(third))
  const [resource = '', name = '', subresource = '', ...rest] = inNamespace ? parts.slice(2) : parts
  return {
    type: 'resource',
    // What stands behind an object has no events; a proxy's parameters are not for us.
    verb: verbOf(method, name !== '', watching && subresource === ''),
    group,
    version,
    namespace: inNamespace ? second : '',
    resource,
    name,
    subresource,
    rest,
  }
}

function verbOf(method: string, named: boolean, watching: boolean): RequestVerb | undefined {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return watching ? 'watch' : named ? 'get' : 'list'
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return named ? 'delete' : 'deletecollection'
    default:
      return undefined
  }
}

/** The namespace that permissions are looked up in: a namespace itself counts as being in itself. */
export function scopeNamespace({ group, resource, name, namespace }: ResourceRequest): string {
  return namespace === '' && group === '' && resource === 'namespaces' ? name : namespace
}
