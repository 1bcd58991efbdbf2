/** Definitions of custom resources: what they may be stands in the domain of custom resources. */

import { beginDeletion } from '../../crd/definition/deletion.ts'
import { prepareChangedDefinition, prepareNewDefinition } from '../../crd/definition/prepare.ts'
import { createOnDemand } from '../../on-demand.ts'
import type { ModuleFactory } from '../module.ts'
import { allMetadataParts } from '../resource.ts'

/** They read schemas and compile rules; most servers never do. */
const rules = createOnDemand(() => import('../../crd/definition/rules.ts'))

export const customResourceDefinition: ModuleFactory = ({ names }) => ({
  strategy: {
    beginDeletion: (definition, { now }) =>
      beginDeletion(definition, names.expand('customresourcecleanup.apiextensions.{groups}'), now),
    finalizersWithoutDomain: true,
    keptByStatus: allMetadataParts,
    prepareForCreate: prepareNewDefinition,
    prepareForUpdate: prepareChangedDefinition,
    load: () => rules.load(),
    validateCreate: (object) => rules.loaded.newDefinitionCauses(object, names),
    validateUpdate: (object, old) => rules.loaded.changedDefinitionCauses(object, old, names),
    validateStatusUpdate: (object) => rules.loaded.definitionStatusCauses(object),
  },
})
