/** The scenarios, tiny, against the bare server. */

import { type BaselineOptions, startBaseline } from '../../bench/baseline.ts'
import { createEndpoint } from '../../bench/client/endpoint.ts'
import { createProcessTree } from '../../bench/measure/processes.ts'
import type { Report } from '../../bench/report/report.ts'
import { faultLines } from '../../bench/report/table.ts'
import { runScenarios } from '../../bench/runner.ts'
import { allScenarios, chooseScenarios } from '../../bench/scenarios/index.ts'
import {
  fullSettings,
  type Settings,
  type StartedTarget,
  type Target,
} from '../../bench/scenarios/scenario.ts'

export const tiny: Settings = {
  ...fullSettings,
  runs: 1,
  windowMs: 60,
  warmUpMs: 5,
  warmUpRequests: 4,
  connections: 2,
  listConnections: 1,
  listObjects: 120,
  listChunk: 50,
  watchers: [3],
  selectorWatchers: 100,
  mixedWatchers: 2,
  ratePerSecond: 1000,
  idleWatches: 4,
  memoryObjects: 20,
  growthObjects: [20, 40],
  otherWatchers: [0, 4],
  workers: [1],
  drainMs: 20_000,
}

export async function startTarget(
  name = 'server',
  options: Partial<BaselineOptions> = {},
): Promise<StartedTarget> {
  const begunMs = performance.now()
  const baseline = await startBaseline({ ...tiny, ...options })
  return {
    name,
    endpoint: createEndpoint({ server: baseline.url, ca: baseline.ca }),
    processes: createProcessTree([process.pid]),
    another: () => startTarget(name),
    isBaseline: true,
    isForeign: true,
    readyMs: performance.now() - begunMs,
    close: baseline.close,
  }
}

/** Where a machine does so much else that nothing was answered in so short a window, it gets a longer one. */
export async function measure(target: Target, ...names: readonly string[]): Promise<Report> {
  const report = await measureFor(tiny.windowMs, target, names)
  const isBusy = faultLines(report).some((line) => line.includes('nothing was answered'))
  return isBusy ? measureFor(50 * tiny.windowMs, target, names) : report
}

async function measureFor(windowMs: number, target: Target, names: readonly string[]): Promise<Report> {
  const rows = await runScenarios({
    settings: { ...tiny, windowMs },
    targets: [target],
    scenarios: chooseScenarios(allScenarios(tiny), names),
    runId: 'test',
    onStep: () => {},
  })
  const machine = { cpus: 1, cpuModel: '', node: process.version }
  return { format: 1, at: '2024-01-01T00:00:00Z', machine, settings: {}, rows }
}
