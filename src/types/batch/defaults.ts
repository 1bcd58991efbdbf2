/** What jobs get, but the job templates of cron jobs do not. */

import type { Draft } from '../../schema/defaults.ts'
import { labelLikeTemplate } from '../core/defaults.ts'
import type { DefaultRules } from '../default-rules.ts'
import { ensureObject, objectAt, objectsAt, setDefault } from '../draft.ts'

const int32Max = 2_147_483_647

export const batchDefaults: DefaultRules = () => ({ 'batch/v1.Job': job })

function job(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  if (spec['completions'] === undefined && spec['parallelism'] === undefined) spec['completions'] = 1
  setDefault(spec, 'parallelism', 1)
  setDefault(spec, 'backoffLimit', spec['backoffLimitPerIndex'] === undefined ? 6 : int32Max)
  setDefault(spec, 'completionMode', 'NonIndexed')
  setDefault(spec, 'suspend', false)
  setDefault(spec, 'manualSelector', false)
  const failurePolicy = objectAt(spec, 'podFailurePolicy')
  setDefault(spec, 'podReplacementPolicy', failurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed')
  for (const rule of objectsAt(failurePolicy, 'rules')) {
    for (const condition of objectsAt(rule, 'onPodConditions')) {
      if ((condition['status'] ?? '') === '') condition['status'] = 'True'
    }
  }
  labelLikeTemplate(object, objectAt(spec, 'template', 'metadata', 'labels'))
}
