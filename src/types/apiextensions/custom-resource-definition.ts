/** Definitions begin with the version that is stored, and with nothing accepted yet. */

import { beginDeletion } from '../../crd/definition/deletion.ts'
import { objectAt, objectsAt, textAt } from '../draft.ts'
import type { ModuleFactory } from '../module.ts'
import { allMetadataParts } from '../resource.ts'

export const customResourceDefinition: ModuleFactory = ({ names }) => ({
  strategy: {
    beginDeletion: (definition, { now }) =>
      beginDeletion(definition, names.expand('customresourcecleanup.apiextensions.{groups}'), now),
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
