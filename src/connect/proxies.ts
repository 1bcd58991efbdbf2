/**
 * pods/proxy, nodes/proxy, services/proxy: HTTP requests to what runs in the cluster, for those who cannot reach it
 * themselves. The name in the path may say a scheme and a port: `https:web:8443`.
 */

import { fail, ok } from '../../store/contract.ts'
import type { StreamedAnswer } from '../outside/outside.ts'
import type { Outcome } from '../pipeline/answer.ts'
import type { Headers } from '../pipeline/exchange.ts'
import type { ApiRequest, Checked } from '../registry/machinery.ts'
import { badRequest, tooLarge } from '../status/failures.ts'
import { admitConnection, connectOptions } from './admit.ts'
import type { Connected, Connection, ConnectParts } from './connection.ts'
import { answeredHeaders, forwardedHeaders } from './forwarded.ts'
import { find } from './lookup.ts'
import type { Ask } from './node-agents.ts'
import { passOn } from './passing.ts'
import { type ProxyName, podOrigin, proxyName, serviceOrigin } from './proxy-names.ts'

/** Longer bodies of requests are refused: they are held in memory while they are passed on. */
const bodyBytesMax = 32 * 1024 * 1024

/** Finds what is meant and asks it. */
type AskBackend = (
  name: ProxyName,
  ask: Ask,
  request: ApiRequest,
  parts: ConnectParts,
) => Promise<Checked<StreamedAnswer>>

export function proxyToPod(connected: Connected): Connection {
  return proxyTo(connected, 'pod', async (name, ask, { info }, { machinery, agents }) => {
    const pod = await find('pods', { namespace: info.namespace, name: name.name }, machinery)
    if (!pod.ok) return pod
    const origin = podOrigin(pod.value, name)
    return origin.ok ? agents.openAt(origin.value, ask) : origin
  })
}

export function proxyToService(connected: Connected): Connection {
  return proxyTo(connected, 'service', async (name, ask, { info }, { machinery, agents }) => {
    const at = { namespace: info.namespace, name: name.name }
    const service = await find('services', at, machinery)
    if (!service.ok) return service
    const endpoints = await find('endpoints', at, machinery)
    if (!endpoints.ok) return endpoints
    const origin = serviceOrigin(service.value, endpoints.value, name, machinery.identifiers.fraction())
    return origin.ok ? agents.openAt(origin.value, ask) : origin
  })
}

export function proxyToNode(connected: Connected): Connection {
  return proxyTo(connected, 'node', async ({ scheme, name, port }, ask, _request, { machinery, agents }) => {
    const node = await find('nodes', { namespace: '', name }, machinery)
    if (!node.ok) return node
    const address = agents.addressOf(node.value)
    if (!address.ok) return address
    const isAgent = port === '' || port === String(address.value.port)
    if (isAgent) return agents.open(node.value, ask)
    return agents.openAt(`${scheme === '' ? 'http' : scheme}://${address.value.host}:${port}`, ask)
  })
}

function proxyTo(connected: Connected, what: string, askBackend: AskBackend): Connection {
  return async (request, parts) => {
    const { info, exchange } = request
    const name = proxyName(info.name)
    if (name === undefined) return fail(badRequest(`invalid ${what} request ${JSON.stringify(info.name)}`))
    const { before, behind } = splitPath(exchange.path, info.namespace !== '')
    const options = connectOptions(connected, { path: behind })
    const refused = await admitConnection(connected, request, parts, options)
    if (refused !== undefined) return fail(refused)
    // Links relative to the end of a path need its slash.
    if (behind === '') return redirect(`${before}/${queryOf(exchange.query)}`)
    const body = await exchange.readBody(bodyBytesMax)
    if (!body.ok) {
      return fail(
        body.failure.code === 'TooLarge'
          ? tooLarge(`the body of the request is longer than ${bodyBytesMax} bytes`)
          : badRequest('the body of the request ended early'),
      )
    }
    const ask: Ask = {
      method: exchange.method,
      target: behind + queryOf(exchange.query),
      headers: forwardedHeaders(exchange),
      ...(body.value.length === 0 ? {} : { body: body.value }),
    }
    const answer = await askBackend(name, ask, request, parts)
    if (!answer.ok) return answer
    const shown = withLocation(answeredHeaders(answer.value), before)
    return passOn(request, answer.value, shown, parts.register)
  }
}

/**
 * The path as it was sent, at the end of `…/proxy`.
 * @returns `behind` begins with a slash, or is empty
 */
function splitPath(path: string, namespaced: boolean): { readonly before: string; readonly behind: string } {
  // /api/v1/namespaces/<namespace>/<resource>/<name>/proxy, /api/v1/nodes/<name>/proxy
  const segments = namespaced ? 7 : 5
  let at = 0
  for (let count = 0; count < segments && at >= 0; count++) at = path.indexOf('/', at + 1)
  return at < 0 ? { before: path, behind: '' } : { before: path.slice(0, at), behind: path.slice(at) }
}

function queryOf(query: string): string {
  return query === '' ? '' : `?${query}`
}

function redirect(location: string): Outcome {
  return ok({
    type: 'body',
    code: 301,
    contentType: 'text/plain; charset=utf-8',
    body: Buffer.alloc(0),
    headers: { Location: location },
  })
}

/** A backend's redirect to a path of its own leads through this server again. */
function withLocation(headers: Headers, before: string): Headers {
  const [location] = [headers['location']].flat()
  return location?.startsWith('/') === true && !location.startsWith('//')
    ? { ...headers, location: before + location }
    : headers
}
