/**
 * `serviceaccounts/<name>/token`: makes a token for an account, bound to the pod, secret or node that is to have it.
 *
 * Source: specification, "Methods" (service account tokens); TokenRequest of the group authentication.
 */

import { fail, ok } from '../../../store/contract.ts'
import type { BoundClaims } from '../../authn/service-account/claims.ts'
import { isJsonObject, type JsonObject } from '../../json.ts'
import { invalidValue } from '../../status/causes.ts'
import { invalid } from '../../status/failures.ts'
import type { Cause } from '../../status/status.ts'
import type { ObjectName } from '../../storage/contract.ts'
import { draftOf } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { ResourceType } from '../../types/resource.ts'
import { admitOperation } from '../admit-operation.ts'
import { type Machinery, timestamp, timestampOf } from '../machinery.ts'
import type { Operation } from '../virtual.ts'
import { type Bound, boundTo, refOf, stored } from './token-binding.ts'

interface TokenRequestParts {
  readonly machinery: Machinery
  readonly issuer: string
  /** For requests that name none. */
  readonly apiAudiences: readonly string[]
  /** 0 = 2³². */
  readonly maxExpirationSeconds: number
  readonly extendExpiration: boolean
  readonly gates: TokenGates
  /** Signs what it is given. */
  readonly sign: (claims: BoundClaims) => Promise<string>
}

/** Feature gates. */
interface TokenGates {
  /** Tokens have an id (`ServiceAccountTokenJTI`). */
  readonly ids: boolean
  /** Tokens of pods name the node too (`ServiceAccountTokenPodNodeInfo`). */
  readonly podNodes: boolean
  /** Tokens may be bound to nodes (`ServiceAccountTokenNodeBinding`). */
  readonly nodeBinding: boolean
}

const expirationSecondsMin = 600
const expirationSecondsMax = 2 ** 32
/** What the plugin ServiceAccount asks for: these tokens may be extended. */
const extendableSeconds = 3607
const extendedSeconds = 365 * 24 * 3600

export function createTokenRequest(parts: TokenRequestParts): Operation {
  const { machinery } = parts
  const { clock, identifiers, names } = machinery
  const group = names.expand('authentication.{groups}')
  const issuedKey = names.expand('authentication.{labels}/issued-credential-id')

  return async (given, { info, user, query, warnings, audit }) => {
    const name = { namespace: info.namespace, name: info.name }
    const mismatch = identityCauses(given, name)
    if (mismatch.length > 0)
      return fail(invalid({ group, kind: 'TokenRequest' }, given.metadata.name ?? '', mismatch))
    const account = await stored('serviceaccounts', name, machinery)
    if (!account.ok) return account
    const nowMs = clock.wallMs()
    const request = completed(given, name, parts)
    const causes = specCauses(specOf(request))
    if (causes.length > 0) return fail(invalid({ group, kind: 'TokenRequest' }, '', causes))
    const refused = await admitOperation(machinery, {
      type: accountType(machinery),
      subresource: 'token',
      ...name,
      object: request,
      user,
      dryRun: query.text('dryRun') === 'All',
      warnings,
      audit,
    })
    if (refused !== undefined) return fail(refused)
    const bound = await boundTo(specOf(request), name, parts)
    if (!bound.ok) return bound
    const lifetime = lifetimeOf(specOf(request), bound.value, parts, warnings)
    const now = Math.floor(nowMs / 1000)
    const id = parts.gates.ids ? identifiers.uuid() : ''
    if (id !== '') audit?.annotate(issuedKey, `JTI=${id}`)
    const token = await parts.sign({
      type: 'bound',
      issuer: parts.issuer,
      audiences: audiencesOf(specOf(request)),
      times: { issuedAt: now, notBefore: now, expires: now + lifetime.seconds },
      id,
      namespace: name.namespace,
      account: refOf(account.value),
      ...bound.value,
      ...(lifetime.warnAfterSeconds === undefined ? {} : { warnAfter: now + lifetime.warnAfterSeconds }),
    })
    const answered = draftOf(request)
    answered['spec'] = { ...specOf(request), expirationSeconds: lifetime.shownSeconds }
    // Of the same second as the token: what clients are told never comes after its end.
    answered['status'] = { token, expirationTimestamp: timestampOf(now + lifetime.shownSeconds) }
    return ok(request)
  }
}

