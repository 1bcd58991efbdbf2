/**
 * Bearer tokens of service accounts.
 *
 *     ours by issuer? ▶ signature (remembered) ▶ times ▶ audience ▶ do account, pod, secret still stand? ▶ user
 *
 * Source: specification, "Methods".
 */

import { type Clock, ok } from '../../../store/contract.ts'
import type { Names } from '../../names/names.ts'
import type { User } from '../../pipeline/user.ts'
import type { ApiObject } from '../../types/object.ts'
import {
  type Authentication,
  type CredentialNotes,
  type TokenAuthenticator,
  withAuthenticated,
} from '../authenticate.ts'
import { serviceAccountGroups, serviceAccountUserName } from '../service-account-name.ts'
import { type Claims, legacyIssuer, readClaims, type TokenTimes } from './claims.ts'
import type { VerificationKey } from './keys.ts'
import { invalidatedNotes, legacyNotes, staleNotes } from './notes.ts'
import { createSignatures, decodeSegment } from './signature.ts'
import { leewaySeconds, type Standings } from './standing.ts'

interface ServiceAccountAuthenticatorParts {
  readonly names: Names
  readonly clock: Clock
  readonly issuers: readonly string[]
  readonly keys: readonly VerificationKey[]
  /** Whom a token must be for when nobody asks for others. */
  readonly apiAudiences: readonly string[]
  readonly standings: Standings
  readonly onUse: (use: TokenUse) => void
}

/** For metrics and for the notes on secrets. */
export type TokenUse =
  | { readonly type: 'bound'; readonly stale: boolean | undefined }
  | { readonly type: 'legacy'; readonly secret: ApiObject | undefined }

/** What is remembered of a token. */
interface Known {
  readonly claims: Claims
  readonly user: User
}

interface Judgement {
  /** Why it does not stand for anybody; absent = it does. */
  readonly why?: string
  readonly notes?: CredentialNotes
}

const none: Authentication = { type: 'none' }
const fine: Judgement = {}

export function createServiceAccountAuthenticator(
  parts: ServiceAccountAuthenticatorParts,
): TokenAuthenticator {
  const { names, clock, keys, apiAudiences, standings, onUse } = parts
  const issuers: ReadonlySet<unknown> = new Set([...parts.issuers, legacyIssuer(names)])
  const signatures = createSignatures<Known>({
    keys,
    read(payload) {
      const claims = readClaims(payload, names)
      return claims.ok ? ok({ claims: claims.value, user: userOf(claims.value, names) }) : claims
    },
    expiresAtMs: ({ claims: { times } }) =>
      times.expires === undefined ? undefined : (times.expires + leewaySeconds) * 1000,
  })

  /** Does it still stand for the user? */
  async function judge({ claims, user }: Known, token: string, nowMs: number): Promise<Judgement> {
    if (claims.type === 'bound') {
      const standing = await standings.bound(claims, nowMs)
      if (!standing.ok) return { why: standing.failure }
      const { warnAfter } = claims
      const lateMs = warnAfter === undefined ? 0 : nowMs - warnAfter * 1000
      onUse({ type: 'bound', stale: warnAfter === undefined ? undefined : lateMs > 0 })
      return lateMs > 0 ? { notes: staleNotes(names, user.name, Math.floor(lateMs / 1000)) } : fine
    }
    const standing = await standings.legacy(claims, token)
    if (!standing.ok) {
      const { why, invalidated } = standing.failure
      return invalidated === undefined ? { why } : { why, notes: invalidatedNotes(names, invalidated) }
    }
    const { secret, account } = standing.value
    onUse({ type: 'legacy', secret })
    return { notes: legacyNotes(names, user.name, secret, account) }
  }

  return {
    async authenticateToken(token, audiences) {
      const nowMs = clock.wallMs()
      let known = signatures.recall(token, nowMs)
      if (known === undefined) {
        if (!issuers.has(decodeSegment(token, 1)?.['iss'])) return none
        const verified = await signatures.verify(token)
        if (!verified.ok) return { type: 'refused', reason: verified.failure }
        known = verified.value
      }
      const { claims, user } = known
      const early = timesProblem(claims.times, nowMs)
      if (early !== undefined) return { type: 'refused', reason: early }
      const own = claims.audiences.length === 0 ? apiAudiences : claims.audiences
      const asked = audiences ?? apiAudiences
      const common = asked.filter((audience) => own.includes(audience))
      if (common.length === 0)
        return {
          type: 'refused',
          reason: `token audiences ${JSON.stringify(own)} is invalid for the target audiences ${JSON.stringify(asked)}`,
        }
      const { why, notes } = await judge(known, token, nowMs)
      const noted = notes === undefined ? {} : { notes }
      if (why !== undefined) return { type: 'refused', reason: why, ...noted }
      return { type: 'user', user, audiences: common, ...noted }
    },
  }
}

function timesProblem({ issuedAt, notBefore, expires }: TokenTimes, nowMs: number): string | undefined {
  const now = nowMs / 1000
  if (expires !== undefined && now - leewaySeconds > expires) return 'service account token has expired'
  const from = Math.max(issuedAt ?? 0, notBefore ?? 0)
  return now + leewaySeconds < from ? 'service account token is not valid yet' : undefined
}

function userOf(claims: Claims, names: Names): User {
  const { namespace, account } = claims
  const extra = new Map<string, readonly string[]>()
  const add = (key: string, value: string): void => {
    if (value !== '') extra.set(names.expand(`authentication.{labels}/${key}`), [value])
  }
  if (claims.type === 'bound') {
    const { id, pod, node } = claims
    if (id !== '') add('credential-id', `JTI=${id}`)
    add('node-name', node?.name ?? '')
    add('node-uid', node?.uid ?? '')
    if (pod !== undefined && pod.name !== '' && pod.uid !== '') {
      add('pod-name', pod.name)
      add('pod-uid', pod.uid)
    }
  }
  return {
    name: serviceAccountUserName({ namespace, name: account.name }),
    uid: account.uid,
    groups: withAuthenticated(serviceAccountGroups(namespace)),
    extra,
  }
}
