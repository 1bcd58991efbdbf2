import { fanoutScenarios } from './fanout.ts'
import { growthScenarios } from './growth.ts'
import { listScenarios } from './lists.ts'
import { mixed } from './mixed.ts'
import { requestScenarios } from './requests.ts'
import { resourceScenarios } from './resources.ts'
import type { Scenario, Settings } from './scenario.ts'
import { threeNodeScenarios } from './three-nodes.ts'

/** All scenarios, in the order in which they are run. */
export function allScenarios(settings: Settings): readonly Scenario[] {
  const ofOne = [
    ...resourceScenarios,
    ...requestScenarios,
    ...listScenarios,
    ...fanoutScenarios(settings),
    mixed,
  ]
  return [...ofOne, ...growthScenarios(settings, ofOne), ...threeNodeScenarios(ofOne)]
}

/**
 * The scenarios that `names` ask for; a name stands for itself and all that go on after a dash: `fanout` for
 * `fanout-saturated-10` and the others. No names = all. Throws on a name that stands for none.
 */
export function chooseScenarios(all: readonly Scenario[], names: readonly string[]): readonly Scenario[] {
  const isAskedFor = (name: string, scenario: Scenario) =>
    scenario.name === name || scenario.name.startsWith(`${name}-`)
  const unknown = names.find((name) => !all.some((scenario) => isAskedFor(name, scenario)))
  if (unknown !== undefined) {
    throw new Error(`no scenario ${unknown}; there are ${all.map((scenario) => scenario.name).join(', ')}`)
  }
  if (names.length === 0) return all
  return all.filter((scenario) => names.some((name) => isAskedFor(name, scenario)))
}
