/**
 * What the head of an upgrade request asks for. Sources: RFC 6455, sections 4.2 and 10.2; the subprotocol that carries
 * a token is the one of the Kubernetes API, for browsers, which cannot set headers.
 */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isConnection } from '../../src/flowcontrol/gate.ts'
import { parseQuery } from '../../src/pipeline/query.ts'
import { parseRequestInfo } from '../../src/pipeline/request-info.ts'
import { parseRequestTarget, type RequestTarget } from './request-target.ts'

/** `authorization`: of the header, else of the subprotocol. `protocol`: what is agreed on; never the token. */
type WebSocketRequest =
  | {
      readonly type: 'watch'
      readonly authorization: string | undefined
      readonly protocol: string | undefined
    }
  | { readonly type: 'refused'; readonly why: WebSocketRefusal }

export type WebSocketRefusal = 'NoWatch' | 'BadHandshake' | 'BadToken' | 'OtherOrigin'

/** For another protocol that a connection to a pod, a node or a service may speak, such as SPDY/3.1 or a WebSocket. */
export function isTunnelRequest({ headers, method, url }: IncomingMessage): boolean {
  if (headers.upgrade === undefined || headers.upgrade.toLowerCase() === 'h2c') return false
  const target = parseRequestTarget(url ?? '')
  const info = target === undefined ? undefined : parseRequestInfo(method ?? '', target.path, false)
  return info?.ok === true && isConnection(info.value)
}

export function isWebSocketRequest({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

export function readWebSocketRequest(
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  target: RequestTarget,
  secure: boolean,
): WebSocketRequest {
  if (request.method !== 'GET' || parseQuery(target.query).flag('watch') !== true) return refused('NoWatch')
  const asked = readHandshake(request.headers, secure)
  if (asked.type === 'refused') return asked
  return { type: 'watch', authorization: asked.authorization, protocol: asked.protocols[0] }
}

interface Handshake {
  readonly type: 'handshake'
  readonly authorization: string | undefined
  /** What else is offered beside the token. */
  readonly protocols: readonly string[]
}

/** The credential that the handshake carries, and what may be agreed on, whatever the connection is for. */
export function readHandshake(
  headers: IncomingHttpHeaders,
  secure: boolean,
): Handshake | Extract<WebSocketRequest, { type: 'refused' }> {
  const { 'sec-websocket-key': key, 'sec-websocket-version': version } = headers
  const offers = offersOf(headers['sec-websocket-protocol'])
  if (typeof key !== 'string' || !keyForm.test(key) || version !== '13' || offers === undefined) {
    return refused('BadHandshake')
  }
  const tokens = offers.filter((offer) => offer.startsWith(tokenPrefix))
  const others = offers.filter((offer) => !offer.startsWith(tokenPrefix))
  const [token] = tokens
  const ofProtocol = token === undefined ? undefined : tokenOf(token)
  // A browser drops a connection that agrees on none of its offers, and the token must not be the one.
  const isBad = tokens.length > 1 || ofProtocol === undefined || others.length === 0
  if (token !== undefined && isBad) return refused('BadToken')
  const authorization =
    headers.authorization ?? (ofProtocol === undefined ? undefined : `Bearer ${ofProtocol}`)
  const isToken = authorization !== undefined && /^bearer /i.test(authorization)
  if (headers.origin !== undefined && !isToken && !isOwnOrigin(headers.origin, headers.host, secure)) {
    return refused('OtherOrigin')
  }
  return { type: 'handshake', authorization, protocols: others }
}

function refused(why: WebSocketRefusal): Extract<WebSocketRequest, { type: 'refused' }> {
  return { type: 'refused', why }
}

const keyForm = /^[+/0-9A-Za-z]{22}==$/
const protocolForm = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** A domain, a dot and the token follow; clients of either dialect are understood. */
const tokenPrefix = 'base64url.bearer.authorization.'

/** Undefined = a list that is not well-formed. */
function offersOf(header: string | undefined): readonly string[] | undefined {
  if (header === undefined) return []
  const offers = header.split(',').map((offer) => offer.trim())
  return offers.every((offer) => protocolForm.test(offer)) ? offers : undefined
}

/** base64url without padding, of UTF-8. */
function tokenOf(offer: string): string | undefined {
  const encoded = offer.slice(offer.lastIndexOf('.') + 1)
  const bytes = Buffer.from(encoded, 'base64url')
  if (bytes.length === 0 || bytes.toString('base64url') !== encoded) return undefined
  const token = bytes.toString('utf8')
  return Buffer.from(token).equals(bytes) ? token : undefined
}

/** A proxy may have ended TLS before a plaintext listener, never behind one that has TLS. */
function isOwnOrigin(origin: string, host: string | undefined, secure: boolean): boolean {
  if (host === undefined || !URL.canParse(origin)) return false
  const { protocol, host: ofPage } = new URL(origin)
  if (protocol !== 'https:' && (secure || protocol !== 'http:')) return false
  const own = `${protocol}//${host}`
  return URL.canParse(own) && new URL(own).host === ofPage
}
