/** A provider, an authenticator that trusts it, and a clock: what the tests of OpenID Connect begin with. */

import { randomUUID } from 'node:crypto'
import { createOidcAuthenticator, type OidcAuthenticator } from '../../../../src/authn/oidc/authenticator.ts'
import { JwtMetrics } from '../../../../src/authn/oidc/metrics.ts'
import type { JwtSettings } from '../../../../src/authn/oidc/settings.ts'
import { silentLog } from '../../../../src/observe/log.ts'
import { createManualClock, type ManualClock } from '../../../support/manual-clock.ts'
import {
  createSigningKey,
  type OidcProvider,
  type SigningKey,
  seconds,
  startOidcProvider,
} from '../../../support/oidc-provider.ts'
import { outsideWith, type TestAuthority } from '../../../support/tls-service.ts'

interface Teardown {
  teardown(action: () => unknown): void
}

interface Bench {
  readonly provider: OidcProvider
  readonly key: SigningKey
  readonly clock: ManualClock
  readonly settings: JwtSettings
  readonly metrics: JwtMetrics
  /** Payload of a good token of jane's; no two are equal, so none is answered from the cache. */
  claims(more?: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** Not started. */
  authenticator(change?: Partial<JwtSettings>): OidcAuthenticator
  /** Started, and ready. */
  ready(change?: Partial<JwtSettings>): Promise<OidcAuthenticator>
}

export async function createBench(t: Teardown, authority: TestAuthority, alg = 'ES256'): Promise<Bench> {
  const provider = await startOidcProvider(t, authority)
  const key = await createSigningKey('first', alg)
  provider.publish(key)
  const clock = createManualClock()
  const settings: JwtSettings = {
    issuer: provider.url,
    discoveryUrl: undefined,
    certificateAuthority: authority.ca.certificate,
    audiences: ['my-client'],
    algorithms: ['RS256', 'ES256'],
    username: { type: 'claim', claim: 'sub', prefix: 'oidc:' },
    groups: { type: 'claim', claim: 'groups', prefix: 'oidc:' },
    uid: undefined,
    extra: [],
    requiredClaims: [],
    claimRules: [],
    userRules: [],
  }
  const metrics = new JwtMetrics()
  const authenticator = (change: Partial<JwtSettings> = {}): OidcAuthenticator => {
    const parts = { outside: outsideWith(), clock, log: silentLog, metrics }
    const made = createOidcAuthenticator([{ ...settings, ...change }], parts)
    if (!made.ok) throw new Error(made.failure)
    t.teardown(() => made.value.close())
    return made.value
  }
  return {
    provider,
    key,
    clock,
    settings,
    metrics,
    claims: (more = {}) => ({
      iss: provider.url,
      aud: 'my-client',
      sub: 'jane',
      groups: ['developers'],
      exp: seconds(clock.wallMs()) + 600,
      jti: randomUUID(),
      ...more,
    }),
    authenticator,
    async ready(change) {
      const made = authenticator(change)
      made.start()
      await made.whenReady()
      return made
    },
  }
}

/** The user's name, or why there is none. */
export async function outcome(authenticator: OidcAuthenticator, token: string): Promise<string> {
  const answer = await authenticator.authenticateToken(token)
  return answer.type === 'user' ? answer.user.name : answer.type === 'none' ? 'none' : (answer.reason ?? '')
}
