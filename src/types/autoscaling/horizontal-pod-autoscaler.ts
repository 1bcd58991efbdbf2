/**
 * Autoscalers are stored as v2. v1 knows a CPU target only; what else a v2 object says travels in annotations of the
 * v1 form, so that a client of v1 can read and write the object without losing anything.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { type Draft, isEmpty } from '../../schema/defaults.ts'
import { draftOf, ensureObject, objectAt, objectsAt, textAt } from '../draft.ts'
import type { ModuleFactory } from '../module.ts'
import type { ApiObject } from '../object.ts'
import { autoscalerCounts, countedBy } from '../status-counts.ts'
import { specOf } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import { type AnnotationNames, annotationNames } from './annotations.ts'
import {
  currentFromV1,
  currentToV1,
  lowerCaseKeys,
  metricFromV1,
  metricToV1,
  upperCaseKeys,
} from './metrics.ts'
import { checkAutoscalerSpec } from './rules.ts'

export const horizontalPodAutoscaler: ModuleFactory = ({ names, isGateOpen }) => {
  const minReplicasMin = isGateOpen('HPAScaleToZero') ? 0 : 1
  const annotations = annotationNames(names)
  return {
    strategy: {
      validate: validates((causes, object) =>
        checkAutoscalerSpec(causes, 'spec', specOf(object), minReplicasMin),
      ),
      validateStatusUpdate: countedBy(autoscalerCounts),
    },
    conversions: {
      'autoscaling/v1.HorizontalPodAutoscaler': {
        toStorage: (object) => fromV1(object, annotations),
        fromStorage: (object) => toV1(object, annotations),
      },
    },
  }
}

/** What an annotation carries; undefined when it is absent or not JSON. */
function carried(object: ApiObject, annotation: string): JsonValue | undefined {
  const text = object.metadata.annotations?.[annotation]
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return value as JsonValue
  } catch {
    return undefined
  }
}

function carriedList(object: ApiObject, annotation: string): readonly JsonObject[] {
  const value = carried(object, annotation)
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

function withoutAnnotations(object: ApiObject, names: AnnotationNames): Draft {
  const own = new Set<string>(Object.values(names))
  const kept = Object.entries(object.metadata.annotations ?? {}).filter(([name]) => !own.has(name))
  return Object.fromEntries(kept)
}

function cpuMetric(averageUtilization: JsonValue): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } }
}

/** v1 → v2. The CPU target follows the carried metrics. */
function fromV1(object: ApiObject, names: AnnotationNames): ApiObject {
  const spec = ensureObject(draftOf(object), 'spec')
  const status = ensureObject(draftOf(object), 'status')
  const metrics = carriedList(object, names.metrics).map(metricFromV1)
  const cpu = spec['targetCPUUtilizationPercentage']
  if (cpu !== undefined && cpu !== null) metrics.push(cpuMetric(cpu))
  delete spec['targetCPUUtilizationPercentage']
  if (metrics.length > 0) spec['metrics'] = metrics
  const behavior = carried(object, names.behavior)
  if (isJsonObject(behavior)) spec['behavior'] = lowerCaseKeys(behavior)
  const current = carriedList(object, names.currentMetrics).map(currentFromV1)
  const used = status['currentCPUUtilizationPercentage']
  if (current.length === 0 && used !== undefined && used !== null) {
    // v1 does not know the value behind the percentage.
    current.push({ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: used } } })
  }
  delete status['currentCPUUtilizationPercentage']
  if (current.length > 0) status['currentMetrics'] = current
  const conditions = carriedList(object, names.conditions)
  if (conditions.length > 0) status['conditions'] = conditions
  setAnnotations(object, withoutAnnotations(object, names))
  return object
}

/** v2 → v1. */
function toV1(object: ApiObject, names: AnnotationNames): ApiObject {
  const { metrics: _metrics, behavior, ...spec } = objectAt(object, 'spec') ?? {}
  const { currentMetrics: _current, conditions: _conditions, ...status } = objectAt(object, 'status') ?? {}
  const annotations = withoutAnnotations(object, names)
  const metrics = objectsAt(objectAt(object, 'spec'), 'metrics')
  const cpu = metrics.find((metric) => cpuTarget(metric) !== undefined)
  if (cpu !== undefined) spec['targetCPUUtilizationPercentage'] = cpuTarget(cpu) ?? 0
  const others = metrics.filter((metric) => metric !== cpu)
  if (others.length > 0) annotations[names.metrics] = JSON.stringify(others.map(metricToV1))
  if (isJsonObject(behavior)) annotations[names.behavior] = JSON.stringify(upperCaseKeys(behavior))
  const current = objectsAt(objectAt(object, 'status'), 'currentMetrics')
  if (current.length > 0) annotations[names.currentMetrics] = JSON.stringify(current.map(currentToV1))
  for (const metric of current) {
    const used = objectAt(metric, 'resource', 'current')?.['averageUtilization']
    if (textAt(objectAt(metric, 'resource'), 'name') === 'cpu' && used !== undefined) {
      status['currentCPUUtilizationPercentage'] = used
    }
  }
  const conditions = objectsAt(objectAt(object, 'status'), 'conditions')
  if (conditions.length > 0) annotations[names.conditions] = JSON.stringify(conditions)
  object['spec'] = spec
  object['status'] = status
  setAnnotations(object, annotations)
  return object
}

function cpuTarget(metric: JsonObject): JsonValue | undefined {
  const resource = objectAt(metric, 'resource')
  if (metric['type'] !== 'Resource' || textAt(resource, 'name') !== 'cpu') return undefined
  return objectAt(resource ?? {}, 'target')?.['averageUtilization']
}

function setAnnotations(object: ApiObject, annotations: Draft): void {
  const metadata = ensureObject(draftOf(object), 'metadata')
  if (isEmpty(annotations)) delete metadata['annotations']
  else metadata['annotations'] = annotations
}
