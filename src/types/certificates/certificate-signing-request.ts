/** Certificate signing requests: they speak for whoever made them, and ask one thing only. */

import { draftOf, ensureObject } from '../draft.ts'
import type { ModuleFactory } from '../module.ts'
import type { Causes } from '../validation/checks.ts'
import { validates } from '../validation/validator.ts'
import {
  checkDecisionsKept,
  checkNewSigningRequest,
  checkNothingDecided,
  checkSigningRequest,
  stampConditions,
} from './rules.ts'

const identity = ['username', 'uid', 'groups', 'extra']

export const certificateSigningRequest: ModuleFactory = ({ names }) => ({
  strategy: {
    addsOnCreate: true,
    prepareForCreate(object, { user }) {
      const spec = ensureObject(draftOf(object), 'spec')
      for (const name of identity) delete spec[name]
      if (user === undefined) return
      spec['username'] = user.name
      spec['uid'] = user.uid
      spec['groups'] = [...user.groups]
      spec['extra'] = Object.fromEntries(user.extra)
    },
    /** The spec stays as it was made, whatever is sent. */
    prepareForUpdate(object, old) {
      const before = old['spec']
      if (before !== undefined) object['spec'] = before
    },
    prepareForStatus: (object, old, { now }) => stampConditions(object, old, now),
    validate: validates(checkSigningRequest),
    validateCreate: validates((causes, object) => checkNewSigningRequest(causes, object, names)),
    validateUpdate(object, old) {
      const causes: Causes = []
      checkDecisionsKept(causes, object, old)
      return causes
    },
    validateStatusUpdate(object, old) {
      const causes: Causes = []
      checkDecisionsKept(causes, object, old)
      checkNothingDecided(causes, object, old)
      return causes
    },
  },
})
