/**
 * One entry of the audit log, and its text. What all entries of one request share is made into text once.
 *
 * Source: audit.k8s.io/v1 Event.
 */

import type { User } from '../pipeline/user.ts'
import type { Status } from '../status/status.ts'
import type { AuditLevel, AuditStage } from './policy.ts'

/** What a request is about; '' = nothing is known. */
export interface ObjectReference {
  readonly resource: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly apiGroup: string
  readonly apiVersion: string
  readonly resourceVersion: string
  readonly subresource: string
}

/** The same for all entries of a request. */
export interface RequestFacts {
  readonly auditId: string
  /** As the client sent it, with the query. */
  readonly requestUri: string
  readonly verb: string
  /** Undefined = nobody knows. */
  readonly user: User | undefined
  readonly sourceIps: readonly string[]
  readonly userAgent: string
  /** Microseconds since 1970. */
  readonly receivedMicros: number
  /** What entries share, when the first has been written. */
  text?: FactsText
}

/** What is told of the answer beside the object. */
export interface ResponseStatus {
  readonly status?: Status['status']
  readonly message?: string | undefined
  readonly reason?: string | undefined
  readonly details?: Status['details'] | undefined
  readonly code?: number | undefined
}

/** Never changed once it is made: it may wait for long. */
export interface AuditEvent {
  readonly facts: RequestFacts
  readonly level: AuditLevel
  readonly stage: AuditStage
  readonly impersonatedUser: User | undefined
  readonly objectRef: ObjectReference | undefined
  readonly responseStatus: ResponseStatus | undefined
  /** JSON text. */
  readonly requestObject: string | undefined
  /** JSON text. */
  readonly responseObject: string | undefined
  /** Microseconds since 1970. */
  readonly stageMicros: number
  /** Each key once. */
  readonly annotations: readonly Annotation[]
}

export type Annotation = readonly [key: string, value: string]

/** The members of the object, without braces and without apiVersion and kind. */
export function eventMembers(event: AuditEvent): string {
  const { facts, level, stage, impersonatedUser, responseStatus, requestObject, responseObject } = event
  const { before, after, received } = factsText(facts)
  let text = `"level":"${level}","auditID":${JSON.stringify(facts.auditId)},"stage":"${stage}",${before}`
  if (impersonatedUser !== undefined) text += `,"impersonatedUser":${userText(impersonatedUser)}`
  text += after
  if (event.objectRef !== undefined) text += `,"objectRef":${refText(event.objectRef)}`
  if (responseStatus !== undefined) text += `,"responseStatus":${statusText(responseStatus)}`
  if (requestObject !== undefined) text += `,"requestObject":${requestObject}`
  if (responseObject !== undefined) text += `,"responseObject":${responseObject}`
  const reached = event.stageMicros === facts.receivedMicros ? received : microTime(event.stageMicros)
  text += `,"requestReceivedTimestamp":"${received}","stageTimestamp":"${reached}"`
  return event.annotations.length === 0 ? text : `${text},"annotations":${annotationsText(event.annotations)}`
}

interface FactsText {
  readonly before: string
  readonly after: string
  readonly received: string
}

function factsText(facts: RequestFacts): FactsText {
  if (facts.text !== undefined) return facts.text
  const { requestUri, verb, user, sourceIps, userAgent, receivedMicros } = facts
  const ips = sourceIps.length === 0 ? '' : `,"sourceIPs":${JSON.stringify(sourceIps)}`
  const agent = userAgent === '' ? '' : `,"userAgent":${JSON.stringify(userAgent)}`
  const made = {
    before: `"requestURI":${JSON.stringify(requestUri)},"verb":${JSON.stringify(verb)},"user":${userText(user)}`,
    after: ips + agent,
    received: microTime(receivedMicros),
  }
  facts.text = made
  return made
}

/** Users that come again and again have their text already. */
const userTexts = new WeakMap<User, string>()

function userText(user: User | undefined): string {
  if (user === undefined) return '{}'
  const known = userTexts.get(user)
  if (known !== undefined) return known
  const { name, uid, groups, extra } = user
  const text = JSON.stringify({
    ...(name === '' ? {} : { username: name }),
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra.size === 0 ? {} : { extra: inOrder(extra) }),
  })
  userTexts.set(user, text)
  return text
}

function refText({
  resource,
  namespace,
  name,
  uid,
  apiGroup,
  apiVersion,
  resourceVersion,
  subresource,
}: ObjectReference): string {
  let text = `{"resource":${JSON.stringify(resource)}`
  if (namespace !== '') text += `,"namespace":${JSON.stringify(namespace)}`
  if (name !== '') text += `,"name":${JSON.stringify(name)}`
  if (uid !== '') text += `,"uid":${JSON.stringify(uid)}`
  if (apiGroup !== '') text += `,"apiGroup":${JSON.stringify(apiGroup)}`
  if (apiVersion !== '') text += `,"apiVersion":${JSON.stringify(apiVersion)}`
  if (resourceVersion !== '') text += `,"resourceVersion":${JSON.stringify(resourceVersion)}`
  if (subresource !== '') text += `,"subresource":${JSON.stringify(subresource)}`
  return `${text}}`
}

function statusText({ status, message, reason, details, code }: ResponseStatus): string {
  return status === undefined && details === undefined
    ? `{"metadata":{},"code":${code ?? 0}}`
    : JSON.stringify({ metadata: {}, status, message, reason, details, code })
}

/** Names are users' own: the object has no prototype. */
function inOrder(extra: User['extra']): Readonly<Record<string, readonly string[]>> {
  const object: Record<string, readonly string[]> = Object.create(null)
  for (const [key, values] of [...extra].sort(byKey)) object[key] = values
  return object
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

function annotationsText(annotations: readonly Annotation[]): string {
  let text = ''
  for (const [key, value] of annotations.toSorted(byKey))
    text += `${text === '' ? '{' : ','}${JSON.stringify(key)}:${JSON.stringify(value)}`
  return `${text}}`
}

/** Many requests fall into one second: its text is made once. */
let lastSecond = Number.NaN
let lastText = ''

/** `2026-01-31T12:00:00.000000Z`. */
export function microTime(micros: number): string {
  const second = Math.floor(micros / 1e6)
  if (second !== lastSecond) {
    lastSecond = second
    lastText = new Date(second * 1000).toISOString().slice(0, 19)
  }
  return `${lastText}.${String(micros - second * 1e6).padStart(6, '0')}Z`
}
