/** Priority classes: what they are worth is fixed, and the highest values are the system's own. */

import { forbiddenField } from '../../status/causes.ts'
import { changedCauses, forbiddenChanges } from '../immutable.ts'
import type { ModuleFactory } from '../module.ts'
import { jsonOf, numberIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'

const systemPrefix = 'system-'
const valueMax = 1_000_000_000

/** The classes of the system, and their values. */
const systemClasses: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
])

export const priorityClass: ModuleFactory = () => ({
  strategy: {
    // It begins to count, and never goes on: not even a new description is a change of what a class is.
    prepareForCreate(object) {
      object.metadata.generation = 1
    },
    validate: validates((causes, object) => {
      const { name = '' } = object.metadata
      const value = numberIn(jsonOf(object), 'value') ?? 0
      if (systemClasses.get(name) === value) return
      if (name.startsWith(systemPrefix))
        causes.push(
          forbiddenField(
            'metadata.name',
            `priority class names with '${systemPrefix}' prefix are reserved for system use only`,
          ),
        )
      if (value > valueMax)
        causes.push(
          forbiddenField('value', `maximum allowed value of a user defined priority is ${valueMax}`),
        )
    }),
    validateUpdate: (object, old) => [
      ...forbiddenChanges(object, old, ['value'], 'may not be changed in an update.'),
      ...changedCauses(object, old, ['preemptionPolicy']),
    ],
  },
})
