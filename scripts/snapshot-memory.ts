/**
 * `npm run snapshot-memory -- --mebibytes N`: fills a member with N MiB (default 1024), lets another join by a streamed
 * state, saves the state in a file and restores it. Prints by how much the resident memory of each process grew at most.
 * Needs /proc (Linux).
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { freePorts } from '../workers/cluster/free-ports.ts'

const { values } = parseArgs({ options: { mebibytes: { type: 'string', default: '1024' } } })
const mebibytes = Number(values.mebibytes)
if (!Number.isSafeInteger(mebibytes) || mebibytes < 1) {
  process.stderr.write('usage: npm run snapshot-memory -- [--mebibytes N]\n')
  process.exit(2)
}

const child = fileURLToPath(new URL('./snapshot-memory-child.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'snapshot-memory-'))
const ports = await freePorts('127.0.0.1', 2)
const [a = '', b = ''] = ['a', 'b'].map((name, i) => `${name}=127.0.0.1:${ports[i]}`)
const children: ChildProcess[] = []

function start(...args: readonly string[]): ChildProcess {
  const started = fork(child, args)
  children.push(started)
  return started
}

function residentMebibytes({ pid }: ChildProcess): number {
  const [, kibibytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
  return Number(kibibytes) / 1024
}

/** Sends a request, and watches memory until the answer. */
async function growths(asked: ChildProcess, request: string, watched: readonly ChildProcess[]) {
  const before = watched.map(residentMebibytes)
  const peaks = [...before]
  const sampler = setInterval(() => {
    for (const [i, one] of watched.entries()) peaks[i] = Math.max(peaks[i] ?? 0, residentMebibytes(one))
  }, 20)
  const startedMs = performance.now()
  asked.send(request)
  const [answer] = await Promise.race([
    once(asked, 'message'),
    once(asked, 'exit').then(() => Promise.reject(new Error(`${request}: the process has ended`))),
  ])
  clearInterval(sampler)
  const seconds = (performance.now() - startedMs) / 1000
  const grown = peaks.map((peak, i) => peak - (before[i] ?? 0))
  return { answer: String(answer), seconds, grown }
}

function report(what: string, who: string, grownMebibytes: number | undefined, seconds: number): void {
  process.stdout.write(
    `${what}: ${who} +${(grownMebibytes ?? 0).toFixed(0)} MiB in ${seconds.toFixed(1)} s\n`,
  )
}

try {
  const sender = start('member', join(folder, 'a'), 'a', a, 'new')
  await once(sender, 'message')
  const filled = await growths(sender, `fill ${mebibytes}`, [sender])
  report(`fill ${mebibytes} MiB`, 'member', filled.grown[0], filled.seconds)
  await growths(sender, `add ${b}`, [])
  const receiver = start('member', join(folder, 'b'), 'b', `${a},${b}`, 'existing')
  await once(receiver, 'message')
  const joined = await growths(receiver, `reach ${filled.answer}`, [sender, receiver])
  report('join', 'sender', joined.grown[0], joined.seconds)
  report('join', 'receiver', joined.grown[1], joined.seconds)
  const file = join(folder, 'snapshot')
  const saved = await growths(sender, `save ${file}`, [sender])
  report('save', 'member', saved.grown[0], saved.seconds)
  const restorer = start('restore', join(folder, 'c'))
  await once(restorer, 'message')
  const restored = await growths(restorer, `restore ${file}`, [restorer])
  report('restore', 'command', restored.grown[0], restored.seconds)
} finally {
  for (const one of children) one.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
