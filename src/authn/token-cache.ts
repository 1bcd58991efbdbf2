/**
 * Remembers what was found out about a token, for a while. Tokens are kept as digests; those used longest ago make room.
 * Requests with one token that come at the same time share one look-up.
 */

import { createHash } from 'node:crypto'
import type { Clock } from '../../store/contract.ts'
import type { Authentication, TokenAuthenticator } from './authenticate.ts'

/** A look-up's answer, and how long it may be used again. Milliseconds; 0 = not at all. */
export interface Found {
  readonly answer: Authentication
  readonly keepMs: number
}

interface TokenCacheParts {
  readonly clock: Clock
  find(token: string, audiences: readonly string[] | undefined): Promise<Found>
}

const entriesMax = 4096

interface Entry {
  readonly answer: Authentication
  readonly untilMs: number
}

interface TokenCache extends TokenAuthenticator {
  /** What is remembered; undefined = nothing. */
  known(token: string, audiences?: readonly string[]): Authentication | undefined
}

export function createTokenCache({ clock, find }: TokenCacheParts): TokenCache {
  const entries = new Map<string, Entry>()
  const flights = new Map<string, Promise<Authentication>>()

  async function fly(key: string, token: string, audiences?: readonly string[]): Promise<Authentication> {
    const { answer, keepMs } = await find(token, audiences)
    if (keepMs > 0) {
      const [oldest] = entries.keys()
      if (entries.size >= entriesMax && oldest !== undefined) entries.delete(oldest)
      entries.set(key, { answer, untilMs: clock.monotonicMs() + keepMs })
    }
    return answer
  }

  function remembered(key: string): Authentication | undefined {
    const entry = entries.get(key)
    if (entry === undefined) return undefined
    entries.delete(key)
    if (clock.monotonicMs() >= entry.untilMs) return undefined
    entries.set(key, entry)
    return entry.answer
  }

  return {
    known: (token, audiences) => remembered(keyOf(token, audiences)),
    authenticateToken(token, audiences) {
      const key = keyOf(token, audiences)
      const answer = remembered(key)
      if (answer !== undefined) return answer
      let flight = flights.get(key)
      if (flight === undefined) {
        flight = fly(key, token, audiences).finally(() => flights.delete(key))
        flights.set(key, flight)
      }
      return flight
    },
  }
}

function keyOf(token: string, audiences: readonly string[] | undefined): string {
  const hash = createHash('sha256').update(token)
  if (audiences !== undefined) hash.update(`\0${JSON.stringify(audiences)}`)
  return hash.digest('base64')
}
