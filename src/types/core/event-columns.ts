/** Columns of events: what happened, to what, and when last. They do not begin with a name: nobody knows it. */

import { isJsonObject } from '../../json.ts'
import { nameColumn } from '../columns/common.ts'
import { age, timeMs } from '../columns/duration.ts'
import { numberAt, textAt } from '../columns/read.ts'
import { type Row, type TableColumns, tableOf, text, wide } from '../columns/table.ts'

function firstSeen({ object, nowMs }: Row): string {
  const { firstTimestamp, eventTime } = object
  return age(timeMs(firstTimestamp) === undefined ? eventTime : firstTimestamp, nowMs)
}

function lastSeen(row: Row): string {
  const { lastTimestamp, series } = row.object
  if (isJsonObject(series)) return age(series['lastObservedTime'], row.nowMs)
  return timeMs(lastTimestamp) === undefined ? firstSeen(row) : age(lastTimestamp, row.nowMs)
}

function subject({ object }: Row): string {
  const kind = textAt(object, 'involvedObject', 'kind').toLowerCase()
  const name = textAt(object, 'involvedObject', 'name')
  return name === '' ? kind : `${kind}/${name}`
}

function source({ object }: Row): string {
  const component = textAt(object, 'source', 'component') || textAt(object, 'reportingComponent')
  const host = textAt(object, 'source', 'host') || textAt(object, 'reportingInstance')
  return host === '' ? component : `${component}, ${host}`
}

function count({ object }: Row): number {
  return isJsonObject(object['series']) ? numberAt(object, 'series', 'count') : numberAt(object, 'count') || 1
}

export const eventColumns: TableColumns = tableOf([
  text('Last Seen', 'Time since it happened last.', lastSeen),
  text('Type', 'Whether it is to be expected or a warning.', ({ object }) => textAt(object, 'type')),
  text('Reason', 'Why it happened, in a word for machines.', ({ object }) => textAt(object, 'reason')),
  text('Object', 'What it happened to.', subject),
  wide(text('Subobject', 'Which part of it.', ({ object }) => textAt(object, 'involvedObject', 'fieldPath'))),
  wide(text('Source', 'Who tells it, and from where.', source)),
  text('Message', 'What happened, in words for people.', ({ object }) => textAt(object, 'message').trim()),
  wide(text('First Seen', 'Time since it happened first.', firstSeen)),
  wide(text('Count', 'How often it happened.', count)),
  wide(nameColumn),
])
