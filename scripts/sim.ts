/**
 * `npm run sim -- [--whole] --seed N --count M [--faults name] [--verbose]`: runs seeds N, N + 1, … of the simulation; endless
 * without a count. A failing seed is run again with its trace; the exit code is 1.
 */
import { parseArgs } from 'node:util'
import { faults } from '../test/sim/faults.ts'
import { runSimulation } from '../test/sim/simulation.ts'
import { wholeFaults } from '../test/sim/whole/faults.ts'
import { runWhole } from '../test/sim/whole/simulation.ts'

const traceLines = 200

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string' },
    faults: { type: 'string' },
    whole: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const first = Number(values.seed)
const count = values.count === undefined ? Number.POSITIVE_INFINITY : Number(values.count)
const name = values.faults ?? ''
const fault = values.whole ? wholeFaults.get(name) : faults.get(name)
const makesSense =
  Number.isSafeInteger(first) && count > 0 && (values.faults === undefined || fault !== undefined)
if (values.help || !makesSense) {
  const output = values.help ? process.stdout : process.stderr
  output.write(
    `usage: npm run sim -- [--whole] [--seed N] [--count M] [--verbose] [--faults name]\nfaults:\n${[
      ...(values.whole ? wholeFaults : faults),
    ]
      .map(([name, { what }]) => `  ${name.padEnd(26)} ${what}\n`)
      .join('')}`,
  )
  process.exit(values.help ? 0 : 2)
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

/** One world: of whole members, or of the core under a simple driver. */
async function run(seed: number, trace?: (line: string) => void) {
  const options = { seed, ...(trace === undefined ? {} : { trace }) }
  if (!values.whole) {
    const known = faults.get(name)
    return runSimulation({ ...options, ...(known === undefined ? {} : { fault: known }) })
  }
  const known = wholeFaults.get(name)
  return runWhole({ ...options, ...(known === undefined ? {} : { fault: known }) })
}

/** Runs a seed that failed once more, and prints how it came to that. */
async function explain(seed: number, failure: unknown): Promise<void> {
  const lines: string[] = []
  const keep = values.verbose ? Number.POSITIVE_INFINITY : traceLines
  try {
    await run(seed, (line) => {
      lines.push(line)
      if (lines.length > keep) lines.shift()
    })
    lines.push('the second run did not fail: something is not drawn from the seed')
  } catch {
    // The same failure as before: what matters is the trace.
  }
  const option = `${values.whole ? ' --whole' : ''}${name === '' ? '' : ` --faults ${name}`}`
  process.stdout.write(`${lines.join('\n')}\n`)
  process.stdout.write(`seed ${seed} fails: ${failure instanceof Error ? failure.stack : String(failure)}\n`)
  process.stdout.write(`replay: npm run sim -- --seed ${seed} --count 1${option} --verbose\n`)
}

for (let done = 0; done < count; done++) {
  const seed = first + done
  try {
    const report = await run(seed)
    operations += report.operations
    undecided += report.undecided
  } catch (failure) {
    await explain(seed, failure)
    process.exit(1)
  }
  if (performance.now() - shownMs > 5000) {
    shownMs = performance.now()
    progress(done + 1)
  }
}
progress(count)
