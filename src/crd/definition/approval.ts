/**
 * Groups below the domains of the maker of this API are its community's: a definition in one says in an annotation where
 * it was approved, or that it was not.
 *
 * Source: Kubernetes enhancement 1111, "API review policy for community groups".
 */

import type { Names } from '../../names/names.ts'
import { invalidValue, required } from '../../status/causes.ts'
import { quote } from '../../status/quote.ts'
import type { Cause } from '../../status/status.ts'
import type { ApiObject } from '../../types/object.ts'
import { specOf, textIn } from '../../types/validation/read.ts'
import type { Condition } from './set-condition.ts'

type Approval = 'approved' | 'bypassed' | 'invalid' | 'missing'

interface ApprovalFinding {
  readonly approval: Approval
  /** In words. */
  readonly message: string
}

const annotationOf = ({ expand }: Names): string => expand('api-approved.{labels}')

function isProtectedGroup(group: string, { groupDomain, labelDomain }: Names): boolean {
  return [groupDomain, labelDomain].some((domain) => group === domain || group.endsWith(`.${domain}`))
}

function approvalOf({ metadata }: ApiObject, names: Names): ApprovalFinding {
  const annotation = annotationOf(names)
  const text = metadata.annotations?.[annotation] ?? ''
  const must = `protected groups must have approval annotation ${quote(annotation)}`
  const see = names.approvalPolicyUrl === '' ? '' : `, see ${names.approvalPolicyUrl}`
  if (text === '') return { approval: 'missing', message: `${must}${see}` }
  if (text.startsWith('unapproved')) return { approval: 'bypassed', message: `not approved: ${quote(text)}` }
  if (isAddress(text)) return { approval: 'approved', message: `approved in ${text}` }
  const either = `${must} with either a URL or a reason starting with "unapproved"`
  return { approval: 'invalid', message: `${either}${see}` }
}

function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?\s]+[^\s]*$/i.test(text)
}

/** What a definition of a protected group lacks. A change that leaves the state as it was is not asked. */
export function approvalCauses(
  object: ApiObject,
  old: ApiObject | undefined,
  names: Names,
): readonly Cause[] {
  if (!isProtectedGroup(textIn(specOf(object), 'group'), names)) return []
  const { approval, message } = approvalOf(object, names)
  if (old !== undefined && approvalOf(old, names).approval === approval) return []
  const annotation = annotationOf(names)
  const field = `metadata.annotations[${annotation}]`
  switch (approval) {
    case 'missing':
      return [required(field, message)]
    case 'invalid':
      return [invalidValue(field, object.metadata.annotations?.[annotation], message)]
    case 'approved':
    case 'bypassed':
      return []
  }
}

const reasons = {
  approved: 'ApprovedAnnotation',
  bypassed: 'UnapprovedAnnotation',
  invalid: 'InvalidAnnotation',
  missing: 'MissingAnnotation',
} as const

/** Undefined = the group is nobody's. */
export function approvalCondition(definition: ApiObject, names: Names): Condition | undefined {
  if (!isProtectedGroup(textIn(specOf(definition), 'group'), names)) return undefined
  const { approval, message } = approvalOf(definition, names)
  return {
    type: names.approvalCondition,
    status: approval === 'approved' ? 'True' : 'False',
    reason: reasons[approval],
    message,
  }
}
