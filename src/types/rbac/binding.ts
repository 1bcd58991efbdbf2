/** Role bindings: what is granted cannot be swapped under those who hold it; delete and make a new one. */

import { changedCauses } from '../immutable.ts'
import type { ModuleFactory } from '../module.ts'

export const roleBinding: ModuleFactory = () => ({
  strategy: {
    validateUpdate: (object, old) => changedCauses(object, old, ['roleRef'], 'cannot change roleRef'),
  },
})
