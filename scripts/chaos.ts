/**
 * `npm run chaos -- --seconds N --seed S [--faults kill,stop,cut,disk]`: three real nodes under load and faults, and
 * the checks of test/chaos. Prints what happened as it goes; the exit code is 1 when a guarantee was violated.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type FaultKind, faultKinds, runChaos } from '../test/chaos/run.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    faults: { type: 'string', default: faultKinds.join(',') },
  },
})
const seconds = Number(values.seconds)
const seed = Number(values.seed)
const wanted = values.faults.split(',')
const faults = faultKinds.filter((kind) => wanted.includes(kind))
if (!Number.isSafeInteger(seed) || !(seconds > 0) || faults.length !== wanted.length) {
  process.stderr.write('usage: npm run chaos -- [--seconds N] [--seed S] [--faults kill,stop,cut,disk]\n')
  process.exit(2)
}

/** `backMs` of the rounds of one kind, as one line. */
function describeKind(kind: FaultKind, backMs: readonly number[]): string {
  const sorted = [...backMs].sort((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0)
  const late = sorted.filter((ms) => ms > 3000).length
  return `${kind}: ${sorted.length} rounds, service back after ${at(0)} to ${at(1)} ms, median ${at(0.5)} ms, ${late} above 3 s`
}

const directory = mkdtempSync(join(tmpdir(), 'cluster-apiserver-chaos-'))
const print = (line: string): void => void process.stdout.write(`${line}\n`)
let failed = true
try {
  const report = await runChaos({ directory, seed, seconds, faults, onLine: print })
  const { verdicts, rounds } = report
  for (const kind of faults) {
    print(
      describeKind(
        kind,
        rounds.flatMap((round) => (round.kind === kind ? [round.backMs] : [])),
      ),
    )
  }
  print(
    `seed ${seed}: ${report.acknowledged} writes acknowledged, ${report.unknown} of unknown fate, ${report.refused} refused, ${report.reads} reads; ${verdicts.operations} operations checked, ${verdicts.undecided} registers undecided; ${verdicts.changes} changes seen by every watcher over ${report.streams} streams`,
  )
  for (const violation of verdicts.violations.slice(0, 50)) print(`VIOLATED: ${violation}`)
  failed = verdicts.violations.length > 0
  if (failed) print(`seed ${seed} fails: ${verdicts.violations.length} violations`)
} catch (error) {
  print(error instanceof Error ? error.message : String(error))
}
if (failed) print(`data and logs of the nodes: ${directory}`)
else rmSync(directory, { recursive: true, force: true })
process.exitCode = failed ? 1 : 0
