/**
 * Match conditions of webhook configurations are compiled when they are written, so that who writes them hears what is
 * wrong. Beside the strategy of the type, since the expression engine is loaded with the first of them.
 */

import { invalid } from '../../status/failures.ts'
import type { ApiFailure, Cause } from '../../status/status.ts'
import { objectsAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { AdmissionPlugin } from '../admission.ts'
import { jsonOf } from '../dynamic/shown-as.ts'

export const webhookConditionCheck: AdmissionPlugin = {
  name: 'WebhookConditionCheck',
  concerns: [
    'admissionregistration/mutatingwebhookconfigurations',
    'admissionregistration/validatingwebhookconfigurations',
  ],
  validate({ object, oldObject, type }) {
    const known = new Set(expressionsOf(oldObject).map(({ expression }) => expression))
    const changed = expressionsOf(object).filter(({ expression }) => !known.has(expression))
    if (object === undefined || changed.length === 0) return undefined
    return check(changed, type, object)
  },
}

interface Placed {
  readonly field: string
  readonly expression: string
}

function expressionsOf(configuration: ApiObject | undefined): readonly Placed[] {
  if (configuration === undefined) return []
  return objectsAt(jsonOf(configuration), 'webhooks').flatMap((webhook, at) =>
    objectsAt(webhook, 'matchConditions').map((condition, index) => ({
      field: `webhooks[${at}].matchConditions[${index}].expression`,
      expression: textAt(condition, 'expression'),
    })),
  )
}

async function check(
  changed: readonly Placed[],
  type: { readonly group: string; readonly kind: string },
  { metadata }: ApiObject,
): Promise<ApiFailure | undefined> {
  const { checkCondition } = await import('../dynamic/conditions.ts')
  const causes: Cause[] = []
  for (const { field, expression } of changed) checkCondition(expression, field, causes)
  return causes.length === 0 ? undefined : invalid(type, metadata.name ?? '', causes)
}
