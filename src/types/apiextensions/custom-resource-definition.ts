/** Definitions begin with the version that is stored, and with nothing accepted yet. */

import { objectAt, objectsAt, textAt } from '../draft.ts'
import type { ModuleFactory } from '../module.ts'
import { allMetadataParts } from '../resource.ts'

export const customResourceDefinition: ModuleFactory = () => ({
  strategy: {
    finalizersWithoutDomain: true,
    keptByStatus: allMetadataParts,
    prepareForCreate(object) {
      const stored = objectsAt(objectAt(object, 'spec'), 'versions').filter(
        (version) => version['storage'] === true,
      )
      object['status'] = { storedVersions: stored.map((version) => textAt(version, 'name')) }
    },
  },
})
