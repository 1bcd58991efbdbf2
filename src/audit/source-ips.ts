/**
 * Where a request came from, as far as headers and the connection tell: proxies first, the connection last. All but
 * the last can be made up by the client.
 *
 * Source: audit.k8s.io/v1 Event `sourceIPs`.
 */

import { formatAddress, parseAddress } from '../ip.ts'
import type { Exchange } from '../pipeline/exchange.ts'

/** Addresses in their usual form; what is none is left out. */
export function sourceIpsOf(exchange: Exchange): readonly string[] {
  const forwarded = exchange.headerValues('x-forwarded-for')[0]
  const ips = forwarded === undefined ? [] : forwarded.split(',').flatMap(addressOf)
  const real = exchange.headerValues('x-real-ip')[0]
  if (real !== undefined) ips.push(...addressOf(real).filter((ip) => !ips.includes(ip)))
  const remote = remoteText(exchange.remoteAddress)
  if (remote !== undefined && remote !== ips.at(-1)) ips.push(remote)
  return ips
}

/** Most requests of a connection follow one another. */
let lastRemote = ''
let lastText: string | undefined

function remoteText(remote: string): string | undefined {
  if (remote !== lastRemote) {
    lastRemote = remote
    lastText = addressOf(remote)[0]
  }
  return lastText
}

const v4InV6 = 0xffff00000000n

function addressOf(text: string): string[] {
  const address = parseAddress(text.trim())
  if (address === undefined) return []
  const { family, value } = address
  const isMapped = family === 'IPv6' && value >> 32n === v4InV6 >> 32n
  return [formatAddress(isMapped ? { family: 'IPv4', value: value & 0xffffffffn } : address)]
}
