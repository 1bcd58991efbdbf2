/** Disruption budgets: how many pods must stay, or how many may go. */

import { invalidValue } from '../../status/causes.ts'
import type { ModuleFactory } from '../module.ts'
import { budgetCounts, countedBy } from '../status-counts.ts'
import { checkIntOrPercent } from '../validation/checks.ts'
import { checkSelector } from '../validation/labels.ts'
import { has, objectIn, specOf } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'

export const podDisruptionBudget: ModuleFactory = () => ({
  strategy: {
    finalizersWithoutDomain: true,
    validateStatusUpdate: countedBy(budgetCounts),
    validate: validates((causes, object) => {
      const spec = specOf(object)
      if (has(spec, 'minAvailable') && has(spec, 'maxUnavailable'))
        causes.push(invalidValue('spec', spec, 'minAvailable and maxUnavailable cannot be both set'))
      checkIntOrPercent(causes, 'spec', spec, 'minAvailable', true)
      checkIntOrPercent(causes, 'spec', spec, 'maxUnavailable', true)
      checkSelector(causes, 'spec.selector', objectIn(spec, 'selector'))
    }),
  },
})
