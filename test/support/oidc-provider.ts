/** A small OpenID provider over TLS: discovery, keys that rotate, tokens with whatever claims a test wants. */

import type { ServerResponse } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { sendJson, startTlsService, type TestAuthority, type TlsService } from './tls-service.ts'

export interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

export async function createSigningKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

export interface OidcProvider {
  readonly url: string
  readonly service: TlsService
  /** What `jwks_uri` shows. */
  publish(...keys: readonly SigningKey[]): void
  /** Instead of the usual discovery document. */
  discovery(answer: (response: ServerResponse) => void): void
  /** Other paths, such as those of distributed claims. */
  route(path: string, answer: (response: ServerResponse, authorization: string | undefined) => void): void
  /** How often the keys were asked for. */
  keyFetches(): number
}

interface Teardown {
  teardown(action: () => unknown): void
}

export async function startOidcProvider(t: Teardown, authority: TestAuthority): Promise<OidcProvider> {
  let keys: readonly SigningKey[] = []
  let discovery: ((response: ServerResponse) => void) | undefined
  const routes = new Map<string, (response: ServerResponse, authorization: string | undefined) => void>()
  const service = await startTlsService(t, authority, (request, response) => {
    const route = routes.get(request.url ?? '')
    if (route !== undefined) return route(response, request.headers.authorization)
    switch (request.url) {
      case '/.well-known/openid-configuration':
        if (discovery !== undefined) return discovery(response)
        return sendJson(response, { issuer: service.url, jwks_uri: `${service.url}/keys` })
      case '/keys':
        return sendJson(response, { keys: keys.map(({ jwk }) => jwk) })
      default:
        return sendJson(response, {}, 404)
    }
  })
  return {
    url: service.url,
    service,
    publish(...next) {
      keys = next
    },
    discovery(answer) {
      discovery = answer
    },
    route: (path, answer) => void routes.set(path, answer),
    keyFetches: () => service.seen.filter((line) => line === 'GET /keys').length,
  }
}

/** Unix seconds. */
export function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}

export function signToken(
  { kid, alg, privateKey }: Pick<SigningKey, 'kid' | 'alg' | 'privateKey'>,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg, kid, ...header }).sign(privateKey)
}
