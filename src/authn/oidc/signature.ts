/** Signatures of tokens, by the keys of a provider. Source: RFC 7515, RFC 7517, RFC 8725 (sections 3.1, 3.2). */

import {
  type CompactJWSHeaderParameters,
  type CryptoKey,
  compactVerify,
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JWK,
} from 'jose'
import { isJsonObject, type JsonObject } from '../../json.ts'
import type { SigningAlgorithm } from './algorithms.ts'

/** Keys of a provider beyond this many are not looked at. */
const keysMax = 64

export interface Keys {
  readonly find: ReturnType<typeof createLocalJWKSet>
  readonly count: number
}

/** The public keys for signatures in a key set; undefined = it is no key set. */
export function readKeySet(body: Buffer): Keys | undefined {
  let set: unknown
  try {
    set = JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
  if (!isJsonObject(set) || !Array.isArray(set['keys'])) return undefined
  const keys = set['keys'].filter(isJsonObject).flatMap(publicKey).slice(0, keysMax)
  return { find: createLocalJWKSet({ keys }), count: keys.length }
}

const publicParts = ['kty', 'kid', 'use', 'alg', 'n', 'e', 'crv', 'x', 'y'] as const

/** The public part of an RSA or EC key; nothing for other kinds, shared secrets above all. */
function publicKey(key: JsonObject): readonly JWK[] {
  if (key['kty'] !== 'RSA' && key['kty'] !== 'EC') return []
  const jwk: Record<string, string> = {}
  for (const part of publicParts) {
    const value = key[part]
    if (value === undefined) continue
    if (typeof value !== 'string') return []
    jwk[part] = value
  }
  return [jwk]
}

export type Verified =
  | { readonly type: 'signed'; readonly payload: Uint8Array }
  /** Other keys of the provider may do better. */
  | { readonly type: 'otherKeys'; readonly reason: string }
  | { readonly type: 'bad'; readonly reason: string }

export async function verifySignature(
  token: string,
  { find }: Keys,
  algorithms: readonly SigningAlgorithm[],
): Promise<Verified> {
  const options = { algorithms: [...algorithms] }
  try {
    const { payload } = await compactVerify(
      token,
      (header: CompactJWSHeaderParameters, jws: FlattenedJWSInput) => find(keyHeader(header), jws),
      options,
    )
    return { type: 'signed', payload }
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return tryEach(token, error, options)
    return verdictOf(error)
  }
}

/** A key id is looked up among the keys that we have, and nothing else: it is no path and no address. */
function keyHeader({ alg, kid }: CompactJWSHeaderParameters): CompactJWSHeaderParameters {
  return kid === undefined ? { alg } : { alg, kid }
}

async function tryEach(
  token: string,
  candidates: AsyncIterable<CryptoKey>,
  options: { algorithms: SigningAlgorithm[] },
): Promise<Verified> {
  let verdict: Verified = { type: 'otherKeys', reason: 'no key matches' }
  for await (const key of candidates) {
    try {
      return { type: 'signed', payload: (await compactVerify(token, key, options)).payload }
    } catch (error) {
      verdict = verdictOf(error)
    }
  }
  return verdict
}

/** Codes alone: what the library says may quote the token. */
function verdictOf(error: unknown): Verified {
  const code = error instanceof errors.JOSEError ? error.code : undefined
  switch (code) {
    case 'ERR_JWKS_NO_MATCHING_KEY':
      return { type: 'otherKeys', reason: 'no key of the provider matches' }
    case 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED':
      return { type: 'otherKeys', reason: 'the signature is wrong' }
    case 'ERR_JOSE_ALG_NOT_ALLOWED':
      return { type: 'bad', reason: 'signed with an algorithm that is not accepted' }
    default:
      return { type: 'bad', reason: code ?? 'the token or the key cannot be used' }
  }
}
