/**
 * `serviceaccounts/<name>/token`: makes a token for an account, bound to the pod, secret or node that is to have it.
 *
 * Source: specification, "Methods" (service account tokens); TokenRequest of the group authentication.
 */

import { fail, ok } from '../../../store/contract.ts'
import type { BoundClaims, ObjectRef } from '../../authn/service-account/claims.ts'
import { isJsonObject, type JsonObject } from '../../json.ts'
import { invalidValue } from '../../status/causes.ts'
import { badRequest, conflict, invalid, notFound } from '../../status/failures.ts'
import type { ApiFailure, Cause } from '../../status/status.ts'
import type { ObjectName } from '../../storage/contract.ts'
import { readApiFailure } from '../../storage/failures.ts'
import { parseObject } from '../../storage/record.ts'
import { draftOf, objectAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { ResourceType } from '../../types/resource.ts'
import { admitOperation } from '../admit-operation.ts'
import { type Checked, type Machinery, timestamp } from '../machinery.ts'
import type { Operation } from '../virtual.ts'

export interface TokenRequestParts {
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
export interface TokenGates {
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

  return async (given, { info, user, query, warnings }) => {
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
    })
    if (refused !== undefined) return fail(refused)
    const bound = await boundTo(specOf(request), name, parts)
    if (!bound.ok) return bound
    const lifetime = lifetimeOf(specOf(request), bound.value, parts, warnings)
    const now = Math.floor(nowMs / 1000)
    const token = await parts.sign({
      type: 'bound',
      issuer: parts.issuer,
      audiences: audiencesOf(specOf(request)),
      times: { issuedAt: now, notBefore: now, expires: now + lifetime.seconds },
      id: parts.gates.ids ? identifiers.uuid() : '',
      namespace: name.namespace,
      account: refOf(account.value),
      ...bound.value,
      ...(lifetime.warnAfterSeconds === undefined ? {} : { warnAfter: now + lifetime.warnAfterSeconds }),
    })
    const answered = draftOf(request)
    answered['spec'] = { ...specOf(request), expirationSeconds: lifetime.shownSeconds }
    answered['status'] = { token, expirationTimestamp: timestamp(clock, lifetime.shownSeconds) }
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

type Bound = Pick<BoundClaims, 'pod' | 'secret' | 'node'>

/** Read from the quorum: what a token is bound to may have been made a moment ago. */
async function boundTo(
  spec: JsonObject,
  account: ObjectName,
  { machinery, gates }: TokenRequestParts,
): Promise<Checked<Bound>> {
  const reference = objectAt(spec, 'boundObjectRef')
  if (reference === undefined) return ok({})
  const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((field) => textAt(reference, field))
  const id = `${apiVersion}/${kind}`
  if (id === 'v1/Pod') {
    const pod = await stored('pods', { namespace: account.namespace, name: name ?? '' }, machinery)
    if (!pod.ok) return pod
    const { serviceAccountName, nodeName } = podFacts(pod.value)
    if (serviceAccountName !== account.name)
      return fail(
        badRequest(
          `cannot bind token for serviceaccount ${JSON.stringify(account.name)} to pod running with different serviceaccount name.`,
        ),
      )
    const moved = uidProblem(reference, 'Pod', pod.value)
    if (moved !== undefined) return fail(moved)
    const node = gates.podNodes && nodeName !== '' ? await nodeRef(nodeName, machinery) : undefined
    return ok({ pod: refOf(pod.value), ...(node === undefined ? {} : { node }) })
  }
  const place = id === 'v1/Secret' ? 'secrets' : id === 'v1/Node' && gates.nodeBinding ? 'nodes' : undefined
  if (place === undefined)
    return fail(badRequest(`cannot bind token to object of type ${gvkText(reference)}`))
  const namespace = place === 'nodes' ? '' : account.namespace
  const found = await stored(place, { namespace, name: name ?? '' }, machinery)
  if (!found.ok) return found
  const moved = uidProblem(reference, kind ?? '', found.value)
  if (moved !== undefined) return fail(moved)
  return ok(place === 'secrets' ? { secret: refOf(found.value) } : { node: refOf(found.value) })
}

function uidProblem(reference: JsonObject, kind: string, { metadata }: ApiObject): ApiFailure | undefined {
  const uid = textAt(reference, 'uid')
  return uid === '' || uid === metadata.uid
    ? undefined
    : conflict(
        { group: '', resource: kind },
        textAt(reference, 'name'),
        `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
      )
}

/** A node that is not registered is known by its name alone. */
async function nodeRef(name: string, machinery: Machinery): Promise<ObjectRef> {
  const node = await stored('nodes', { namespace: '', name }, machinery)
  return node.ok ? refOf(node.value) : { name, uid: '' }
}

function podFacts(pod: ApiObject): { readonly serviceAccountName: string; readonly nodeName: string } {
  const spec = objectAt(pod, 'spec')
  return { serviceAccountName: textAt(spec, 'serviceAccountName'), nodeName: textAt(spec, 'nodeName') }
}

function gvkText(reference: JsonObject): string {
  const [group, version] = textAt(reference, 'apiVersion').includes('/')
    ? textAt(reference, 'apiVersion').split('/')
    : ['', textAt(reference, 'apiVersion')]
  return `${group}/${version}, Kind=${textAt(reference, 'kind')}`
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

async function stored(
  plural: string,
  name: ObjectName,
  { types, storage }: Machinery,
): Promise<Checked<ApiObject>> {
  const identity = types.resource('', 'v1', plural)?.storage
  if (identity === undefined) return fail(notFound({ group: '', resource: plural }, name.name))
  const found = await storage.resource(identity).get(name, { type: 'mostRecent' })
  if (!found.ok) return fail(readApiFailure(found.failure))
  return found.value === undefined
    ? fail(notFound({ group: '', resource: plural }, name.name))
    : ok(parseObject(found.value))
}

function refOf({ metadata }: ApiObject): ObjectRef {
  return { name: metadata.name ?? '', uid: metadata.uid ?? '' }
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
