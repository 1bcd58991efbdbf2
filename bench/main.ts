/**
 * The bench: `npm run bench -- --help`. Measures, prints a table, writes a report and plots; exit 1 when anything
 * that was expected did not come, 2 when the command line is wrong.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { readKubeconfig } from './client/endpoint.ts'
import { floorsOf } from './floors.ts'
import { type Options, parseOptions, usage } from './options.ts'
import { formatComparison, formatReference } from './report/compare.ts'
import { drawPlots } from './report/plots.ts'
import { drawRatios } from './report/ratios.ts'
import { type Report, readReport } from './report/report.ts'
import { faultLines, formatFloors, formatReport, isFloor, skippedLines } from './report/table.ts'
import { runScenarios } from './runner.ts'
import { allScenarios, chooseScenarios } from './scenarios/index.ts'
import type { Scenario, Target } from './scenarios/scenario.ts'
import { endChildren, killChildren } from './targets/children.ts'
import { runningTarget, startBaselineChild, startOwn } from './targets/targets.ts'

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Progress, on one line that is overwritten; nothing when nobody looks. */
function step(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`)
}

async function main(args: readonly string[]): Promise<number> {
  let options: Options
  let scenarios: readonly Scenario[]
  try {
    options = parseOptions(args)
    const names = options.mode === 'measure' ? options.names : []
    scenarios = chooseScenarios(allScenarios(options.settings), names)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    return 2
  }
  switch (options.mode) {
    case 'help':
      print(usage)
      return 0
    case 'list':
      for (const { name, title } of scenarios) print(`${name.padEnd(24)} ${title}`)
      return 0
    case 'compare': {
      const [first = '', second = ''] = options.names
      return compare(readReport(first), readReport(second), options.out)
    }
    case 'measure':
      return measure(options, scenarios)
  }
}

function compare(first: Report, second: Report, out: string): number {
  print(formatComparison(first, second))
  const svg = drawRatios(first, second)
  if (svg === undefined) return 0
  const file = join(out, 'ratios.svg')
  mkdirSync(out, { recursive: true })
  writeFileSync(file, svg)
  print(`plot: ${file}`)
  return 0
}

async function measure(options: Options, scenarios: readonly Scenario[]): Promise<number> {
  const reference = options.reference === undefined ? undefined : readReport(options.reference)
  const at = new Date()
  const targets = await openTargets(options, scenarios)
  const rows = await runScenarios({
    settings: options.settings,
    targets,
    scenarios,
    runId: at.getTime().toString(36),
    onStep: step,
  })
  await endChildren()
  step('')
  const report: Report = {
    format: 1,
    at: at.toISOString(),
    machine: { cpus: cpus().length, cpuModel: cpus()[0]?.model ?? '', node: process.version },
    settings: { ...options.settings, workers: options.workers },
    ...(options.name === undefined ? {} : { server: options.name }),
    rows,
  }
  return publish(report, reference, options.out)
}

async function openTargets(options: Options, scenarios: readonly Scenario[]): Promise<readonly Target[]> {
  const server = isForeign(options)
    ? runningTarget(credentialsOf(options), options.pids)
    : await startOwn({ workers: options.workers, flags: options.serveFlags })
  const targets: Target[] = [server]
  if (options.baseline) targets.push(await startBaselineChild(options.settings))
  const floors = new Set(options.floors ? scenarios.flatMap(({ name }) => floorsOf(name)) : [])
  for (const floor of floors) {
    targets.push(await startBaselineChild(options.settings, floor))
  }
  return targets
}

function isForeign(options: Options): boolean {
  return options.server !== undefined || options.kubeconfig !== undefined
}

function credentialsOf(options: Options) {
  const file = options.kubeconfig === undefined ? undefined : readKubeconfig(options.kubeconfig)
  const read = (path: string | undefined) => (path === undefined ? undefined : readFileSync(path))
  const server = options.server ?? file?.server
  if (server === undefined) throw new Error('no server')
  return {
    server,
    ca: read(options.ca) ?? file?.ca,
    cert: read(options.cert) ?? file?.cert,
    key: read(options.key) ?? file?.key,
    token: options.token ?? file?.token,
    insecure: options.insecure || file?.insecure === true,
  }
}

function publish(report: Report, reference: Report | undefined, out: string): number {
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'report.json'), `${JSON.stringify(report, undefined, 1)}\n`)
  const ratios = reference === undefined ? undefined : drawRatios(reference, report)
  const plots = [...drawPlots(report), ...(ratios === undefined ? [] : [{ file: 'ratios.svg', svg: ratios }])]
  for (const { file, svg } of plots) writeFileSync(join(out, file), svg)
  print(formatReport(report))
  for (const line of skippedLines(report)) print(line)
  if (reference !== undefined) print(`\n${formatReference(report, reference)}\n`)
  if (report.rows.some(isFloor)) print(`\n${formatFloors(report)}\n`)
  print(
    `report and plots: ${['report.json', ...plots.map((plot) => plot.file)].map((file) => join(out, file)).join(', ')}`,
  )
  const faults = faultLines(report)
  if (faults.length === 0) return 0
  print(`\nFAULTS: the figures of these are not to be trusted`)
  for (const line of faults) print(`  ${line}`)
  return 1
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    endChildren().finally(() => process.exit(130))
  })
}
process.on('exit', killChildren)

main(process.argv.slice(2)).then(
  async (code) => {
    await endChildren()
    process.exit(code)
  },
  async (error: unknown) => {
    process.stderr.write(`\n${error instanceof Error ? error.message : error}\n`)
    await endChildren()
    process.exit(1)
  },
)
