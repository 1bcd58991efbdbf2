/** Metrics of an autoscaler and what they should be: `cpu: 40%/80%, 12/10 + 1 more...` */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { firstOf } from '../columns/common.ts'
import { objectsAt, textAt, valueAt } from '../columns/read.ts'

const metricsShownMax = 2

export function metricsText(spec: JsonObject, status: JsonObject): string {
  const metrics = objectsAt(spec, 'metrics')
  if (metrics.length === 0) return '<none>'
  const current = objectsAt(status, 'currentMetrics')
  const texts = metrics.map((metric, index) => metricText(metric, current[index]))
  return firstOf(texts, metricsShownMax, texts.length, ', ')
}

/** `current` stands at the same place in the status; it counts when it is of the same type. */
function metricText(metric: JsonObject, current: JsonObject | undefined): string {
  switch (metric['type']) {
    case 'External':
      return valueText(metric['external'], current?.['external'])
    case 'Object':
      return valueText(metric['object'], current?.['object'])
    case 'Pods':
      return `${currentText(current?.['pods'], 'averageValue')}/${targetText(metric['pods'], 'averageValue')}`
    case 'Resource':
      return resourceText(metric['resource'], current?.['resource'])
    case 'ContainerResource':
      return resourceText(metric['containerResource'], current?.['containerResource'])
    default:
      return '<unknown type>'
  }
}

function currentText(metric: JsonValue | undefined, member: string): string {
  return quantityText(valueAt(metric, 'current', member)) ?? '<unknown>'
}

function targetText(metric: JsonValue | undefined, member: string): string {
  return quantityText(valueAt(metric, 'target', member)) ?? '<nil>'
}

function quantityText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** A value, or one for each pod on average. */
function valueText(metric: JsonValue | undefined, current: JsonValue | undefined): string {
  if (quantityText(valueAt(metric, 'target', 'averageValue')) !== undefined) {
    return `${currentText(current, 'averageValue')}/${targetText(metric, 'averageValue')} (avg)`
  }
  return `${currentText(current, 'value')}/${targetText(metric, 'value')}`
}

/** An amount of a resource, or its share of what was requested. */
function resourceText(metric: JsonValue | undefined, current: JsonValue | undefined): string {
  const name = isJsonObject(metric) ? textAt(metric, 'name') : ''
  if (quantityText(valueAt(metric, 'target', 'averageValue')) !== undefined) {
    return `${name}: ${currentText(current, 'averageValue')}/${targetText(metric, 'averageValue')}`
  }
  const used = valueAt(current, 'current', 'averageUtilization')
  const wanted = valueAt(metric, 'target', 'averageUtilization')
  return `${name}: ${percentText(used) ?? '<unknown>'}/${percentText(wanted) ?? '<auto>'}`
}

function percentText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'number' ? `${value}%` : undefined
}
