/** Cron jobs. Their jobs are called like them, with the time behind the name. */

import { invalidValue } from '../../status/causes.ts'
import { createPodRules } from '../core/pod-rules.ts'
import { templateWarnings } from '../core/pod-warnings.ts'
import type { ModuleFactory } from '../module.ts'
import { specOf } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import { checkCronJobSpec } from './rules.ts'

/** 63, less the eleven characters that a time takes. */
const nameLengthMax = 52

export const cronJob: ModuleFactory = ({ names }) => {
  const rules = createPodRules(names.labelDomain)
  return {
    strategy: {
      warnings: templateWarnings(names.labelDomain, ['spec', 'jobTemplate', 'spec', 'template'], true),
      validate: validates((causes, object) => {
        const { name = '' } = object.metadata
        if (name.length > nameLengthMax)
          causes.push(invalidValue('metadata.name', name, `must be no more than ${nameLengthMax} characters`))
        checkCronJobSpec(causes, 'spec', specOf(object), rules)
      }),
    },
  }
}
