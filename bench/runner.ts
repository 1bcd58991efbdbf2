/**
 * Runs scenarios on targets: each scenario is set up on every target, the runs take turns between them (so that a
 * mood of the machine meets all), and everything is taken down before the next.
 */

import { createAlone } from './crew/crew.ts'
import { prepareTogether } from './crew/leader.ts'
import { type Sample, summarize } from './measure/sample.ts'
import type { Row } from './report/report.ts'
import type { Prepared, Scenario, Settings, Target } from './scenarios/scenario.ts'

interface RunnerOptions {
  readonly settings: Settings
  readonly targets: readonly Target[]
  readonly scenarios: readonly Scenario[]
  /** Part of every namespace's name, so that two benches may share a server. */
  readonly runId: string
  /** Told before each step, for people who wait. */
  readonly onStep: (text: string) => void
}

interface Stage {
  readonly target: Target
  prepared: Prepared | undefined
  skipped: string | undefined
  failed: string | undefined
  readonly samples: Sample[]
}

/** A row for each scenario and target, in this order. Failures are rows, not exceptions. */
export async function runScenarios(options: RunnerOptions): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const scenario of options.scenarios) rows.push(...(await runScenario(options, scenario)))
  return rows
}

async function runScenario(options: RunnerOptions, scenario: Scenario): Promise<readonly Row[]> {
  const { settings, targets, runId, onStep } = options
  const stages: Stage[] = []
  for (const target of targets) {
    onStep(`${scenario.name}: set up on ${target.name}`)
    stages.push(await prepareStage(target, settings, `bench-${runId}-${scenario.name}`, scenario))
  }
  for (let run = 1; run <= settings.runs; run++) {
    for (const stage of stages) {
      if (stage.prepared === undefined || stage.failed !== undefined) continue
      onStep(`${scenario.name}: run ${run} of ${settings.runs} on ${stage.target.name}`)
      await attempt(stage, async (prepared) => {
        stage.samples.push(await prepared.run())
      })
    }
  }
  for (const stage of stages) await attempt(stage, (prepared) => prepared.close())
  return stages.map((stage) => toRow(scenario, stage))
}

async function prepareStage(
  target: Target,
  settings: Settings,
  namespace: string,
  scenario: Scenario,
): Promise<Stage> {
  const stage: Stage = { target, prepared: undefined, skipped: undefined, failed: undefined, samples: [] }
  try {
    const preparation = await (scenario.shared === true && settings.clients > 1
      ? prepareTogether({ target, settings, namespace }, scenario, settings.clients)
      : scenario.prepare({ target, settings, namespace, crew: createAlone() }))
    if ('skipped' in preparation) stage.skipped = preparation.skipped
    else stage.prepared = preparation
  } catch (error) {
    stage.failed = messageOf(error)
  }
  return stage
}

async function attempt(stage: Stage, action: (prepared: Prepared) => Promise<void>): Promise<void> {
  if (stage.prepared === undefined) return
  try {
    await action(stage.prepared)
  } catch (error) {
    stage.failed ??= messageOf(error)
  }
}

function toRow(scenario: Scenario, stage: Stage): Row {
  const { name, title, unit, goal } = scenario
  return {
    scenario: name,
    title,
    unit,
    target: stage.target.name,
    ...(goal === undefined ? {} : { goal }),
    ...(stage.samples.length === 0 ? {} : { summary: summarize(stage.samples) }),
    ...(stage.skipped === undefined ? {} : { skipped: stage.skipped }),
    ...(stage.failed === undefined ? {} : { failed: stage.failed }),
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
