/** Which feature gates are open. The name and the labels are those that dashboards of this API know. */

import type { Names } from '../names/names.ts'
import { knownGates } from '../types/feature-gate-table.ts'
import { type FeatureGates, isGateOpen } from '../types/feature-gates.ts'
import { header, labelText, sample } from './exposition.ts'

const stageLabels = { alpha: 'ALPHA', beta: 'BETA', ga: '', deprecated: 'DEPRECATED' } as const

/** Text that never changes: gates are set at start. */
export function featureGateText({ product }: Names, settings: FeatureGates): string {
  const name = `${product}_feature_enabled`
  let text = header(name, 'Whether a feature gate is open, and its stage.', 'gauge')
  const isOpen = (gate: string): number => (isGateOpen(settings, gate) ? 1 : 0)
  for (const [gate, { stage }] of knownGates)
    text += sample(name, labelText({ name: gate, stage: stageLabels[stage] }), isOpen(gate))
  for (const [group, stage] of [
    ['AllAlpha', 'ALPHA'],
    ['AllBeta', 'BETA'],
  ] as const)
    text += sample(name, labelText({ name: group, stage }), settings.get(group) === true ? 1 : 0)
  return text
}
