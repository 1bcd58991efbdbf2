/** Events: stored in the core form, served in both, gone after a while. */

import type { JsonValue } from '../../json.ts'
import type { Cause } from '../../status/status.ts'
import { draftOf, objectAt, textAt } from '../draft.ts'
import { semanticallyEqual } from '../equality.ts'
import { immutable } from '../immutable.ts'
import type { Conversion, ModuleFactory } from '../module.ts'
import type { ApiObject } from '../object.ts'
import { jsonOf } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import { checkEvent, checkNewEvent, checkSeries } from './rules.ts'

export const event: ModuleFactory = ({ eventTtlMs, names }) => ({
  strategy: {
    finalizersWithoutDomain: true,
    validate: validates((causes, object) => checkEvent(causes, object, names, 'reportingComponent')),
    selectableFields,
    ttlMs: () => eventTtlMs,
  },
  served: {
    'events/v1.Event': {
      toldGroup: '',
      finalizersWithoutDomain: false,
      validate: validates((causes, object) => checkEvent(causes, object, names, 'reportingController')),
      validateCreate: validates(checkNewEvent),
      validateUpdate: changeCauses,
    },
  },
  conversions: { 'events/v1.Event': eventConversion },
})

/** Of the core form: an event of the events group is a fact, and only its series goes on. */
const fixedFields = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
]

const fixed = immutable(...fixedFields)

function changeCauses(object: ApiObject, old: ApiObject): readonly Cause[] {
  const causes: Cause[] = []
  if (!semanticallyEqual(jsonOf(object)['series'], jsonOf(old)['series'])) checkSeries(causes, jsonOf(object))
  // It alone is called as the group calls it.
  for (const cause of fixed(object, old))
    causes.push(cause.field === 'reportingComponent' ? { ...cause, field: 'reportingController' } : cause)
  return causes
}

/** Name in events/v1 → name in core/v1; all other members are called the same. */
const coreNames: ReadonlyMap<string, string> = new Map([
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
])

const eventsNames: ReadonlyMap<string, string> = new Map([...coreNames].map(([own, core]) => [core, own]))

const eventConversion: Conversion = {
  toStorage: (object) => renamed(object, coreNames),
  fromStorage: (object) => renamed(object, eventsNames),
}

function renamed(object: ApiObject, names: ReadonlyMap<string, string>): ApiObject {
  const entries = Object.entries(draftOf(object)).map(([name, value]): [string, JsonValue] => [
    names.get(name) ?? name,
    value,
  ])
  // Renaming touches no member that makes an object an ApiObject.
  return Object.fromEntries(entries) as unknown as ApiObject
}

const objectFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']

/** Under the names of both versions. */
function selectableFields(object: ApiObject): Record<string, string> {
  const core = draftOf(object)
  const involved = objectAt(object, 'involvedObject')
  const component = textAt(core, 'reportingComponent')
  const fields: Record<string, string> = {
    reason: textAt(core, 'reason'),
    type: textAt(core, 'type'),
    source: textAt(objectAt(object, 'source'), 'component') || component,
    reportingComponent: component,
    reportingController: component,
  }
  for (const name of objectFields) {
    const value = textAt(involved, name)
    fields[`involvedObject.${name}`] = value
    fields[`regarding.${name}`] = value
  }
  return fields
}
