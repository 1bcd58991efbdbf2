/** The SubjectAccessReview that a webhook is sent, and what it may answer. Source: specification, "Authorization" 7. */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { JsonObject } from '../../json.ts'
import type { Attributes, Decision } from '../authorizer.ts'

/** As version v1 has it, with everything that is empty: for expressions. */
export function fullSpec({ user, request }: Attributes): JsonObject {
  const subject = {
    user: user.name,
    groups: user.groups,
    uid: user.uid,
    extra: Object.fromEntries(user.extra),
  }
  if (request.type === 'nonResource') {
    const { path, verb } = request
    return { ...subject, nonResourceAttributes: { path, verb } }
  }
  const { namespace, verb, group, version, resource, subresource, name } = request
  return {
    ...subject,
    resourceAttributes: { namespace, verb, group, version, resource, subresource, name },
  }
}

/** As it is sent: without what is empty; version v1beta1 calls the groups `group`. */
export function sentSpec(full: JsonObject, version: 'v1' | 'v1beta1'): JsonObject {
  return Object.fromEntries(
    Object.entries(full).flatMap(([field, value]) => {
      const name = field === 'groups' && version === 'v1beta1' ? 'group' : field
      const kept = field.endsWith('Attributes') ? withoutEmpty(value) : value
      return isEmpty(kept) ? [] : [[name, kept]]
    }),
  )
}

function withoutEmpty(value: JsonObject[string]): JsonObject {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([, text]) => text !== ''))
}

function isEmpty(value: JsonObject[string]): boolean {
  if (value === '') return true
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** Fails with a sentence when the status is not of the form that it must have. */
export function decisionOf(status: JsonObject): Result<Decision, string> {
  const { allowed = false, denied = false, reason = '' } = status
  if (typeof allowed !== 'boolean') return fail('status.allowed is no boolean')
  if (typeof denied !== 'boolean') return fail('status.denied is no boolean')
  if (typeof reason !== 'string') return fail('status.reason is no text')
  // Who says both has a fault: the safe half counts.
  return ok({ decision: denied ? 'deny' : allowed ? 'allow' : 'noOpinion', reason })
}
