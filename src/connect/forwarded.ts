/** Headers on their way through this server. Source: RFC 9110, section 7.6.1; RFC 7239 names what `x-forwarded-*` became. */

import type { StreamedAnswer } from '../outside/outside.ts'
import type { Exchange, Headers } from '../pipeline/exchange.ts'

/** Of one connection alone, so none of the next one's; and of the length of a body that is framed anew. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** For this server alone. */
const forUs = /^(?:authorization|host|content-length|expect|impersonate-.*)$/

/** Of a request, as what it is passed on to sees it: without the credential, and with where it came from. */
export function forwardedHeaders(exchange: Exchange): Headers {
  const headers: Record<string, string | readonly string[]> = {}
  const named = namedByConnection(exchange.header('connection'))
  for (const name of exchange.headerNames()) {
    if (ofConnection.has(name) || named.has(name) || forUs.test(name)) continue
    headers[name] = exchange.headerValues(name)
  }
  const way = [...exchange.headerValues('x-forwarded-for'), exchange.remoteAddress]
  headers['x-forwarded-for'] = way.filter((hop) => hop !== '').join(', ')
  headers['x-forwarded-proto'] = exchange.secure ? 'https' : 'http'
  headers['x-forwarded-uri'] = exchange.path
  const host = exchange.header('host')
  if (host !== undefined) headers['x-forwarded-host'] = host
  if (exchange.upgrade !== undefined) {
    headers['connection'] = 'Upgrade'
    headers['upgrade'] = exchange.upgrade.protocol
  }
  return headers
}

/** Of an answer, as the client sees it. What a backend allows pages of other origins does not hold for this server. */
export function answeredHeaders({ headers, connection }: StreamedAnswer): Headers {
  const changesProtocol = connection !== undefined
  const shown: Record<string, string | readonly string[]> = {}
  const named = namedByConnection(textOf(headers['connection']))
  for (const [name, value] of Object.entries(headers)) {
    const kept = changesProtocol
      ? name !== 'content-length'
      : !ofConnection.has(name) && !named.has(name) && name !== 'content-length'
    if (kept && !name.startsWith('access-control-')) shown[name] = value
  }
  return shown
}

function namedByConnection(header: string | undefined): ReadonlySet<string> {
  return new Set((header ?? '').split(',').map((name) => name.trim().toLowerCase()))
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.join(',')
}
