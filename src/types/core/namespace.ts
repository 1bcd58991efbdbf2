/** Namespaces: held by a finalizer of the system until they are empty; the `finalize` subresource alone lets go. */

import { invalidValue } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import { draftOf, ensureObject, objectAt, textAt } from '../draft.ts'
import type { ModuleFactory } from '../module.ts'
import type { ApiObject } from '../object.ts'
import { validates } from '../validation/validator.ts'
import { checkNamespaceFinalizers } from './others.ts'

export const namespace: ModuleFactory = ({ names }) => ({
  strategy: {
    validate: validates((causes, object) => checkNamespaceFinalizers(causes, object, names.product)),
    addsOnCreate: true,
    prepareForCreate(object) {
      const spec = ensureObject(draftOf(object), 'spec')
      const given = Array.isArray(spec['finalizers']) ? spec['finalizers'] : []
      spec['finalizers'] = given.includes(names.product) ? given : [...given, names.product]
      object['status'] = { phase: 'Active' }
    },
    validateStatusUpdate: phaseCauses,
    prepareForUpdate(object, old) {
      const finalizers = objectAt(old, 'spec')?.['finalizers']
      const spec = ensureObject(draftOf(object), 'spec')
      if (finalizers === undefined) delete spec['finalizers']
      else spec['finalizers'] = finalizers
    },
  },
})

/** The phase follows from the deletion, and from nothing else. */
function phaseCauses(object: ApiObject): readonly Cause[] {
  const isDeleted = (object.metadata.deletionTimestamp ?? '') !== ''
  const phase = textAt(objectAt(object, 'status'), 'phase')
  if (phase === (isDeleted ? 'Terminating' : 'Active')) return []
  const detail = isDeleted
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty"
  return [invalidValue('status.Phase', phase, detail)]
}