function accountType({ types }: Machinery): ResourceType {
  const type = types.resource('', 'v1', 'serviceaccounts')
  if (type === undefined) throw new TypeError('tokens are requested of a type that is not served')
  return type
}

function identityCauses({ metadata }: ApiObject, { namespace, name }: ObjectName): readonly Cause[] {
  const causes: Cause[] = []
  if (metadata.name !== undefined && metadata.name !== '' && metadata.name !== name)
    causes.push(
      invalidValue('metadata.name', metadata.name, 'must match the service account name if specified'),
    )
  if (metadata.namespace !== undefined && metadata.namespace !== '' && metadata.namespace !== namespace)
    causes.push(
      invalidValue(
        'metadata.namespace',
        metadata.namespace,
        'must match the service account namespace if specified',
      ),
    )
  return causes
}

/** What the request leaves open is filled in, and what is not the client's to say is dropped. */
function completed(
  given: ApiObject,
  { namespace, name }: ObjectName,
  { apiAudiences, machinery }: TokenRequestParts,
): ApiObject {
  const spec = specOf(given)
  const audiences = audiencesOf(spec)
  return {
    apiVersion: given.apiVersion,
    kind: given.kind,
    metadata: { ...given.metadata, name, namespace, creationTimestamp: timestamp(machinery.clock) },
    spec: { ...spec, audiences: audiences.length === 0 ? [...apiAudiences] : [...audiences] },
    status: { token: '', expirationTimestamp: null },
  }
}

function specCauses(spec: JsonObject): readonly Cause[] {
  const seconds = secondsOf(spec)
  if (seconds < expirationSecondsMin)
    return [
      invalidValue('spec.expirationSeconds', seconds, 'may not specify a duration less than 10 minutes'),
    ]
  return seconds > expirationSecondsMax
    ? [invalidValue('spec.expirationSeconds', seconds, 'may not specify a duration larger than 2^32 seconds')]
    : []
}

interface Lifetime {
  readonly seconds: number
  /** What the client is told: it is to come again then. */
  readonly shownSeconds: number
  readonly warnAfterSeconds: number | undefined
}

function lifetimeOf(
  spec: JsonObject,
  { pod }: Bound,
  { maxExpirationSeconds, extendExpiration, apiAudiences }: TokenRequestParts,
  warnings: string[],
): Lifetime {
  const asked = secondsOf(spec)
  const shortened = maxExpirationSeconds > 0 && asked > maxExpirationSeconds
  if (shortened)
    warnings.push(`requested expiration of ${asked} seconds shortened to ${maxExpirationSeconds} seconds`)
  const seconds = shortened ? maxExpirationSeconds : asked
  const own = new Set(apiAudiences)
  const extended =
    extendExpiration &&
    pod !== undefined &&
    seconds === extendableSeconds &&
    audiencesOf(spec).every((audience) => own.has(audience))
  return extended
    ? { seconds: extendedSeconds, shownSeconds: seconds, warnAfterSeconds: seconds }
    : { seconds, shownSeconds: seconds, warnAfterSeconds: undefined }
}

function specOf(request: ApiObject): JsonObject {
  const { spec } = request
  return isJsonObject(spec) ? spec : {}
}

function secondsOf({ expirationSeconds }: JsonObject): number {
  return typeof expirationSeconds === 'number' ? expirationSeconds : 3600
}

function audiencesOf({ audiences }: JsonObject): readonly string[] {
  return Array.isArray(audiences) ? audiences.filter((one): one is string => typeof one === 'string') : []
}
