/**
 * An OpenID provider: where its keys are, and its keys. It may be dead at the start and at any time later: then the
 * keys that are known go on to count.
 *
 *     start ─▶ discover ─▶ ready ─▶ keys: fetched at once, anew when a token needs others (at most every 10 s), and hourly
 *               └ fails: again after 1 s, 2 s, … 10 s
 *
 * Source: OpenID Connect Discovery 1.0, section 4; specification, "OpenID Connect flags".
 */

import type { Clock, Timer } from '../../../store/contract.ts'
import { fail, ok, type Result } from '../../../store/contract.ts'
import { isJsonObject } from '../../json.ts'
import type { Log } from '../../observe/log.ts'
import type { HttpClient } from '../../outside/outside.ts'
import type { SigningAlgorithm } from './algorithms.ts'
import { type Keys, readKeySet, type Verified, verifySignature } from './signature.ts'

interface ProviderParts {
  readonly issuer: string
  /** Used as it is, instead of the well-known path under the issuer. */
  readonly discoveryUrl: string | undefined
  readonly algorithms: readonly SigningAlgorithm[]
  readonly client: HttpClient
  readonly clock: Clock
  readonly log: Log
}

export interface Provider {
  start(): void
  /** Discovery has succeeded. */
  readonly ready: boolean
  /** Settles when discovery has succeeded; never, when it does not. */
  whenReady(): Promise<void>
  verify(token: string): Promise<Verified>
  close(): void
}

const retryMinMs = 1000
const retryMaxMs = 10_000
const requestMs = 10_000
const answerBytesMax = 512 * 1024
/** Between two fetches of the keys that tokens with unknown keys ask for: such tokens cost their senders nothing. */
const refetchMs = 10_000
const keysAgeMs = 3_600_000

export function createProvider(parts: ProviderParts): Provider {
  const { clock, log, issuer, algorithms, client } = parts
  let keysUrl: string | undefined
  let keys: Keys | undefined
  let fetchedMs = Number.NEGATIVE_INFINITY
  let triedMs = Number.NEGATIVE_INFINITY
  let fetching: Promise<boolean> | undefined
  let timer: Timer | undefined
  let retryMs = retryMinMs
  let closed = false
  let announce = (): void => {}
  const discovered = new Promise<void>((resolve) => {
    announce = resolve
  })

  async function attempt(): Promise<void> {
    const found = await discover(parts)
    if (closed) return
    if (!found.ok) {
      log.warn('the OpenID provider cannot be used yet', { issuer, reason: found.failure })
      timer = clock.after(retryMs, () => void attempt())
      retryMs = Math.min(retryMs * 2, retryMaxMs)
      return
    }
    keysUrl = found.value
    announce()
    await fetchKeys()
  }

  /** True = the keys are new. One at a time; whoever comes while it lasts waits for it. */
  function fetchKeys(): Promise<boolean> {
    fetching ??= fetchOnce().finally(() => {
      fetching = undefined
    })
    return fetching
  }

  async function fetchOnce(): Promise<boolean> {
    if (keysUrl === undefined || closed) return false
    triedMs = clock.monotonicMs()
    const found = await fetchKeySet(keysUrl, client)
    if (closed) return false
    if (!found.ok) {
      log.warn('the keys of the OpenID provider cannot be read', { issuer, reason: found.failure })
      return false
    }
    keys = found.value
    fetchedMs = clock.monotonicMs()
    return true
  }

  function mayFetch(): boolean {
    return fetching !== undefined || clock.monotonicMs() - triedMs >= refetchMs
  }

  return {
    start: () => void attempt(),
    get ready() {
      return keysUrl !== undefined
    },
    whenReady: () => discovered,
    async verify(token) {
      if (keysUrl === undefined) return { type: 'bad', reason: 'authenticator not initialized' }
      if (keys === undefined && mayFetch()) await fetchKeys()
      if (keys === undefined) return { type: 'bad', reason: 'the keys of the provider are not known' }
      const verdict = await verifySignature(token, keys, algorithms)
      if (verdict.type === 'otherKeys' && mayFetch() && (await fetchKeys()))
        return verifySignature(token, keys, algorithms)
      // A key that the provider has withdrawn must not count forever.
      if (clock.monotonicMs() - fetchedMs >= keysAgeMs && mayFetch()) void fetchKeys()
      return verdict
    },
    close() {
      closed = true
      timer?.cancel()
      client.close()
    },
  }
}

/** The address of the keys; fails with a sentence. */
async function discover({ issuer, discoveryUrl, client }: ProviderParts): Promise<Result<string, string>> {
  const url = discoveryUrl ?? `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`
  const body = await fetchBody(url, client)
  if (!body.ok) return body
  let document: unknown
  try {
    document = JSON.parse(body.value.toString('utf8'))
  } catch {
    return fail('the discovery document is not JSON')
  }
  if (!isJsonObject(document)) return fail('the discovery document is not an object')
  if (document['issuer'] !== issuer)
    return fail(
      `issuer did not match the issuer returned by provider, expected ${JSON.stringify(issuer)} got ${(JSON.stringify(document['issuer']) ?? 'none').slice(0, 256)}`,
    )
  const keysUrl = document['jwks_uri']
  if (typeof keysUrl !== 'string' || !isHttps(keysUrl)) return fail('jwks_uri is no https URL')
  return ok(keysUrl)
}

async function fetchKeySet(url: string, client: HttpClient): Promise<Result<Keys, string>> {
  const body = await fetchBody(url, client)
  if (!body.ok) return body
  const keys = readKeySet(body.value)
  return keys === undefined ? fail('jwks_uri answered with no key set') : ok(keys)
}

async function fetchBody(url: string, client: HttpClient): Promise<Result<Buffer, string>> {
  const answer = await client.request({ method: 'GET', url, timeoutMs: requestMs, answerBytesMax })
  if (!answer.ok) return fail(answer.failure.message)
  const { status, body } = answer.value
  return status === 200 ? ok(body) : fail(`${new URL(url).host} answered ${status}`)
}

function isHttps(url: string): boolean {
  try {
    return new URL(url).protocol === 'https:'
  } catch {
    return false
  }
}
