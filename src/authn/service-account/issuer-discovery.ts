/**
 * What others need to verify tokens of service accounts by themselves: the issuer's document and its keys.
 *
 * Source: OpenID Connect Discovery 1.0, section 3; RFC 7517. Anybody may verify, so nothing here is secret.
 */

import type { JsonObject } from '../../json.ts'
import type { Answer } from '../../pipeline/answer.ts'
import type { VerificationKey } from './keys.ts'

const configurationPath = '/.well-known/openid-configuration'
export const keysPath = '/openid/v1/jwks'

export interface IssuerDiscovery {
  readonly paths: readonly string[]
  /** Undefined = not a path of it. */
  serve(path: string): Promise<Answer> | undefined
}

interface IssuerDiscoveryParts {
  readonly issuer: string
  readonly jwksUri: string
  readonly keys: readonly VerificationKey[]
}

/** An issuer that is no https URL cannot be discovered: undefined. */
export function createIssuerDiscovery({
  issuer,
  jwksUri,
  keys,
}: IssuerDiscoveryParts): IssuerDiscovery | undefined {
  if (!issuer.startsWith('https://')) return undefined
  const configuration = {
    issuer,
    jwks_uri: jwksUri,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(keys.map(({ algorithm }) => algorithm))].sort(),
  }
  let keySet: Promise<JsonObject> | undefined
  return {
    paths: [configurationPath, keysPath],
    serve(path) {
      if (path === configurationPath) return answer('application/json', Promise.resolve(configuration))
      if (path !== keysPath) return undefined
      keySet ??= keySetOf(keys)
      return answer('application/jwk-set+json', keySet)
    },
  }
}

async function keySetOf(keys: readonly VerificationKey[]): Promise<JsonObject> {
  return {
    keys: keys.map(({ id, algorithm, key }) => {
      const { kty, ...rest } = key.export({ format: 'jwk' })
      return { use: 'sig', kty: kty ?? '', kid: id, alg: algorithm, ...publicMembers(rest) }
    }),
  }
}

/** RFC 7518, sections 6.2.1 and 6.3.1: no member of a private key, whatever the key holds. */
function publicMembers(jwk: Readonly<Record<string, unknown>>): JsonObject {
  const members: Record<string, string> = {}
  for (const name of ['crv', 'x', 'y', 'n', 'e']) {
    const value = jwk[name]
    if (typeof value === 'string') members[name] = value
  }
  return members
}

async function answer(contentType: string, document: Promise<JsonObject>): Promise<Answer> {
  return {
    type: 'body',
    code: 200,
    contentType,
    body: Buffer.from(JSON.stringify(await document)),
    headers: { 'Cache-Control': 'public, max-age=3600' },
  }
}
