/** The scale subresource of workloads: the same window on the replicas of each. Source: autoscaling/v1 Scale. */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { draftOf, ensureObject, objectAt, objectsAt, textAt } from './draft.ts'
import type { ApiObject, ObjectMeta } from './object.ts'
import type { ScaleAdapter } from './resource.ts'

/** `selector`: the workload's own, as people write selectors; it becomes `status.selector`. */
export function scaleOf(
  selector: (spec: JsonObject) => string,
  absent?: ScaleAdapter['absent'],
): ScaleAdapter {
  return {
    ...(absent === undefined ? {} : { absent }),
    replicasPath: ['spec', 'replicas'],
    read(parent) {
      const spec = objectAt(parent, 'spec') ?? {}
      const status = objectAt(parent, 'status') ?? {}
      const replicas = integerOf(spec['replicas'])
      const text = selector(spec)
      return {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: scaleMetadata(parent.metadata),
        spec: replicas === 0 ? {} : { replicas },
        status: { replicas: integerOf(status['replicas']), ...(text === '' ? {} : { selector: text }) },
      }
    },
    write(parent: ApiObject, replicas: number) {
      ensureObject(draftOf(parent), 'spec')['replicas'] = replicas
    },
  }
}

/** What a scale takes over of the metadata of the object behind it. */
export function scaleMetadata(parent: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = parent
  return {
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
  }
}

function integerOf(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0
}

/** `app=web,tier in (a,b),!old`, in the order of the keys. */
export function labelSelectorText(spec: JsonObject): string {
  const selector = objectAt(spec, 'selector') ?? {}
  const labels = Object.entries(objectAt(selector, 'matchLabels') ?? {}).map(([key, value]) => ({
    key,
    text: `${key}=${String(value)}`,
  }))
  const expressions = objectsAt(selector, 'matchExpressions').map((expression) => {
    const key = textAt(expression, 'key')
    return { key, text: expressionText(key, textAt(expression, 'operator'), expression['values']) }
  })
  return [...labels, ...expressions]
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(',')
}

function expressionText(key: string, operator: string, values: JsonValue | undefined): string {
  const list = Array.isArray(values) ? [...values].map(String).sort().join(',') : ''
  switch (operator) {
    case 'In':
      return `${key} in (${list})`
    case 'NotIn':
      return `${key} notin (${list})`
    case 'DoesNotExist':
      return `!${key}`
    default:
      return key
  }
}

/** Of a plain map of labels. */
export function labelMapText(spec: JsonObject): string {
  const selector = spec['selector']
  if (!isJsonObject(selector)) return ''
  return Object.keys(selector)
    .sort()
    .map((key) => `${key}=${String(selector[key])}`)
    .join(',')
}
