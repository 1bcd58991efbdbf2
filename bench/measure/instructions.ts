/**
 * Instructions that processes retire in user mode, from `perf stat`: what they cost, hardly moved by what else the
 * machine does. Counts the threads that there are when counting begins.
 *
 * Source: perf-stat(1): `--control`, `--delay=-1` (wait for `enable`), `-x,` (one line of commas for each event).
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'

interface InstructionCounter {
  /** Stops counting. Undefined = the processor, or the machine's owner, does not let them be counted. */
  stop(): Promise<number | undefined>
}

const control = 3
const acknowledged = 4

/** Resolves when counting has begun. Throws when `perf` cannot be run. */
export async function countInstructions(pids: readonly number[]): Promise<InstructionCounter> {
  const perf = spawn(
    'perf',
    ['stat', '-x,', '-e', 'instructions:u', '-D', '-1', '--control', `fd:${control},${acknowledged}`].concat(
      '-p',
      pids.join(','),
    ),
    { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] },
  )
  let printed = ''
  perf.stderr?.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  // Both are told by 'close', which comes when there is nothing more to read.
  const ended = new Promise<void>((resolve) => perf.on('close', () => resolve()))
  await once(perf, 'spawn').catch((error: Error) => {
    throw new Error(`instructions are counted by perf (Linux), which cannot be run: ${error.message}`)
  })
  const order = createOrders(perf, ended)
  await order('enable')
  return {
    async stop() {
      await order('disable')
      perf.kill('SIGINT')
      await ended
      return readCount(printed)
    },
  }
}

/** Sends an order; resolves when perf has carried it out, or has ended. */
function createOrders(perf: ChildProcess, ended: Promise<void>): (text: string) => Promise<void> {
  // Both are pipes: the fourth and fifth of its stdio.
  const orders = perf.stdio[control] as Duplex
  const answers = perf.stdio[acknowledged] as Duplex
  // A perf that has ended says why in what it printed.
  for (const pipe of [orders, answers]) pipe.on('error', () => {})
  return async (text) => {
    const answered = once(answers, 'data')
    orders.write(`${text}\n`)
    await Promise.race([answered, ended])
  }
}

/** The sum over all processes: the first field of each line of the event, a number where it was counted. */
function readCount(printed: string): number | undefined {
  const counts = printed
    .split('\n')
    .map((line) => line.split(','))
    .filter((fields) => fields[2]?.startsWith('instructions') === true)
    .map(([count]) => Number(count))
    .filter((count) => Number.isFinite(count))
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0)
}
