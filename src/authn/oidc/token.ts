/**
 * What a token says of itself, before anything of it is believed, and the checks of its registered claims once its
 * signature is.
 *
 * Source: RFC 7519, section 4.1; specification, "OpenID Connect flags", "Authentication configuration file".
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'

const compact = /^[\w-]+\.([\w-]+)\.[\w-]+$/

/** The issuer that a compact token names; undefined = it is no such token. */
export function unverifiedIssuer(token: string): string | undefined {
  const payload = compact.exec(token)?.[1]
  if (payload === undefined) return undefined
  const claims = parseClaims(Buffer.from(payload, 'base64url'))
  const issuer = claims?.['iss']
  return typeof issuer === 'string' ? issuer : undefined
}

/** Undefined = no JSON object in UTF-8. */
export function parseClaims(payload: Uint8Array): JsonObject | undefined {
  try {
    const claims: unknown = JSON.parse(utf8.decode(payload))
    return isJsonObject(claims) ? claims : undefined
  } catch {
    return undefined
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

interface Expected {
  readonly issuer: string
  /** The token is for one of them at least. */
  readonly audiences: readonly string[]
  readonly nowMs: number
}

/** Clocks may differ by this much where a token is not valid yet. It is never valid for longer than it says. */
const notBeforeLeewayMs = 300_000

/** What is wrong with a signed token's claims; undefined = nothing. */
export function claimsProblem(claims: JsonObject, expected: Expected): string | undefined {
  if (claims['iss'] !== expected.issuer) return 'id token issued by a different provider'
  const audiences = textsOf(claims['aud'])
  if (!audiences.some((audience) => expected.audiences.includes(audience)))
    return `expected audience in ${JSON.stringify(expected.audiences)}`
  const expiryMs = timeMs(claims['exp'])
  if (expiryMs === undefined) return 'token has no expiry'
  if (expected.nowMs > expiryMs) return `token is expired (${describeTime(expiryMs)})`
  if (claims['nbf'] === undefined) return undefined
  const notBeforeMs = timeMs(claims['nbf'])
  if (notBeforeMs === undefined) return 'nbf is not a time'
  return expected.nowMs + notBeforeLeewayMs < notBeforeMs
    ? `token is not valid before ${describeTime(notBeforeMs)}`
    : undefined
}

/** A claim of Unix seconds in milliseconds. */
export function timeMs(claim: JsonValue | undefined): number | undefined {
  return typeof claim === 'number' && Number.isFinite(claim) ? claim * 1000 : undefined
}

function describeTime(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : 'out of range'
}

/** A text, or a list of texts; anything else is none. */
export function textsOf(claim: JsonValue | undefined): readonly string[] {
  if (typeof claim === 'string') return [claim]
  return Array.isArray(claim) && claim.every((one) => typeof one === 'string') ? claim : []
}
