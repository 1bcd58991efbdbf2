/**
 * What the tokens of service accounts say. Two kinds: bound ones, made on request, and those of old, kept in secrets.
 *
 * Source: RFC 7519, section 4.1; private claims as clients of this API know them.
 */

import { fail, ok, type Result } from '../../../store/contract.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import { splitServiceAccountName } from '../service-account-name.ts'

export interface ObjectRef {
  readonly name: string
  readonly uid: string
}

/** Seconds since 1970; absent claims are undefined. */
export interface TokenTimes {
  readonly issuedAt: number | undefined
  readonly notBefore: number | undefined
  readonly expires: number | undefined
}

export interface BoundClaims {
  readonly type: 'bound'
  readonly issuer: string
  readonly audiences: readonly string[]
  readonly times: TokenTimes
  /** '' = it has none. */
  readonly id: string
  readonly namespace: string
  readonly account: ObjectRef
  readonly pod?: ObjectRef
  readonly secret?: ObjectRef
  readonly node?: ObjectRef
  /** From then on its use is worth a word: it lives on only for clients that do not read it anew. */
  readonly warnAfter?: number
}

export interface LegacyClaims {
  readonly type: 'legacy'
  readonly issuer: string
  /** None. */
  readonly audiences: readonly string[]
  readonly times: TokenTimes
  readonly namespace: string
  readonly account: ObjectRef
  readonly secretName: string
}

export type Claims = BoundClaims | LegacyClaims

/** `iss` of the tokens in secrets. */
export function legacyIssuer(names: Names): string {
  return names.expand('{product}/serviceaccount')
}

/** The payload of a bound token. */
export function boundPayload(claims: BoundClaims, names: Names): JsonObject {
  const { issuer, audiences, times, id, namespace, account, pod, secret, node, warnAfter } = claims
  return {
    aud: [...audiences],
    ...(times.expires === undefined ? {} : { exp: times.expires }),
    ...(times.issuedAt === undefined ? {} : { iat: times.issuedAt }),
    iss: issuer,
    ...(id === '' ? {} : { jti: id }),
    [names.labelDomain]: {
      namespace,
      ...(node === undefined ? {} : { node: refJson(node) }),
      ...(pod === undefined ? {} : { pod: refJson(pod) }),
      ...(secret === undefined ? {} : { secret: refJson(secret) }),
      serviceaccount: refJson(account),
      ...(warnAfter === undefined ? {} : { warnafter: warnAfter }),
    },
    ...(times.notBefore === undefined ? {} : { nbf: times.notBefore }),
    sub: subjectOf(namespace, account.name),
  }
}

/** A node that is not registered has a name only. */
function refJson({ name, uid }: ObjectRef): JsonObject {
  return uid === '' ? { name } : { name, uid }
}

export function legacyPayload(
  { namespace, account, secretName }: Omit<LegacyClaims, 'type' | 'issuer' | 'audiences' | 'times'>,
  names: Names,
): JsonObject {
  const claim = (name: string): string => names.expand(`{labels}/serviceaccount/${name}`)
  return {
    iss: legacyIssuer(names),
    [claim('namespace')]: namespace,
    [claim('secret.name')]: secretName,
    [claim('service-account.name')]: account.name,
    [claim('service-account.uid')]: account.uid,
    sub: subjectOf(namespace, account.name),
  }
}

function subjectOf(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`
}

/** Reads a payload whose signature has been verified. The failure names what is wrong, and shows none of it. */
export function readClaims(payload: JsonObject, names: Names): Result<Claims, string> {
  const issuer = textOf(payload['iss'])
  const times = readTimes(payload)
  if (!times.ok) return times
  const audiences = audiencesOf(payload['aud'])
  if (audiences === undefined) return fail('the claim aud is neither a text nor a list of texts')
  return issuer === legacyIssuer(names)
    ? readLegacy(payload, { issuer, audiences, times: times.value }, names)
    : readBound(payload, { issuer, audiences, times: times.value }, names)
}

type Common = Pick<Claims, 'issuer' | 'audiences' | 'times'>

function readBound(payload: JsonObject, common: Common, names: Names): Result<BoundClaims, string> {
  const own = payload[names.labelDomain]
  if (!isJsonObject(own)) return fail(`the claim ${names.labelDomain} is missing`)
  const namespace = textOf(own['namespace'])
  const account = refOf(own['serviceaccount'])
  const [pod, secret, node] = [own['pod'], own['secret'], own['node']].map(refOf)
  const { warnafter } = own
  if (account === undefined) return fail('the service account claim is missing')
  if (!isSubject(payload, namespace, account.name)) return fail('sub claim is invalid')
  return ok({
    type: 'bound',
    ...common,
    id: textOf(payload['jti']),
    namespace,
    account,
    ...(pod === undefined ? {} : { pod }),
    ...(secret === undefined ? {} : { secret }),
    ...(node === undefined ? {} : { node }),
    ...(typeof warnafter === 'number' && warnafter !== 0 ? { warnAfter: warnafter } : {}),
  })
}

function readLegacy(payload: JsonObject, common: Common, names: Names): Result<LegacyClaims, string> {
  const claim = (name: string): string => textOf(payload[names.expand(`{labels}/serviceaccount/${name}`)])
  const namespace = claim('namespace')
  const secretName = claim('secret.name')
  const account = { name: claim('service-account.name'), uid: claim('service-account.uid') }
  if (textOf(payload['sub']) === '') return fail('sub claim is missing')
  if (namespace === '') return fail('namespace claim is missing')
  if (secretName === '') return fail('secretName claim is missing')
  if (account.name === '') return fail('serviceAccountName claim is missing')
  if (account.uid === '') return fail('serviceAccountUID claim is missing')
  if (!isSubject(payload, namespace, account.name)) return fail('sub claim is invalid')
  return ok({ type: 'legacy', ...common, namespace, account, secretName })
}

function isSubject(payload: JsonObject, namespace: string, name: string): boolean {
  const subject = splitServiceAccountName(textOf(payload['sub']))
  return subject !== undefined && subject.namespace === namespace && subject.name === name
}

function readTimes(payload: JsonObject): Result<TokenTimes, string> {
  for (const name of ['iat', 'nbf', 'exp']) {
    const value = payload[name]
    if (value !== undefined && (typeof value !== 'number' || !Number.isFinite(value)))
      return fail(`the claim ${name} is no number`)
  }
  const time = (value: JsonValue | undefined) => (typeof value === 'number' ? value : undefined)
  const { iat, nbf, exp } = payload
  return ok({ issuedAt: time(iat), notBefore: time(nbf), expires: time(exp) })
}

/** RFC 7519, section 4.1.3: one text, or a list. */
function audiencesOf(value: JsonValue | undefined): readonly string[] | undefined {
  if (value === undefined) return []
  const list = Array.isArray(value) ? value : [value]
  const texts = list.filter((one): one is string => typeof one === 'string')
  return texts.length === list.length ? texts : undefined
}

function refOf(value: JsonValue | undefined): ObjectRef | undefined {
  if (!isJsonObject(value)) return undefined
  return { name: textOf(value['name']), uid: textOf(value['uid']) }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
