/** Definitions of custom resources: what they may be stands in the domain of custom resources. */

import { beginDeletion } from '../../crd/definition/deletion.ts'
import { prepareChangedDefinition, prepareNewDefinition } from '../../crd/definition/prepare.ts'
import {
  changedDefinitionCauses,
  definitionStatusCauses,
  newDefinitionCauses,
} from '../../crd/definition/rules.ts'
import type { ModuleFactory } from '../module.ts'
import { allMetadataParts } from '../resource.ts'

export const customResourceDefinition: ModuleFactory = ({ names }) => ({
  strategy: {
    beginDeletion: (definition, { now }) =>
      beginDeletion(definition, names.expand('customresourcecleanup.apiextensions.{groups}'), now),
    finalizersWithoutDomain: true,
    keptByStatus: allMetadataParts,
    prepareForCreate: prepareNewDefinition,
    prepareForUpdate: prepareChangedDefinition,
    validateCreate: (object) => newDefinitionCauses(object, names),
    validateUpdate: (object, old) => changedDefinitionCauses(object, old, names),
    validateStatusUpdate: (object) => definitionStatusCauses(object),
  },
})
