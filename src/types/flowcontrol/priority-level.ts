/**
 * Priority levels in v1beta3, which cannot tell "zero shares" from "not said": an annotation says that zero is meant.
 *
 * Source: specification, "Removed API versions by release".
 */

import { draftOf, ensureObject, objectAt } from '../draft.ts'
import type { ModuleFactory } from '../module.ts'
import { allMetadataParts } from '../resource.ts'
import { specOf } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import { checkFlowSchema, checkPriorityLevel } from './rules.ts'

export const priorityLevelConfiguration: ModuleFactory = ({ names }) => {
  const zeroIsMeant = names.expand('flowcontrol.{groups}/v1beta3-preserve-zero-concurrency-shares')
  return {
    strategy: {
      keptByStatus: allMetadataParts,
      validate: validates((causes, object) =>
        checkPriorityLevel(causes, object.metadata.name ?? '', specOf(object)),
      ),
    },
    conversions: {
      'flowcontrol/v1beta3.PriorityLevelConfiguration': {
        toStorage(object) {
          const annotations = objectAt(draftOf(object), 'metadata', 'annotations')
          const limited = objectAt(object, 'spec', 'limited')
          if (limited !== undefined) limited['nominalConcurrencyShares'] ??= 0
          if (annotations === undefined) return object
          const { [zeroIsMeant]: _said, ...rest } = annotations
          ensureObject(draftOf(object), 'metadata')['annotations'] = rest
          return object
        },
        fromStorage(object) {
          if (objectAt(object, 'spec', 'limited')?.['nominalConcurrencyShares'] !== 0) return object
          const metadata = ensureObject(draftOf(object), 'metadata')
          metadata['annotations'] = { ...objectAt(metadata, 'annotations'), [zeroIsMeant]: '' }
          return object
        },
      },
    },
  }
}

export const flowSchema: ModuleFactory = () => ({
  strategy: {
    keptByStatus: allMetadataParts,
    validate: validates((causes, object) =>
      checkFlowSchema(causes, object.metadata.name ?? '', specOf(object)),
    ),
  },
})
