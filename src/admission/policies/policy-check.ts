/**
 * Expressions of policies are compiled when they are written, so that who writes them hears what is wrong. Beside the strategy
 * of the type, since the expression engine is loaded with the first of them.
 */

import { sameJson } from '../../same-json.ts'
import { invalid } from '../../status/failures.ts'
import type { ApiFailure, Cause } from '../../status/status.ts'
import type { ApiObject } from '../../types/object.ts'
import type { AdmissionPlugin } from '../admission.ts'

export const policyExpressionCheck: AdmissionPlugin = {
  name: 'PolicyExpressionCheck',
  concerns: ['admissionregistration/validatingadmissionpolicies'],
  validate({ object, oldObject, type }) {
    if (object === undefined || (oldObject !== undefined && sameJson(object['spec'], oldObject['spec'])))
      return undefined
    return check(object, type)
  },
}

async function check(
  object: ApiObject,
  type: { readonly group: string; readonly kind: string },
): Promise<ApiFailure | undefined> {
  const { compilePolicy } = await import('./policy.ts')
  const causes: Cause[] = []
  compilePolicy(object, causes)
  return causes.length === 0 ? undefined : invalid(type, object.metadata.name ?? '', causes)
}
