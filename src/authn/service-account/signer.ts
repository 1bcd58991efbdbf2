/** Signs tokens. The library is loaded with the first one: a server that signs none need not wait for it. */

import type { JsonObject } from '../../json.ts'
import type { SigningKey } from './keys.ts'

/** The token: compact serialization of RFC 7515. */
type SignToken = (payload: JsonObject) => Promise<string>

export function createTokenSigner({ privateKey, verification }: SigningKey): SignToken {
  return async (payload) => {
    const { CompactSign } = await import('jose')
    return new CompactSign(Buffer.from(JSON.stringify(payload)))
      .setProtectedHeader({ alg: verification.algorithm, kid: verification.id })
      .sign(privateKey)
  }
}
