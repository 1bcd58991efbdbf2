/** What the tests of many seeds share. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'

const script = fileURLToPath(new URL('../../../scripts/sim.js', import.meta.url))

/**
 * Runs seeds `from` to `from + count - 1` in a process of their own: the test runner follows every promise, which makes
 * a world of them several times slower. A failing seed prints its trace and how to replay it.
 */
export async function expectGuarantees(t: Test, from: number, count: number): Promise<void> {
  const args = [script, '--whole', '--seed', `${from}`, '--count', `${count}`]
  const run = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => run.kill('SIGKILL'))
  const lines: Buffer[] = []
  run.stdout.on('data', (chunk: Buffer) => lines.push(chunk))
  await once(run, 'close')
  const told = Buffer.concat(lines).toString('utf8')
  if (run.exitCode !== 0) t.comment(told)
  t.equal(run.exitCode, 0, 'no guarantee is broken')
  const [, operations = '0', undecided = '0'] =
    new RegExp(`^${count} seeds from ${from}, (\\d+) operations, (\\d+) undecided`, 'm').exec(told) ?? []
  t.ok(Number(operations) > 30 * count, `not by doing nothing: ${operations} operations`)
  t.ok(Number(undecided) < count / 50, `${undecided} keys too hard to decide`)
}
