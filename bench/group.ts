/**
 * What a group of members costs: durable puts of 1 KiB through the leader and through a follower, at several
 * concurrencies. Every member is a process of its own, on the loopback.
 *
 *     node dist/bench/group.js [commits per run] [members]
 *
 * A row: CPU microseconds for each commit, of all members together; latency; commits a second.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../store/clock.ts'
import { key } from '../store/contract.ts'
import type { MemberStatus } from '../store/member/cluster-messages.ts'
import { openMember } from '../store/member/open.ts'

interface Load {
  readonly commits: number
  readonly concurrency: number
}

type Question = { readonly ask: 'role' | 'cpu' } | { readonly ask: 'puts'; readonly load: Load }

interface Measured {
  readonly elapsedMs: number
  readonly p50Ms: number
  readonly p99Ms: number
}

async function serve([dataDir = '', name = '', initialCluster = '']: readonly string[]): Promise<void> {
  const opened = await openMember({ dataDir, clock: systemClock, replication: { name, initialCluster } })
  if (!opened.ok) throw new Error(opened.failure.message)
  const { store, cluster } = opened.value
  const value = Buffer.alloc(1024, 'benchmark ')

  async function puts({ commits, concurrency }: Load): Promise<Measured> {
    let next = 0
    const took: number[] = []
    const started = performance.now()
    const committer = async (): Promise<void> => {
      while (next < commits) {
        const thing = key(`/registry/things/default/thing-${String(next++).padStart(8, '0')}`)
        const begun = performance.now()
        const result = await store.commit({ guards: [], ops: [{ type: 'put', key: thing, value }] })
        if (!result.ok) throw new Error(JSON.stringify(result.failure))
        took.push(performance.now() - begun)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, committer))
    took.sort((a, b) => a - b)
    const quantile = (part: number): number => took[Math.floor(took.length * part)] ?? 0
    return { elapsedMs: performance.now() - started, p50Ms: quantile(0.5), p99Ms: quantile(0.99) }
  }

  async function answer(question: Question): Promise<unknown> {
    switch (question.ask) {
      case 'role': {
        const status = await cluster.run({ method: 'status' })
        return status.ok ? (status.value as MemberStatus).role : 'none'
      }
      case 'cpu': {
        const { user, system } = process.cpuUsage()
        return user + system
      }
      case 'puts':
        return puts(question.load)
    }
  }

  // Only this file's parent asks, and only questions.
  process.on(
    'message',
    (question) => void answer(question as Question).then((answer) => process.send?.(answer)),
  )
  process.on('disconnect', () => process.exit(0))
}

function ask<T>(child: ChildProcess, question: Question): Promise<T> {
  return new Promise((resolve) => {
    // Each question has one answer, of the type that `answer` gives it.
    child.once('message', (answer) => resolve(answer as T))
    child.send(question)
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function measure(commits: number, count: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'group-bench-'))
  const names = Array.from({ length: count }, (_, i) => `m${i + 1}`)
  const ports = await Promise.all(names.map(freePort))
  const initialCluster = names.map((name, i) => `${name}=127.0.0.1:${ports[i]}`).join(',')
  const started = performance.now()
  const children = names.map((name) =>
    fork(fileURLToPath(import.meta.url), ['--member', join(folder, name), name, initialCluster]),
  )
  try {
    const roles = async (): Promise<string[]> =>
      Promise.all(children.map((child) => ask<string>(child, { ask: 'role' })))
    while (!(await roles()).includes('leader')) await new Promise((resolve) => setTimeout(resolve, 10))
    process.stdout.write(`first leader after ${(performance.now() - started).toFixed(0)} ms\n`)
    const now = await roles()
    const cpu = async (): Promise<number> => {
      const each = await Promise.all(children.map((child) => ask<number>(child, { ask: 'cpu' })))
      return each.reduce((sum, microseconds) => sum + microseconds, 0)
    }
    for (const role of ['leader', 'follower']) {
      const child = children[now.indexOf(role)]
      if (child === undefined) continue
      await ask(child, { ask: 'puts', load: { commits: Math.ceil(commits / 4), concurrency: 64 } })
      for (const concurrency of [1, 64, 512]) {
        const load = { concurrency, commits: concurrency === 1 ? Math.ceil(commits / 10) : commits }
        const before = await cpu()
        const { elapsedMs, p50Ms, p99Ms } = await ask<Measured>(child, { ask: 'puts', load })
        const perCommit = ((await cpu()) - before) / load.commits
        const rate = ((load.commits / elapsedMs) * 1000).toFixed(0)
        process.stdout.write(
          `${role.padEnd(9)} ${String(concurrency).padStart(4)} committers: ${perCommit.toFixed(1).padStart(6)} µs CPU, ` +
            `p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms, ${rate.padStart(6)} commits/s\n`,
        )
      }
    }
  } finally {
    for (const child of children) child.disconnect()
    await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))))
    rmSync(folder, { recursive: true })
  }
}

if (process.argv[2] === '--member') await serve(process.argv.slice(3))
else await measure(Number(process.argv[2] ?? 20_000), Number(process.argv[3] ?? 3))
