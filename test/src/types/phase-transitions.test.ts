/** When the phase of a volume last changed. Source: PersistentVolume status of the Kubernetes API. */

import t from 'tap'
import type { ApiObject } from '../../../src/types/object.ts'
import { volume } from './valid-core.ts'
import { typeOfBody } from './validation.ts'

const now = '2026-01-02T00:00:00Z'
const before = { phase: 'Pending', lastPhaseTransitionTime: '2026-01-01T00:00:00Z' }

const rows: readonly (readonly [what: string, given: object, kept: object])[] = [
  ['the phase changes', { phase: 'Available' }, { phase: 'Available', lastPhaseTransitionTime: now }],
  [
    'the phase changes, and the old time comes along',
    { ...before, phase: 'Bound' },
    { phase: 'Bound', lastPhaseTransitionTime: now },
  ],
  [
    'the phase changes, and its writer says when',
    { phase: 'Bound', lastPhaseTransitionTime: '2026-01-01T12:00:00Z' },
    { phase: 'Bound', lastPhaseTransitionTime: '2026-01-01T12:00:00Z' },
  ],
  ['something else changes', { phase: 'Pending', message: 'm' }, { ...before, message: 'm' }],
]

for (const [what, given, kept] of rows) {
  t.test(what, (t) => {
    const old: ApiObject = { ...structuredClone(volume), status: before }
    const object: ApiObject = { ...structuredClone(volume), status: given }
    typeOfBody(volume).strategy.prepareForStatus?.(object, old, { now })
    t.same(object['status'], kept)
    t.end()
  })
}
