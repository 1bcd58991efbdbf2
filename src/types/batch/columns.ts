/** Columns of jobs and of their schedules. */

import { ageColumn, containerColumns, nameColumn } from '../columns/common.ts'
import { age, humanDuration, timeMs } from '../columns/duration.ts'
import { selectorText } from '../columns/labels.ts'
import {
  conditionOf,
  countAt,
  isTrue,
  numberAt,
  objectsAt,
  textAt,
  valueAt,
  valueOr,
} from '../columns/read.ts'
import {
  boolean,
  type Column,
  integer,
  type Row,
  type TableColumns,
  tableOf,
  text,
  wide,
} from '../columns/table.ts'

function jobStatus({ metadata, status }: Row): string {
  const conditions = objectsAt(status, 'conditions')
  const holds = (type: string) => isTrue(conditionOf(conditions, type))
  if (holds('Complete')) return 'Complete'
  if (holds('Failed')) return 'Failed'
  if (metadata['deletionTimestamp'] !== undefined) return 'Terminating'
  if (holds('Suspended')) return 'Suspended'
  return holds('FailureTarget') ? 'FailureTarget' : 'Running'
}

/** Without a number of completions, one success ends a job, however many pods try. */
function completions({ spec, status }: Row): string {
  const succeeded = numberAt(status, 'succeeded')
  if (typeof spec['completions'] === 'number') return `${succeeded}/${spec['completions']}`
  const parallelism = numberAt(spec, 'parallelism')
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function duration({ status, nowMs }: Row): string {
  const startMs = timeMs(status['startTime'])
  return startMs === undefined ? '' : humanDuration((timeMs(status['completionTime']) ?? nowMs) - startMs)
}

function suspended({ spec }: Row): string {
  switch (spec['suspend']) {
    case true:
      return 'True'
    case false:
      return 'False'
    default:
      return '<unset>'
  }
}

function lastSchedule({ status, nowMs }: Row): string {
  const { lastScheduleTime } = status
  return timeMs(lastScheduleTime) === undefined ? '<none>' : age(lastScheduleTime, nowMs)
}

function selector(...path: readonly string[]): Column {
  return wide(
    text('Selector', 'Labels of the pods that count.', ({ object }) =>
      selectorText(valueAt(object, ...path)),
    ),
  )
}

export const batchColumns: Readonly<Record<string, TableColumns>> = {
  CronJob: tableOf([
    nameColumn,
    text('Schedule', 'When it is due, in the form of cron.', ({ spec }) => textAt(spec, 'schedule')),
    text('Timezone', 'Where the clock of the schedule stands.', ({ spec }) =>
      valueOr(spec['timeZone'], '<none>'),
    ),
    boolean('Suspend', 'Whether it is kept from starting.', suspended),
    integer('Active', 'Number of its jobs that run.', ({ status }) => countAt(status, 'active')),
    text('Last Schedule', 'Time since it was last due.', lastSchedule),
    ageColumn,
    ...containerColumns('spec', 'jobTemplate', 'spec', 'template', 'spec'),
    selector('spec', 'jobTemplate', 'spec', 'selector'),
  ]),
  Job: tableOf([
    nameColumn,
    text('Status', 'How far it has come.', jobStatus),
    text('Completions', 'Pods that succeeded, of those that have to.', completions),
    text('Duration', 'Time from its start to its end, or until now.', duration),
    ageColumn,
    ...containerColumns('spec', 'template', 'spec'),
    selector('spec', 'selector'),
  ]),
}
