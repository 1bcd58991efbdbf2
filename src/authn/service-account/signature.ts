/**
 * Is a token signed by one of our keys? The answer is remembered by the token's digest, since the signature of the same
 * bytes does not change; whether the token still counts is asked anew each time, elsewhere.
 */

import { createHash } from 'node:crypto'
import { fail, type Result } from '../../../store/contract.ts'
import { isJsonObject, type JsonObject } from '../../json.ts'
import type { VerificationKey } from './keys.ts'

interface SignatureParts<C> {
  readonly keys: readonly VerificationKey[]
  /** What is remembered of a payload; undefined from `expiresAtMs` = it never expires. */
  readonly read: (payload: JsonObject) => Result<C, string>
  readonly expiresAtMs: (claims: C) => number | undefined
}

interface Signatures<C> {
  /** What a token says that was verified before; undefined = it is not remembered. */
  recall(token: string, nowMs: number): C | undefined
  verify(token: string): Promise<Result<C, string>>
}

/** Tokens that are remembered; the one that has been longest without use makes room. */
const tokensMax = 8192

export function createSignatures<C>({ keys, read, expiresAtMs }: SignatureParts<C>): Signatures<C> {
  const byId = new Map(keys.map((key) => [key.id, key]))
  const known = new Map<string, C>()

  async function check(token: string): Promise<Result<C, string>> {
    const header = decodeSegment(token, 0)
    if (header === undefined) return fail('the token is malformed')
    const candidates = candidatesFor(header, byId, keys)
    for (const candidate of candidates) {
      const payload = await verified(token, candidate)
      if (payload !== undefined) return read(payload)
    }
    return fail('the signature of the token is not valid')
  }

  return {
    recall(token, nowMs) {
      const digest = digestOf(token)
      const found = known.get(digest)
      if (found === undefined) return undefined
      known.delete(digest)
      // An expired one is refused elsewhere and need not be remembered.
      if ((expiresAtMs(found) ?? Number.POSITIVE_INFINITY) > nowMs) known.set(digest, found)
      return found
    },
    async verify(token) {
      const checked = await check(token)
      if (checked.ok) {
        for (const oldest of known.keys()) {
          if (known.size < tokensMax) break
          known.delete(oldest)
        }
        known.set(digestOf(token), checked.value)
      }
      return checked
    },
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}

/** The key that the token names; all of them where it names none. The names of keys are looked up, never followed. */
function candidatesFor(
  { kid, alg }: JsonObject,
  byId: ReadonlyMap<string, VerificationKey>,
  keys: readonly VerificationKey[],
): readonly VerificationKey[] {
  const named = typeof kid === 'string' ? [byId.get(kid)].filter((key) => key !== undefined) : keys
  return named.filter(({ algorithm }) => algorithm === alg)
}

async function verified(token: string, { key, algorithm }: VerificationKey): Promise<JsonObject | undefined> {
  const { compactVerify } = await import('jose')
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [algorithm] })
    const value: unknown = JSON.parse(Buffer.from(payload).toString('utf8'))
    return isJsonObject(value) ? value : undefined
  } catch {
    // Every failure of the library means the same here: not ours.
    return undefined
  }
}

/** One of the segments of a compact token, unverified; undefined when it is none. */
export function decodeSegment(token: string, at: 0 | 1): JsonObject | undefined {
  const segments = token.split('.')
  if (segments.length !== 3) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(segments[at] ?? '', 'base64url').toString('utf8'))
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
