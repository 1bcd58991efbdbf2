/**
 * Users whom a proxy has authenticated: it shows its own certificate and says in headers for whom it speaks. Without
 * that certificate the headers mean nothing.
 *
 * Source: specification, "Authenticating proxy".
 */

import type { Exchange } from '../pipeline/exchange.ts'
import { type Authentication, type Authenticator, withAuthenticated } from './authenticate.ts'
import { decodeExtraKey } from './extra-key.ts'

/** Header names and prefixes in any case. */
export interface RequestHeaderConfig {
  /** Common names of proxies; empty = any that the CA vouches for. */
  readonly allowedNames: readonly string[]
  /** In order: the first with a value names the user. At least one. */
  readonly usernameHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraPrefixes: readonly string[]
}

const none: Authentication = { type: 'none' }

export function createRequestHeaderAuthenticator(config: RequestHeaderConfig): Authenticator {
  const lower = (names: readonly string[]) => names.map((name) => name.toLowerCase())
  const allowed = new Set(config.allowedNames)
  const usernameHeaders = lower(config.usernameHeaders)
  const groupHeaders = lower(config.groupHeaders)
  const extraPrefixes = lower(config.extraPrefixes)
  return {
    authenticate(exchange) {
      const { proxyCertificate } = exchange
      if (proxyCertificate === undefined) return none
      const { commonName } = proxyCertificate
      if (allowed.size > 0 && !allowed.has(commonName))
        return {
          type: 'refused',
          reason: `subject with cn=${JSON.stringify(commonName)} is not in the allowed list`,
        }
      const name = firstValue(exchange, usernameHeaders)
      if (name === undefined) return withoutUser(exchange)
      const groups = groupHeaders.flatMap((header) => exchange.headerValues(header))
      return {
        type: 'user',
        user: {
          name,
          uid: '',
          groups: withAuthenticated(groups.filter((group) => group !== '')),
          extra: extraOf(exchange, extraPrefixes),
        },
      }
    },
  }
}

/** A proxy that speaks for nobody is nobody itself, unless the client CA vouches for it too. */
function withoutUser({ peerCertificate }: Exchange): Authentication {
  return peerCertificate === undefined
    ? { type: 'refused', reason: 'the certificate is one of a proxy, and no header names a user' }
    : none
}

function firstValue(exchange: Exchange, headers: readonly string[]): string | undefined {
  for (const header of headers) {
    const [value = ''] = exchange.headerValues(header)
    if (value !== '') return value
  }
  return undefined
}

function extraOf(exchange: Exchange, prefixes: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const extra = new Map<string, readonly string[]>()
  for (const header of new Set(exchange.headerNames())) {
    for (const prefix of prefixes) {
      if (!header.startsWith(prefix)) continue
      const key = decodeExtraKey(header.slice(prefix.length))
      extra.set(key, [...(extra.get(key) ?? []), ...exchange.headerValues(header)])
    }
  }
  return extra
}
