/** Autoscalers aim at 80 % of the requested CPU, and scale at a bounded pace, when nothing is said. */

import { type Draft, isEmpty } from '../../schema/defaults.ts'
import type { DefaultRules } from '../default-rules.ts'
import { ensureObject, objectAt, setDefault } from '../draft.ts'
import { annotationNames } from './annotations.ts'

const cpuPercentDefault = 80

export const autoscalingDefaults: DefaultRules = ({ names }) => {
  const { metrics } = annotationNames(names)
  return {
    'autoscaling/v1.HorizontalPodAutoscaler': (object) => targetCpu(object, metrics),
    'autoscaling/v2.HorizontalPodAutoscaler': metricsAndBehavior,
  }
}

/** The annotation carries the metrics that v1 has no field for. */
function targetCpu(object: Draft, metricsAnnotation: string): void {
  if (objectAt(object, 'metadata', 'annotations')?.[metricsAnnotation] !== undefined) return
  setDefault(ensureObject(object, 'spec'), 'targetCPUUtilizationPercentage', cpuPercentDefault)
}

function metricsAndBehavior(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  if (isEmpty(spec['metrics'])) {
    const target = { type: 'Utilization', averageUtilization: cpuPercentDefault }
    spec['metrics'] = [{ type: 'Resource', resource: { name: 'cpu', target } }]
  }
  const behavior = objectAt(spec, 'behavior')
  if (behavior === undefined) return
  const up = ensureObject(behavior, 'scaleUp')
  setDefault(up, 'stabilizationWindowSeconds', 0)
  setDefault(up, 'selectPolicy', 'Max')
  setDefault(up, 'policies', [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ])
  const down = ensureObject(behavior, 'scaleDown')
  setDefault(down, 'selectPolicy', 'Max')
  setDefault(down, 'policies', [{ type: 'Percent', value: 100, periodSeconds: 15 }])
}
