/** Runtime classes: what runs the containers of a pod. */

import { checkAmounts } from '../core/resource-rules.ts'
import { checkTolerations } from '../core/scheduling-rules.ts'
import { immutable } from '../immutable.ts'
import type { ModuleFactory } from '../module.ts'
import { checkName } from '../validation/checks.ts'
import { checkLabels } from '../validation/labels.ts'
import { labelNameProblems } from '../validation/names.ts'
import { createResourceNames } from '../validation/quantities.ts'
import { jsonOf, objectIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'

export const runtimeClass: ModuleFactory = ({ names }) => {
  const resources = createResourceNames(names.labelDomain)
  return {
    strategy: {
      validate: validates((causes, object) => {
        const json = jsonOf(object)
        checkName(causes, '', json, 'handler', labelNameProblems)
        checkAmounts(causes, 'overhead.podFixed', objectIn(json, 'overhead'), 'podFixed', resources)
        const scheduling = objectIn(json, 'scheduling')
        checkLabels(causes, 'scheduling', scheduling, 'nodeSelector')
        // Causes call the list so.
        checkTolerations(causes, 'scheduling.tolerations', scheduling)
      }),
      validateUpdate: immutable('handler'),
    },
  }
}
