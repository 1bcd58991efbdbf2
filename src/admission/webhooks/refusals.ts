/** What clients are told when a webhook refuses, or cannot be asked. In the words that users of this API know. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { badRequest, forbidden } from '../../status/failures.ts'
import type { ApiFailure, Cause, FailureDetails } from '../../status/status.ts'
import type { AdmissionRequest } from '../admission.ts'
import type { Hook } from './hook.ts'

/** 500: it was not asked, or gave an answer that cannot be used. */
export function callFailure({ name }: Hook, why: string): ApiFailure {
  return internal(`failed calling webhook ${JSON.stringify(name)}: ${why}`)
}

/** 500, with its cause among the details. */
export function internal(why: string): ApiFailure {
  return {
    reason: 'InternalError',
    message: `Internal error occurred: ${why}`,
    details: { causes: [{ reason: '', message: why }] },
  }
}

/** 403: its conditions cannot be evaluated. */
export function conditionFailure({ type, name }: AdmissionRequest, why: string): ApiFailure {
  return forbidden({ group: type.group, resource: type.plural }, name, why)
}

export function dryRunFailure({ name }: Hook): ApiFailure {
  return badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`)
}

const lowestCode = 400
const highestCode = 599

/** What it says about its refusal goes to the client as it is; a code that is no refusal's becomes 400. */
export function refusedBy({ name }: Hook, status: JsonObject = {}): ApiFailure {
  const { code, details } = status
  const [message, reason] = [textIn(status, 'message'), textIn(status, 'reason')]
  const deniedBy = `admission webhook ${JSON.stringify(name)} denied the request`
  const why = message === '' ? reason : message
  const isRefusal = typeof code === 'number' && code >= lowestCode && code <= highestCode
  return {
    reason: 'Forbidden',
    saidReason: reason,
    message: why === '' ? `${deniedBy} without explanation` : `${deniedBy}: ${why}`,
    code: isRefusal ? code : lowestCode,
    ...(isJsonObject(details) ? { details: detailsOf(details) } : {}),
  }
}

function detailsOf(details: JsonObject): FailureDetails {
  const { causes, retryAfterSeconds } = details
  const texts: { name?: string; group?: string; kind?: string; uid?: string } = {}
  for (const field of ['name', 'group', 'kind', 'uid'] as const) {
    const value = textIn(details, field)
    if (value !== '') texts[field] = value
  }
  return {
    ...texts,
    ...(Array.isArray(causes) ? { causes: causes.filter(isJsonObject).map(causeOf) } : {}),
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
  }
}

function causeOf(cause: JsonObject): Cause {
  const field = textIn(cause, 'field')
  return {
    reason: textIn(cause, 'reason'),
    message: textIn(cause, 'message'),
    ...(field === '' ? {} : { field }),
  }
}

function textIn(object: JsonObject, name: string): string {
  const value: JsonValue | undefined = object[name]
  return typeof value === 'string' ? value : ''
}
