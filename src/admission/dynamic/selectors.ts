/** Whether a request is of a namespace, and about an object, that a webhook or a policy selects by labels. */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { JsonObject } from '../../json.ts'
import { notFound } from '../../status/failures.ts'
import type { ApiFailure } from '../../status/status.ts'
import { selectorMatches } from '../../types/label-selector.ts'
import type { ApiObject } from '../../types/object.ts'
import type { AdmissionRequest } from '../admission.ts'
import type { Lookup } from '../lookup.ts'

/** A selector as a configuration has it; absent or without requirements = everything. */
export type ObjectSelector = JsonObject | undefined

export function isOfNamespace({ type, subresource }: AdmissionRequest): boolean {
  return type.group === '' && type.plural === 'namespaces' && subresource === ''
}

/** The namespace of a request as reviews name it: one is in itself. */
export function reviewNamespace(request: AdmissionRequest): string {
  const { type, namespace, name, object } = request
  if (type.group !== '' || type.plural !== 'namespaces') return namespace
  return name === '' ? (object?.metadata.name ?? '') : name
}

/** Objects of the cluster are in no namespace, and match. The failure: there is no such namespace. */
export async function namespaceMatches(
  selector: ObjectSelector,
  request: AdmissionRequest,
  namespaces: Lookup,
): Promise<Result<boolean, ApiFailure>> {
  const namespace = reviewNamespace(request)
  if (selector === undefined || selectsAll(selector) || namespace === '') return ok(true)
  // Nobody else knows the newest labels of a namespace that is just being written.
  if (isOfNamespace(request) && request.object !== undefined)
    return ok(selectorMatches(selector, request.object.metadata.labels))
  const found = await namespaces.get({ namespace: '', name: namespace })
  if (!found.ok) return found
  if (found.value === undefined) return fail(notFound({ group: '', resource: 'namespaces' }, namespace))
  return ok(selectorMatches(selector, found.value.metadata.labels))
}

/** One of the two, before and after the change, is enough. */
export function objectMatches(selector: ObjectSelector, { object, oldObject }: AdmissionRequest): boolean {
  if (selector === undefined || selectsAll(selector)) return true
  const matches = (one: ApiObject | undefined): boolean =>
    one !== undefined && selectorMatches(selector, one.metadata.labels)
  return matches(object) || matches(oldObject)
}

function selectsAll(selector: JsonObject): boolean {
  const { matchLabels, matchExpressions } = selector
  const isEmpty = (value: unknown): boolean =>
    value === undefined || value === null || Object.keys(value).length === 0
  return isEmpty(matchLabels) && isEmpty(matchExpressions)
}
