/** Leases: who holds something, and for how long. */

import type { ModuleFactory } from '../module.ts'
import { checkNotNegative, checkPositive } from '../validation/checks.ts'
import { specOf } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'

export const lease: ModuleFactory = () => ({
  strategy: {
    finalizersWithoutDomain: true,
    validate: validates((causes, object) => {
      const spec = specOf(object)
      checkPositive(causes, 'spec', spec, 'leaseDurationSeconds')
      checkNotNegative(causes, 'spec', spec, 'leaseTransitions')
    }),
  },
})
