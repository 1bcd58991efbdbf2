/** Columns of autoscalers, and of the scale that the things they scale show. */

import { ageColumn, nameColumn } from '../columns/common.ts'
import { numberAt, textAt } from '../columns/read.ts'
import { integer, type TableColumns, tableOf, text } from '../columns/table.ts'
import { metricsText } from './metric-text.ts'

export const autoscalingColumns: Readonly<Record<string, TableColumns>> = {
  HorizontalPodAutoscaler: tableOf([
    nameColumn,
    text(
      'Reference',
      'What it scales.',
      ({ spec }) => `${textAt(spec, 'scaleTargetRef', 'kind')}/${textAt(spec, 'scaleTargetRef', 'name')}`,
    ),
    text('Targets', 'What is measured, and what it should be.', ({ spec, status }) =>
      metricsText(spec, status),
    ),
    text('MinPods', 'Least number of pods.', ({ spec }) =>
      typeof spec['minReplicas'] === 'number' ? String(spec['minReplicas']) : '<unset>',
    ),
    text('MaxPods', 'Greatest number of pods.', ({ spec }) => numberAt(spec, 'maxReplicas')),
    text('Replicas', 'Pods that are there.', ({ status }) => numberAt(status, 'currentReplicas')),
    ageColumn,
  ]),
  Scale: tableOf([
    { ...nameColumn, format: '' },
    integer('Desired', 'Pods that should be there.', ({ spec }) => numberAt(spec, 'replicas')),
    integer('Available', 'Pods that are there.', ({ status }) => numberAt(status, 'replicas')),
    ageColumn,
  ]),
}
