/**
 * Claims that a token does not hold itself but says where to find: the endpoint that it names answers with a token of
 * its own, and that one is believed only after the same checks, by the keys of the issuer that it names.
 *
 * Source: OpenID Connect Core 1.0, section 5.6.2.
 */

import type { Clock } from '../../../store/contract.ts'
import { fail, ok, type Result } from '../../../store/contract.ts'
import { isJsonObject, type JsonObject } from '../../json.ts'
import type { HttpClient } from '../../outside/outside.ts'
import type { Provider } from './provider.ts'
import { claimsProblem, parseClaims, unverifiedIssuer } from './token.ts'

interface DistributedClaimParts {
  /** The one that is resolved: that of groups. */
  readonly claim: string
  readonly audiences: readonly string[]
  readonly client: HttpClient
  readonly clock: Clock
  /** Not started. */
  createProvider(issuer: string): Provider
}

export interface DistributedClaims {
  /** The claims with the one that is elsewhere; fails with a sentence. */
  expand(claims: JsonObject): Promise<Result<JsonObject, string>>
  close(): void
}

/** Further issuers are refused: who signs claims about groups is no open set. */
const issuersMax = 16
const requestMs = 5000
const answerBytesMax = 128 * 1024

export function createDistributedClaims(parts: DistributedClaimParts): DistributedClaims {
  const { claim, audiences, client, clock } = parts
  const providers = new Map<string, Provider>()

  function providerOf(issuer: string): Provider | undefined {
    let provider = providers.get(issuer)
    if (provider === undefined && providers.size < issuersMax && issuer.startsWith('https://')) {
      provider = parts.createProvider(issuer)
      provider.start()
      providers.set(issuer, provider)
    }
    return provider
  }

  async function resolve(source: Source): Promise<Result<JsonObject, string>> {
    const token = await fetchToken(source, client)
    if (!token.ok) return token
    const issuer = unverifiedIssuer(token.value)
    const provider = issuer === undefined ? undefined : providerOf(issuer)
    if (issuer === undefined || provider === undefined)
      return fail(`distributed claim ${claim}: the endpoint answered with no token of a known issuer`)
    await within(clock, requestMs, provider.whenReady())
    const verdict = await provider.verify(token.value)
    if (verdict.type !== 'signed') return fail(`distributed claim ${claim}: ${verdict.reason}`)
    const claims = parseClaims(verdict.payload) ?? {}
    const problem = claimsProblem(claims, { issuer, audiences, nowMs: clock.wallMs() })
    return problem === undefined ? ok(claims) : fail(`distributed claim ${claim}: ${problem}`)
  }

  return {
    async expand(claims) {
      if (Object.hasOwn(claims, claim)) return ok(claims)
      const source = sourceOf(claims, claim)
      if (source === undefined || !source.ok) return source ?? ok(claims)
      const found = await resolve(source.value)
      if (!found.ok) return found
      if (!Object.hasOwn(found.value, claim)) return fail(`could not find distributed claim ${claim}`)
      return ok({ ...claims, [claim]: found.value[claim] })
    },
    close() {
      for (const provider of providers.values()) provider.close()
    },
  }
}

interface Source {
  readonly url: string
  readonly accessToken: string
}

/** Undefined = the claim is nowhere else; an aggregated one (the token itself, not its place) counts as absent. */
function sourceOf(claims: JsonObject, claim: string): Result<Source, string> | undefined {
  const { _claim_names: names, _claim_sources: sources } = claims
  if (!isJsonObject(names) || !Object.hasOwn(names, claim)) return undefined
  const name = names[claim]
  if (typeof name !== 'string' || !isJsonObject(sources) || !Object.hasOwn(sources, name))
    return fail(`_claim_names names a source of ${claim} that _claim_sources lacks`)
  const source = sources[name]
  if (!isJsonObject(source)) return fail(`the source of ${claim} is no object`)
  const { endpoint, access_token: accessToken } = source
  if (typeof endpoint !== 'string' || endpoint === '') return undefined
  return ok({ url: endpoint, accessToken: typeof accessToken === 'string' ? accessToken : '' })
}

async function fetchToken({ url, accessToken }: Source, client: HttpClient): Promise<Result<string, string>> {
  if (!URL.canParse(url)) return fail('the endpoint of a distributed claim is no URL')
  const authorized = /^[\x21-\x7e]+$/.test(accessToken)
  const answer = await client.request({
    method: 'GET',
    url,
    timeoutMs: requestMs,
    answerBytesMax,
    ...(authorized ? { headers: { authorization: `Bearer ${accessToken}` } } : {}),
  })
  if (!answer.ok) return fail(answer.failure.message)
  const { status, body } = answer.value
  return status === 200 ? ok(body.toString('utf8').trim()) : fail(`${new URL(url).host} answered ${status}`)
}

async function within(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = clock.after(ms, resolve)
    void work.then(() => {
      timer.cancel()
      resolve()
    })
  })
}
