/** Namespaces: held by a finalizer of the system until they are empty; the `finalize` subresource alone lets go. */

import { draftOf, ensureObject, objectAt } from '../draft.ts'
import type { ModuleFactory } from '../module.ts'
import { validates } from '../validation/validator.ts'
import { checkNamespaceFinalizers } from './others.ts'

export const namespace: ModuleFactory = ({ names }) => ({
  strategy: {
    validate: validates((causes, object) => checkNamespaceFinalizers(causes, object, names.product)),
    prepareForCreate(object) {
      const spec = ensureObject(draftOf(object), 'spec')
      const given = Array.isArray(spec['finalizers']) ? spec['finalizers'] : []
      spec['finalizers'] = [...given.filter((one) => one !== names.product), names.product]
      object['status'] = { phase: 'Active' }
    },
    prepareForUpdate(object, old) {
      const finalizers = objectAt(old, 'spec')?.['finalizers']
      const spec = ensureObject(draftOf(object), 'spec')
      if (finalizers === undefined) delete spec['finalizers']
      else spec['finalizers'] = finalizers
    },
  },
})
