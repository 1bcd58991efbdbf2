/**
 * What events may be. Those of the core group are free, unless they say when they happened: then they are of the newer
 * kind. Those of the events group always are, and say nothing in the older fields.
 *
 * Source: specification, "Other resources with documented fields"; events are checked in the core form.
 */

import type { JsonObject } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import { invalidValue, required } from '../../status/causes.ts'
import type { ApiObject } from '../object.ts'
import { type Causes, checkText } from '../validation/checks.ts'
import { qualifiedNameProblems } from '../validation/names.ts'
import { has, jsonOf, numberIn, objectIn, textIn } from '../validation/read.ts'

const wordLengthMax = 128
const messageLengthMax = 1024
const defaultNamespace = 'default'

/** What every event has to keep to. @param reporter what the version calls who reports it */
export function checkEvent(
  causes: Causes,
  object: ApiObject,
  names: Names,
  reporter: 'reportingComponent' | 'reportingController',
): void {
  const event = jsonOf(object)
  const involved = textIn(objectIn(event, 'involvedObject'), 'namespace')
  const { namespace = '' } = object.metadata
  const mismatch = () =>
    causes.push(invalidValue('involvedObject.namespace', involved, 'does not match event.namespace'))
  if (!hasTime(event, 'eventTime')) {
    // Events about things without a namespace are in the default one.
    const expected = involved === '' ? defaultNamespace : involved
    if (namespace !== expected && !(involved === '' && namespace === '')) mismatch()
    return
  }
  if (involved === '' && namespace !== defaultNamespace && namespace !== names.systemNamespace) mismatch()
  checkReport(causes, event, reporter)
}

/** An event of the events group, when it is made. */
export function checkNewEvent(causes: Causes, object: ApiObject): void {
  const event = jsonOf(object)
  checkSeries(causes, event)
  if (!hasTime(event, 'eventTime')) causes.push(required('eventTime'))
  const type = textIn(event, 'type')
  if (type !== 'Normal' && type !== 'Warning')
    causes.push(invalidValue('type', '', `has invalid value: ${type}`))
  checkUnset(causes, event)
}

const hasTime = (event: JsonObject, name: string): boolean => textIn(event, name) !== ''

/** `controller`: what the version calls the reporter. */
function checkReport(causes: Causes, event: JsonObject, controller: string): void {
  if (textIn(event, 'reportingComponent') === '') causes.push(required(controller))
  checkText(causes, controller, textIn(event, 'reportingComponent'), qualifiedNameProblems)
  for (const name of ['reportingInstance', 'action', 'reason']) {
    const { length } = textIn(event, name)
    if (length === 0) causes.push(required(name))
    if (length > wordLengthMax)
      causes.push(invalidValue(name, '', `can have at most ${wordLengthMax} characters`))
  }
  if (textIn(event, 'message').length > messageLengthMax)
    causes.push(invalidValue('message', '', `can have at most ${messageLengthMax} characters`))
}

/** Of an event of the events group, when its series begins or goes on. */
export function checkSeries(causes: Causes, event: JsonObject): void {
  const series = objectIn(event, 'series')
  if (series === undefined) return
  if ((numberIn(series, 'count') ?? 0) < 2)
    causes.push(invalidValue('series.count', '', 'should be at least 2'))
  if (textIn(series, 'lastObservedTime') === '') causes.push(required('series.lastObservedTime'))
}

const olderTimes = ['firstTimestamp', 'lastTimestamp']

/** The older fields: causes call them as they are stored, not as the events group does. */
function checkUnset(causes: Causes, event: JsonObject): void {
  const unset = (field: string) => causes.push(invalidValue(field, '', 'needs to be unset'))
  for (const name of olderTimes) if (hasTime(event, name)) unset(name)
  if ((numberIn(event, 'count') ?? 0) !== 0) unset('count')
  const source = objectIn(event, 'source')
  if (source !== undefined && (has(source, 'component') || has(source, 'host'))) unset('source')
}
