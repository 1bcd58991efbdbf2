/** Deployments, replica sets, stateful sets and daemon sets: replicas behind a selector that cannot change. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField } from '../../status/causes.ts'
import { draftOf, ensureObject, objectAt } from '../draft.ts'
import { semanticallyEqual } from '../equality.ts'
import { immutable, isChanged } from '../immutable.ts'
import type { ModuleFactory } from '../module.ts'
import type { ApiObject } from '../object.ts'
import { labelSelectorText, scaleOf } from '../scale.ts'

export const replicated: ModuleFactory = () => ({
  strategy: { validateUpdate: immutable('spec.selector') },
  scale: scaleOf(labelSelectorText),
})

const statefulSetDetail =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"

export const statefulSet: ModuleFactory = () => ({
  strategy: {
    validateUpdate: (object, old) =>
      semanticallyEqual(fixedSpec(object), fixedSpec(old)) ? [] : [forbiddenField('spec', statefulSetDetail)],
  },
  scale: scaleOf(labelSelectorText),
})

function fixedSpec(object: ApiObject): JsonObject {
  const {
    replicas: _replicas,
    ordinals: _ordinals,
    template: _template,
    updateStrategy: _strategy,
    persistentVolumeClaimRetentionPolicy: _retention,
    minReadySeconds: _ready,
    ...fixed
  } = objectAt(object, 'spec') ?? {}
  return fixed
}

/** Counts the templates that a daemon set has had; once a field, kept as an annotation for old clients. */
const templateGeneration = 'deprecated.daemonset.template.generation'

export const daemonSet: ModuleFactory = () => ({
  strategy: {
    prepareForCreate: (object) => setTemplateGeneration(object, 1),
    prepareForUpdate(object, old) {
      const before = Number(old.metadata.annotations?.[templateGeneration] ?? 0)
      setTemplateGeneration(object, isChanged(object, old, 'spec.template') ? before + 1 : before)
    },
    validateUpdate: immutable('spec.selector'),
  },
})

function setTemplateGeneration(object: ApiObject, generation: number): void {
  ensureObject(draftOf(object), 'metadata', 'annotations')[templateGeneration] = String(generation)
}

export const controllerRevision: ModuleFactory = () => ({ strategy: { validateUpdate: immutable('data') } })
