/**
 * What the store costs: durable puts of 1 KiB at several concurrencies, in-process and over a link, and opening.
 *
 *     node dist/bench/store.js [commits per run]
 *
 * CPU time is that of all processes together (the link's client is a process of its own), kernel and LevelDB's
 * background thread included. A row: CPU microseconds for each commit, commits a second, durable batches a second.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../store/clock.ts'
import { key, type Store } from '../store/contract.ts'
import { connectLink } from '../store/link/client.ts'
import { createLinkServer } from '../store/link/server.ts'
import { openMember } from '../store/member/open.ts'

interface Load {
  readonly commits: number
  readonly concurrency: number
}

interface Cost {
  readonly cpuMicroseconds: number
  readonly elapsedMs: number
}

/** Like a stored object: JSON that compresses about as well. */
const value = Buffer.from(
  JSON.stringify({
    kind: 'Thing',
    data: Array.from({ length: 60 }, (_, i) => (Math.imul(i + 1, 2_654_435_761) >>> 0).toString(36)),
    padding: 'x'.repeat(400),
  })
    .padEnd(1024, ' ')
    .slice(0, 1024),
)

async function puts(store: Store, { commits, concurrency }: Load): Promise<Cost> {
  let next = 0
  const started = performance.now()
  const cpu = process.cpuUsage()
  const committer = async (): Promise<void> => {
    while (next < commits) {
      const name = key(`/registry/things/default/thing-${String(next++).padStart(8, '0')}`)
      const result = await store.commit({ guards: [], ops: [{ type: 'put', key: name, value }] })
      if (!result.ok) throw new Error(JSON.stringify(result.failure))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, committer))
  const { user, system } = process.cpuUsage(cpu)
  return { cpuMicroseconds: user + system, elapsedMs: performance.now() - started }
}

async function open(dataDir: string) {
  const opened = await openMember({ dataDir, clock: systemClock })
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure))
  return opened.value
}

function print(what: string, load: Load, cost: Cost, batches: number): void {
  const perCommit = cost.cpuMicroseconds / load.commits
  const rate = (count: number): string => ((count / cost.elapsedMs) * 1000).toFixed(0)
  process.stdout.write(
    `${what.padEnd(12)} ${String(load.concurrency).padStart(4)} committers: ${perCommit.toFixed(1).padStart(6)} µs CPU, ` +
      `${rate(load.commits).padStart(6)} commits/s, ${rate(batches).padStart(5)} batches/s\n`,
  )
}

async function batchesOf(store: Store): Promise<number> {
  const status = await store.status()
  return status.ok ? status.value.commits.batches : 0
}

function ask(child: ChildProcess, load: Load): Promise<Cost> {
  return new Promise((resolve) => {
    // Only this file's child sends, and only a Cost.
    child.once('message', (cost) => resolve(cost as Cost))
    child.send(load)
  })
}

async function main(commits: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'store-bench-'))
  const path = join(folder, 'link')
  try {
    const loads = [1, 64, 512].map((concurrency) => ({
      concurrency,
      commits: concurrency === 1 ? Math.ceil(commits / 10) : commits,
    }))
    const local = await open(join(folder, 'local'))
    await puts(local.store, { commits: Math.ceil(commits / 10), concurrency: 64 })
    for (const load of loads) {
      const before = await batchesOf(local.store)
      const cost = await puts(local.store, load)
      print('in-process', load, cost, (await batchesOf(local.store)) - before)
    }
    await local.close()

    const remote = await open(join(folder, 'remote'))
    const server = createLinkServer({ store: remote.store, path })
    await server.start()
    const child = fork(fileURLToPath(import.meta.url), ['--child', path])
    await ask(child, { commits: Math.ceil(commits / 10), concurrency: 64 })
    for (const load of loads) {
      const before = await batchesOf(remote.store)
      const cpu = process.cpuUsage()
      const cost = await ask(child, load)
      const { user, system } = process.cpuUsage(cpu)
      const both = { ...cost, cpuMicroseconds: cost.cpuMicroseconds + user + system }
      print('over a link', load, both, (await batchesOf(remote.store)) - before)
    }
    child.kill()
    await server.close()
    await remote.close()

    await measureOpening(join(folder, 'empty'), join(folder, 'full'), commits * 5)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function measureOpening(empty: string, full: string, keys: number): Promise<void> {
  for (const [what, dataDir] of [
    ['new', empty],
    ['empty', empty],
  ] as const) {
    const started = performance.now()
    const member = await open(dataDir)
    process.stdout.write(`open ${what}: ${(performance.now() - started).toFixed(0)} ms\n`)
    await member.close()
  }
  const filled = await open(full)
  await puts(filled.store, { commits: keys, concurrency: 512 })
  await filled.close()
  globalThis.gc?.()
  const before = process.memoryUsage()
  const started = performance.now()
  const member = await open(full)
  const elapsedMs = performance.now() - started
  globalThis.gc?.()
  const heap = process.memoryUsage().heapUsed - before.heapUsed
  process.stdout.write(
    `open with ${keys} keys of 1 KiB: ${elapsedMs.toFixed(0)} ms, ` +
      `${(heap / keys).toFixed(0)} bytes of heap for each key (exact with --expose-gc)\n`,
  )
  await member.close()
}

if (process.argv[2] === '--child') {
  const store = connectLink({ path: process.argv[3] ?? '', clock: systemClock })
  process.on('message', (load) => {
    // Only this file's parent sends, and only a Load.
    void puts(store, load as Load).then((cost) => process.send?.(cost))
  })
} else {
  await main(Number(process.argv[2] ?? 20_000))
}
