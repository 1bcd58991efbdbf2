/** Deployments, replica sets, stateful sets and daemon sets: replicas behind a selector that cannot change. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, required } from '../../status/causes.ts'
import { createPodRules, type PodRules } from '../core/pod-rules.ts'
import { templateWarnings } from '../core/pod-warnings.ts'
import { draftOf, ensureObject, objectAt } from '../draft.ts'
import { semanticallyEqual } from '../equality.ts'
import { immutable, isChanged } from '../immutable.ts'
import type { ModuleFactory, ModuleOptions, StrategyRules } from '../module.ts'
import type { ApiObject } from '../object.ts'
import { labelMapText, labelSelectorText, scaleOf } from '../scale.ts'
import { countedBy, daemonCounts, deploymentCounts, replicaCounts, statefulCounts } from '../status-counts.ts'
import type { Causes } from '../validation/checks.ts'
import { checkNotNegative } from '../validation/checks.ts'
import { has, jsonOf, specOf } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import {
  checkDaemonSetSpec,
  checkDeploymentSpec,
  checkReplicaSetSpec,
  checkReplicationControllerSpec,
  checkStatefulSetSpec,
} from './rules.ts'

type SpecCheck = (causes: Causes, path: string, spec: JsonObject, rules: PodRules) => void

function validateBy(
  check: SpecCheck,
  { names }: ModuleOptions,
): Pick<StrategyRules, 'validate' | 'warnings'> {
  const rules = createPodRules(names.labelDomain)
  const isNamedAfter = check !== checkDaemonSetSpec
  return {
    validate: validates((causes, object) => check(causes, 'spec', specOf(object), rules)),
    warnings: templateWarnings(names.labelDomain, ['spec', 'template'], isNamedAfter),
  }
}

function replicatedBy(resource: string, check: SpecCheck, more: StrategyRules): ModuleFactory {
  return (options) => ({
    strategy: { ...validateBy(check, options), validateUpdate: immutable('spec.selector'), ...more },
    scale: scaleOf(labelSelectorText, { group: 'apps', resource: `${resource}/scale` }),
  })
}

export const deployment = replicatedBy('deployments', checkDeploymentSpec, {
  keptByStatus: ['labels'],
  generationOfAnnotations: true,
  validateStatusUpdate: countedBy(deploymentCounts),
})
export const replicaSet = replicatedBy('replicasets', checkReplicaSetSpec, {
  validateStatusUpdate: countedBy(replicaCounts),
})

export const replicationController: ModuleFactory = (options) => ({
  strategy: {
    ...validateBy(checkReplicationControllerSpec, options),
    validateStatusUpdate: countedBy(replicaCounts),
  },
  scale: scaleOf(labelMapText, { group: 'autoscaling', resource: 'replicationcontrollers/scale' }),
})

const statefulSetDetail =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"

export const statefulSet: ModuleFactory = (options) => ({
  strategy: {
    ...validateBy(checkStatefulSetSpec, options),
    validateStatusUpdate: countedBy(statefulCounts),
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

export const daemonSet: ModuleFactory = (options) => ({
  strategy: {
    ...validateBy(checkDaemonSetSpec, options),
    prepareForCreate: (object) => setTemplateGeneration(object, 1),
    prepareForUpdate(object, old) {
      const before = templateGenerationOf(old)
      setTemplateGeneration(object, isChanged(object, old, 'spec.template') ? before + 1 : before)
    },
    prepareForStatus: (object, old) => setTemplateGeneration(object, templateGenerationOf(old)),
    validateUpdate: immutable('spec.selector'),
    validateStatusUpdate: countedBy(daemonCounts),
  },
})

function templateGenerationOf({ metadata: { annotations } }: ApiObject): number {
  return Number(annotations?.[templateGeneration] ?? 0)
}

function setTemplateGeneration(object: ApiObject, generation: number): void {
  ensureObject(draftOf(object), 'metadata', 'annotations')[templateGeneration] = String(generation)
}

export const controllerRevision: ModuleFactory = () => ({
  strategy: {
    validate: validates((causes, object) => {
      const json = jsonOf(object)
      if (!has(json, 'data')) causes.push(required('data', 'data is mandatory'))
      checkNotNegative(causes, '', json, 'revision')
    }),
    validateUpdate: immutable('data'),
  },
})
