/**
 * `npm run sim -- --seed N --count M [--faults name] [--verbose]`: runs seeds N, N + 1, … of the simulation; endless
 * without a count. A failing seed is run again with its trace; the exit code is 1.
 */
import { parseArgs } from 'node:util'
import { faults } from '../test/sim/faults.ts'
import { runSimulation } from '../test/sim/simulation.ts'

const traceLines = 200

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string' },
    faults: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})
const first = Number(values.seed)
const count = values.count === undefined ? Number.POSITIVE_INFINITY : Number(values.count)
const fault = values.faults === undefined ? undefined : faults.get(values.faults)
if (!Number.isSafeInteger(first) || !(count > 0) || (values.faults !== undefined && fault === undefined)) {
  process.stderr.write(
    `usage: npm run sim -- [--seed N] [--count M] [--verbose] [--faults name]\nfaults:\n${[...faults]
      .map(([name, { what }]) => `  ${name.padEnd(26)} ${what}\n`)
      .join('')}`,
  )
  process.exit(2)
}

const startedMs = performance.now()
let shownMs = startedMs
let operations = 0
let undecided = 0

function progress(done: number): void {
  const seconds = (performance.now() - startedMs) / 1000
  const rate = (done / seconds).toFixed(1)
  process.stdout.write(
    `${done} seeds from ${first}, ${operations} operations, ${undecided} undecided, ${rate} seeds/s\n`,
  )
}

/** Runs a seed that failed once more, and prints how it came to that. */
function explain(seed: number, failure: unknown): void {
  const lines: string[] = []
  const keep = values.verbose ? Number.POSITIVE_INFINITY : traceLines
  try {
    runSimulation({
      seed,
      ...(fault === undefined ? {} : { fault }),
      trace(line) {
        lines.push(line)
        if (lines.length > keep) lines.shift()
      },
    })
    lines.push('the second run did not fail: something is not drawn from the seed')
  } catch {
    // The same failure as before: what matters is the trace.
  }
  const option = values.faults === undefined ? '' : ` --faults ${values.faults}`
  process.stdout.write(`${lines.join('\n')}\n`)
  process.stdout.write(`seed ${seed} fails: ${failure instanceof Error ? failure.stack : String(failure)}\n`)
  process.stdout.write(`replay: npm run sim -- --seed ${seed} --count 1${option} --verbose\n`)
}

for (let done = 0; done < count; done++) {
  const seed = first + done
  try {
    const report = runSimulation({ seed, ...(fault === undefined ? {} : { fault }) })
    operations += report.operations
    undecided += report.undecided
  } catch (failure) {
    explain(seed, failure)
    process.exit(1)
  }
  if (performance.now() - shownMs > 5000) {
    shownMs = performance.now()
    progress(done + 1)
  }
}
progress(count)
