/**
 * A client whose certificates and CAs are looked at again while it is used: short-lived ones are replaced in their files,
 * and the server goes on. What cannot be read or used leaves the former ones in place.
 */

import type { Clock } from '../../store/contract.ts'
import { ok, type Result } from '../../store/contract.ts'
import type { HttpClient, HttpClientOptions, Outside } from './outside.ts'

interface RotatingClientParts {
  readonly outside: Pick<Outside, 'httpClient'>
  readonly clock: Clock
  /** Reads the files anew. */
  read(): Promise<Result<HttpClientOptions, string>>
}

const againMs = 60_000
/** What the former client was asked may still be on its way. */
const farewellMs = 60_000

/** Fails as `Outside.httpClient` does. */
export function createRotatingClient(
  first: HttpClientOptions,
  { outside, clock, read }: RotatingClientParts,
): Result<HttpClient, string> {
  const made = outside.httpClient(first)
  if (!made.ok) return made
  let client = made.value
  let shown = JSON.stringify(first)
  let readMs = clock.monotonicMs()
  let closed = false

  async function look(): Promise<void> {
    const options = await read()
    const text = options.ok ? JSON.stringify(options.value) : shown
    if (!options.ok || text === shown || closed) return
    const next = outside.httpClient(options.value)
    if (!next.ok) return
    const former = client
    client = next.value
    shown = text
    clock.after(farewellMs, () => former.close())
  }

  return ok({
    async request(request) {
      if (clock.monotonicMs() - readMs >= againMs) {
        readMs = clock.monotonicMs()
        await look()
      }
      return client.request(request)
    },
    close() {
      closed = true
      client.close()
    },
  })
}
