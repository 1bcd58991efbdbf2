/**
 * Feature gates: what is open, which settings are refused, and which are warned of.
 *
 * Source: specification, "Deprecation rules" 9 and 10, feature gate states.
 */

import { fail, ok, type Result } from '../../store/contract.ts'
import { nearest } from '../nearest.ts'
import { type Gate, knownGates } from './feature-gate-table.ts'

/** What `--feature-gates` says: names of gates, `AllAlpha`, `AllBeta`. */
export type FeatureGates = ReadonlyMap<string, boolean>

const stageSwitches: ReadonlyMap<Gate['stage'], string> = new Map([
  ['alpha', 'AllAlpha'],
  ['beta', 'AllBeta'],
])

/** The gate's own setting, else that of its stage, else its default. A gate nobody knows is closed. */
export function isGateOpen(settings: FeatureGates, name: string): boolean {
  const gate = knownGates.get(name)
  if (gate === undefined) return false
  return settings.get(name) ?? settings.get(stageSwitches.get(gate.stage) ?? '') ?? gate.open
}

/** Warnings for the log; fails on a gate that there is not, and on one that is locked to something else. */
export function checkFeatureGates(settings: FeatureGates): Result<readonly string[], string> {
  const warnings: string[] = []
  for (const [name, open] of settings) {
    if (name === 'AllAlpha' || name === 'AllBeta') continue
    const gate = knownGates.get(name)
    if (gate === undefined) return fail(unrecognized(name))
    if (gate.locked && open !== gate.open) {
      return fail(`cannot set feature gate ${name} to ${open}, feature is locked to ${gate.open}`)
    }
    if (gate.stage === 'ga' || gate.stage === 'deprecated') {
      const stage = gate.stage === 'ga' ? 'GA' : 'deprecated'
      warnings.push(`Setting ${stage} feature gate ${name}=${open}. It will be removed in a future release.`)
    }
  }
  return ok(warnings)
}

function unrecognized(name: string): string {
  const near = nearest(name, ['AllAlpha', 'AllBeta', ...knownGates.keys()])
  return `unrecognized feature gate: ${name}${near === undefined ? '' : ` (did you mean ${near}?)`}`
}

/** Lines of `--help`: what can be set and still changes something, with defaults. */
export function describeFeatureGates(): string {
  const described = [...knownGates]
    .filter(([, { locked }]) => !locked)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { stage, open }]) => `${name} (${stage === 'ga' ? 'GA' : stage}, ${open})`)
  return ['AllAlpha (alpha, false)', 'AllBeta (beta, as each says)', ...described].join(', ')
}
