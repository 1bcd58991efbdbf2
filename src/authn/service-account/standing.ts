/**
 * Does a token still stand for somebody? What it names must be there, and be what it was: looked up in this worker's
 * caches at each request, so that a deletion counts at once.
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import { fail, ok, type Result } from '../../../store/contract.ts'
import type { Lookup, Lookups } from '../../admission/lookup.ts'
import type { Names } from '../../names/names.ts'
import { objectAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { BoundClaims, LegacyClaims, ObjectRef } from './claims.ts'

/** Clocks may differ by this much. Seconds. */
export const leewaySeconds = 60

interface StandingParts {
  readonly names: Names
  readonly lookups: Lookups
  /** A legacy token counts only while its secret holds it. */
  readonly lookup: boolean
  /** A token bound to a node counts only while the node is there. */
  readonly checkNodes: boolean
}

/** A reason why it does not. */
type Standing = Result<undefined, string>

export interface Standings {
  bound(claims: BoundClaims, nowMs: number): Promise<Standing>
  /** The secret, where it was looked up. */
  legacy(claims: LegacyClaims, token: string): Promise<Result<LegacyStanding, LegacyFall>>
}

interface LegacyFall {
  readonly why: string
  /** It has not been used for too long. */
  readonly invalidated?: ApiObject
}

interface LegacyStanding {
  readonly secret?: ApiObject
  readonly account?: ApiObject
}

const invalidated = 'service account token has been invalidated'

export function createStandings({ names, lookups, lookup, checkNodes }: StandingParts): Standings {
  const accounts = lookups('core/serviceaccounts')
  const pods = lookups('core/pods')
  const secrets = lookups('core/secrets')
  const nodes = lookups('core/nodes')
  const invalidSince = names.expand('{labels}/legacy-token-invalid-since')

  async function legacy(
    { namespace, account, secretName }: LegacyClaims,
    token: string,
  ): Promise<Result<LegacyStanding, LegacyFall>> {
    const fallen = (why: string) => fail({ why })
    if (!lookup) return ok({})
    const secret = await secrets.get({ namespace, name: secretName })
    if (!secret.ok) return fallen(secret.failure.message)
    if (secret.value === undefined || secret.value.metadata.deletionTimestamp !== undefined)
      return fallen('Token has been invalidated')
    if (!sameText(tokenIn(secret.value), token)) return fallen("Token does not match server's copy")
    const found = await accounts.get({ namespace, name: account.name })
    if (!found.ok) return fallen(found.failure.message)
    const { value } = found
    if (value === undefined || value.metadata.deletionTimestamp !== undefined)
      return fallen(`ServiceAccount ${namespace}/${account.name} has been deleted`)
    if (value.metadata.uid !== account.uid)
      return fallen(uidMismatch('ServiceAccount', value.metadata.uid, account.uid))
    if ((secret.value.metadata.labels?.[invalidSince] ?? '') !== '')
      return fail({
        invalidated: secret.value,
        why: `the token in secret ${namespace}/${secretName} for service account ${namespace}/${account.name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSince}' label from the secret to temporarily allow use of this token`,
      })
    return ok({ secret: secret.value, account: value })
  }

  return {
    async bound({ namespace, account, pod, secret, node }, nowMs) {
      const owner = await stands(accounts, namespace, account, 'service account', nowMs)
      if (!owner.ok) return owner
      if (secret !== undefined) return stands(secrets, namespace, secret, 'secret', nowMs)
      if (pod !== undefined) return stands(pods, namespace, pod, 'pod', nowMs)
      if (node !== undefined && checkNodes) return stands(nodes, '', node, 'node', nowMs)
      return owner
    },
    legacy,
  }
}

/** Something that is being deleted stands until its time has come: a pod may need its token to end well. */
async function stands(
  lookup: Lookup,
  namespace: string,
  { name, uid }: ObjectRef,
  what: string,
  nowMs: number,
): Promise<Standing> {
  const found = await lookup.get({ namespace, name })
  if (!found.ok) return fail(found.failure.message)
  if (found.value === undefined) return fail(invalidated)
  const { uid: current, deletionTimestamp } = found.value.metadata
  if (current !== uid) return fail(uidMismatch(what, current, uid))
  const gone = deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < nowMs - leewaySeconds * 1000
  return gone ? fail(invalidated) : ok(undefined)
}

function uidMismatch(what: string, current: string | undefined, claimed: string): string {
  return `${what} UID (${current ?? ''}) does not match claim (${claimed})`
}

function tokenIn(secret: ApiObject): string {
  return Buffer.from(textAt(objectAt(secret, 'data'), 'token'), 'base64').toString('latin1')
}

function sameText(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
