/**
 * Bearer tokens that are signed by OpenID providers, as many as are configured. The issuer that a token names chooses
 * the provider; then signature, claims, mapping, rules.
 *
 * Source: specification, "OpenID Connect flags", "Authentication configuration file".
 */

import type { Clock } from '../../../store/contract.ts'
import { fail, ok, type Result } from '../../../store/contract.ts'
import type { Log } from '../../observe/log.ts'
import type { HttpClient, Outside } from '../../outside/outside.ts'
import { type Authentication, type TokenAuthenticator, withAuthenticated } from '../authenticate.ts'
import { createTokenCache, type Found } from '../token-cache.ts'
import { createDistributedClaims, type DistributedClaims } from './distributed-claims.ts'
import { userOf } from './mapping.ts'
import type { JwtMetrics } from './metrics.ts'
import { createProvider, type Provider } from './provider.ts'
import type { JwtSettings } from './settings.ts'
import { claimsProblem, parseClaims, timeMs, unverifiedIssuer } from './token.ts'

interface OidcParts {
  readonly outside: Pick<Outside, 'httpClient'>
  readonly clock: Clock
  readonly log: Log
  /** Shared by those that follow each other. */
  readonly metrics: JwtMetrics
}

export interface OidcAuthenticator extends TokenAuthenticator {
  start(): void
  /** Settles when every provider has been discovered; never, when one is not. */
  whenReady(): Promise<void>
  close(): void
}

/** A token that was good is good again for this long, without its signature being looked at. */
const keepMs = 10_000

interface Issuer {
  readonly settings: JwtSettings
  readonly provider: Provider
  readonly distributed: DistributedClaims | undefined
}

/** Fails with a sentence when certificates of a provider cannot be used. Nothing is asked before `start`. */
export function createOidcAuthenticator(
  all: readonly JwtSettings[],
  parts: OidcParts,
): Result<OidcAuthenticator, string> {
  const { clock, log, metrics } = parts
  const issuers = new Map<string, Issuer>()
  for (const settings of all) {
    const client = parts.outside.httpClient(
      settings.certificateAuthority === undefined ? {} : { ca: settings.certificateAuthority },
    )
    if (!client.ok) return fail(`issuer ${settings.issuer}: ${client.failure}`)
    issuers.set(settings.issuer, createIssuer(settings, client.value, parts))
  }
  const cached = createTokenCache({ clock, find })

  async function find(token: string): Promise<Found> {
    const issuer = issuers.get(unverifiedIssuer(token) ?? '')
    if (issuer === undefined) return { answer: { type: 'none' }, keepMs: 0 }
    const startMs = clock.monotonicMs()
    const found = await authenticate(token, issuer, clock)
    const result = found.answer.type === 'user' ? 'success' : 'failure'
    metrics.observe(issuer.settings.issuer, result, (clock.monotonicMs() - startMs) / 1000)
    if (found.answer.type === 'refused')
      log.debug('a token of an OpenID provider was refused', {
        issuer: issuer.settings.issuer,
        reason: found.answer.reason,
      })
    return found
  }

  return ok({
    authenticateToken(token): Authentication | Promise<Authentication> {
      const known = cached.known(token)
      if (known !== undefined) return known
      return issuers.has(unverifiedIssuer(token) ?? '') ? cached.authenticateToken(token) : { type: 'none' }
    },
    start() {
      for (const { provider } of issuers.values()) provider.start()
    },
    async whenReady() {
      await Promise.all([...issuers.values()].map(({ provider }) => provider.whenReady()))
    },
    close() {
      for (const { provider, distributed } of issuers.values()) {
        distributed?.close()
        provider.close()
      }
    },
  })
}

function createIssuer(settings: JwtSettings, client: HttpClient, { clock, log }: OidcParts): Issuer {
  const { issuer, discoveryUrl, algorithms, audiences, groups } = settings
  const common = { algorithms, client, clock, log }
  return {
    settings,
    provider: createProvider({ issuer, discoveryUrl, ...common }),
    distributed:
      groups?.type === 'claim'
        ? createDistributedClaims({
            claim: groups.claim,
            audiences,
            client,
            clock,
            createProvider: (other) => createProvider({ issuer: other, discoveryUrl: undefined, ...common }),
          })
        : undefined,
  }
}

async function authenticate(token: string, issuer: Issuer, clock: Clock): Promise<Found> {
  const { settings, provider, distributed } = issuer
  const verdict = await provider.verify(token)
  if (verdict.type !== 'signed') return refused(`verify token: ${verdict.reason}`)
  const claims = parseClaims(verdict.payload)
  if (claims === undefined) return refused('parse claims: the payload is no JSON object')
  const nowMs = clock.wallMs()
  const { audiences } = settings
  const problem = claimsProblem(claims, { issuer: settings.issuer, audiences, nowMs })
  if (problem !== undefined) return refused(`verify token: ${problem}`)
  const expanded = distributed === undefined ? ok(claims) : await distributed.expand(claims)
  if (!expanded.ok) return refused(`could not expand distributed claims: ${expanded.failure}`)
  const user = userOf(expanded.value, settings)
  if (!user.ok) return refused(user.failure)
  const answer: Authentication = {
    type: 'user',
    user: { ...user.value, groups: withAuthenticated(user.value.groups) },
  }
  return { answer, keepMs: Math.min(keepMs, (timeMs(claims['exp']) ?? 0) - nowMs) }
}

function refused(what: string): Found {
  return { answer: { type: 'refused', reason: `oidc: ${what}` }, keepMs: 0 }
}
