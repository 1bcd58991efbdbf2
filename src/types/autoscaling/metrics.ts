/** Metrics of autoscalers in the form that autoscaling/v1 annotations have, and back. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { objectAt, textAt } from '../draft.ts'

type Members = Record<string, JsonValue | undefined>

/** Drops members without a value. */
function present(members: Members): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** Name of the member that describes a metric of this type: `Resource` → `resource`. */
function memberOf(metric: JsonObject): string {
  const type = textAt(metric, 'type')
  return type.charAt(0).toLowerCase() + type.slice(1)
}

/** Rewrites the member that goes with the type. */
function rewritten(
  metric: JsonObject,
  rewrite: Readonly<Record<string, (source: JsonObject) => JsonObject>>,
): JsonObject {
  const member = memberOf(metric)
  const source = objectAt(metric, member)
  const change = Object.hasOwn(rewrite, member) ? rewrite[member] : undefined
  return source === undefined || change === undefined
    ? metric
    : { type: metric['type'] ?? '', [member]: change(source) }
}

const zero = '0'

function resourceToV1(source: JsonObject, prefix: 'target' | 'current'): JsonObject {
  const amount = objectAt(source, prefix) ?? {}
  return present({
    name: source['name'],
    container: source['container'],
    [`${prefix}AverageUtilization`]: amount['averageUtilization'],
    [`${prefix}AverageValue`]: amount['averageValue'],
  })
}

export function metricToV1(metric: JsonObject): JsonObject {
  return rewritten(metric, {
    resource: (source) => resourceToV1(source, 'target'),
    containerResource: (source) => resourceToV1(source, 'target'),
    pods: (source) =>
      present({
        metricName: objectAt(source, 'metric')?.['name'],
        selector: objectAt(source, 'metric')?.['selector'],
        targetAverageValue: objectAt(source, 'target')?.['averageValue'] ?? zero,
      }),
    object: (source) =>
      present({
        target: source['describedObject'],
        metricName: objectAt(source, 'metric')?.['name'],
        targetValue: objectAt(source, 'target')?.['value'] ?? zero,
        selector: objectAt(source, 'metric')?.['selector'],
        averageValue: objectAt(source, 'target')?.['averageValue'],
      }),
    external: (source) =>
      present({
        metricName: objectAt(source, 'metric')?.['name'],
        metricSelector: objectAt(source, 'metric')?.['selector'],
        targetValue: objectAt(source, 'target')?.['value'],
        targetAverageValue: objectAt(source, 'target')?.['averageValue'],
      }),
  })
}

function resourceFromV1(source: JsonObject): JsonObject {
  const { targetAverageUtilization: percent, targetAverageValue: value } = source
  const type = percent === undefined ? 'AverageValue' : 'Utilization'
  return present({
    name: source['name'],
    target: present({ type, averageValue: value, averageUtilization: percent }),
    container: source['container'],
  })
}

export function metricFromV1(metric: JsonObject): JsonObject {
  return rewritten(metric, {
    resource: resourceFromV1,
    containerResource: resourceFromV1,
    pods: (source) => ({
      metric: identifier(source['metricName'], source['selector']),
      target: present({ type: 'AverageValue', averageValue: source['targetAverageValue'] }),
    }),
    object: (source) =>
      present({
        describedObject: source['target'],
        target:
          source['averageValue'] === undefined
            ? present({ type: 'Value', value: source['targetValue'] })
            : present({
                type: 'AverageValue',
                value: source['targetValue'] === zero ? undefined : source['targetValue'],
                averageValue: source['averageValue'],
              }),
        metric: identifier(source['metricName'], source['selector']),
      }),
    external: (source) => ({
      metric: identifier(source['metricName'], source['metricSelector']),
      target: present({
        type: source['targetValue'] === undefined ? 'AverageValue' : 'Value',
        value: source['targetValue'],
        averageValue: source['targetAverageValue'],
      }),
    }),
  })
}

function identifier(name: JsonValue | undefined, selector: JsonValue | undefined): JsonObject {
  return present({ name, selector })
}

export function currentToV1(metric: JsonObject): JsonObject {
  const current = (source: JsonObject): JsonObject => objectAt(source, 'current') ?? {}
  const metricOf = (source: JsonObject): JsonObject => objectAt(source, 'metric') ?? {}
  return rewritten(metric, {
    resource: (source) => resourceToV1(source, 'current'),
    containerResource: (source) => resourceToV1(source, 'current'),
    pods: (source) =>
      present({
        metricName: metricOf(source)['name'],
        currentAverageValue: current(source)['averageValue'] ?? zero,
        selector: metricOf(source)['selector'],
      }),
    object: (source) =>
      present({
        target: source['describedObject'],
        metricName: metricOf(source)['name'],
        currentValue: current(source)['value'] ?? zero,
        selector: metricOf(source)['selector'],
        averageValue: current(source)['averageValue'],
      }),
    external: (source) =>
      present({
        metricName: metricOf(source)['name'],
        metricSelector: metricOf(source)['selector'],
        currentValue: current(source)['value'] ?? zero,
        currentAverageValue: current(source)['averageValue'],
      }),
  })
}

function resourceCurrentFromV1(source: JsonObject): JsonObject {
  const current = present({
    averageValue: source['currentAverageValue'],
    averageUtilization: source['currentAverageUtilization'],
  })
  return present({ name: source['name'], current, container: source['container'] })
}

/** Zero is what v1 writes for a value that is not known. */
function known(value: JsonValue | undefined): JsonValue | undefined {
  return value === zero ? undefined : value
}

export function currentFromV1(metric: JsonObject): JsonObject {
  return rewritten(metric, {
    resource: resourceCurrentFromV1,
    containerResource: resourceCurrentFromV1,
    pods: (source) => ({
      metric: identifier(source['metricName'], source['selector']),
      current: present({ averageValue: source['currentAverageValue'] }),
    }),
    object: (source) =>
      present({
        metric: identifier(source['metricName'], source['selector']),
        current: present({ value: known(source['currentValue']), averageValue: source['averageValue'] }),
        describedObject: source['target'],
      }),
    external: (source) => ({
      metric: identifier(source['metricName'], source['metricSelector']),
      current: present({ value: known(source['currentValue']), averageValue: source['currentAverageValue'] }),
    }),
  })
}

/** The annotation for behavior spells its members with capital letters; readers take either. */
export function upperCaseKeys(value: JsonValue): JsonValue {
  return withKeys(value, (key) => key.charAt(0).toUpperCase() + key.slice(1))
}

export function lowerCaseKeys(value: JsonValue): JsonValue {
  return withKeys(value, (key) => key.charAt(0).toLowerCase() + key.slice(1))
}

function withKeys(value: JsonValue, change: (key: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((element: JsonValue) => withKeys(element, change))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [change(key), withKeys(member ?? null, change)]),
  )
}
