/**
 * Where a paged list goes on. Opaque to clients; any worker can read it, since it holds all that is needed.
 * A checksum tells a damaged token from a good one. It is no secret: a forged token reaches nothing that the same
 * request without a token would not.
 */

import type { Key, Revision } from '../../store/contract.ts'
import { key, keyBytesMax, revision as mintRevision } from '../../store/contract.ts'

export interface ContinueToken {
  /** The state that the first page read; `newest` after the history was compacted, and the client went on anyway. */
  readonly at: Revision | 'newest'
  /** The last key that was sent. */
  readonly lastKey: Key
  /** Items after `lastKey`; absent when a selector is used or the state is not known yet. */
  readonly remaining?: number
}

const formatVersion = 1

/** Text that may stand in a URL. It says where a list goes on, and is no secret. */
export function encodeContinueToken(prefix: string, { at, lastKey, remaining }: ContinueToken): string {
  const suffix = lastKey.slice(prefix.length + 1)
  const body = JSON.stringify([formatVersion, prefix, at === 'newest' ? 0 : at, suffix, remaining ?? -1])
  return Buffer.from(`${body}${checksum(body)}`).toString('base64url')
}

/** undefined = not a token of ours, or of another resource. */
export function decodeContinueToken(prefix: string, token: string): ContinueToken | undefined {
  if (token.length > keyBytesMax * 3) return undefined
  const text = Buffer.from(token, 'base64url').toString('utf8')
  if (Buffer.from(text).toString('base64url') !== token) return undefined
  const body = text.slice(0, -checksumDigits)
  if (text.slice(-checksumDigits) !== checksum(body)) return undefined
  const value = parse(body)
  if (!Array.isArray(value)) return undefined
  const [version, tokenPrefix, at, suffix, remaining]: unknown[] = value
  if (version !== formatVersion || tokenPrefix !== prefix || !isCount(at)) return undefined
  if (typeof suffix !== 'string' || !isKeySuffix(prefix, suffix)) return undefined
  return {
    at: at === 0 ? 'newest' : mintRevision(at),
    lastKey: key(`${prefix}/${suffix}`),
    ...(isCount(remaining) ? { remaining } : {}),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isKeySuffix(prefix: string, suffix: string): boolean {
  if (suffix === '' || prefix.length + suffix.length + 2 > keyBytesMax) return false
  for (let at = 0; at < suffix.length; at++) if (suffix.charCodeAt(at) > 255) return false
  return true
}

const checksumDigits = 8

/** FNV-1a, 32 bits, as hexadecimal digits. */
function checksum(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(16).padStart(checksumDigits, '0')
}
