/**
 * Three processes under load, whose leader is killed with SIGKILL again and again. Nothing acknowledged is lost, the
 * members agree, and writes are possible again soon after each kill.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { freePorts } from '../../../workers/cluster/free-ports.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../support.ts'

const kills = 4
const committers = 6
/** An election takes about a second and a half; many times that on a machine that does much else beside. */
const backWithinMs = 15_000
const child = fileURLToPath(new URL('./group-child.js', import.meta.url))

interface Running {
  readonly name: string
  readonly process: ChildProcess
  role: string
  stopped: boolean
  state: string | undefined
}

t.test(`the leader is killed ${kills} times under load`, async (t) => {
  const folder = temporaryFolder(t)
  const names = ['a', 'b', 'c']
  const ports = await freePorts('127.0.0.1', names.length)
  const initialCluster = names.map((name, i) => `${name}=127.0.0.1:${ports[i]}`).join(',')
  const running = new Map<string, Running>()
  const acknowledged = new Map<string, number>()
  const complaints: string[] = []
  let acknowledgedMs = 0
  let lives = 0

  function start(name: string): void {
    const args = [child, join(folder, name), name, initialCluster, String(committers), String(++lives)]
    const process_ = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const member: Running = { name, process: process_, role: '', stopped: false, state: undefined }
    running.set(name, member)
    createInterface({ input: process_.stdout }).on('line', (line) => {
      const [what = '', first = '', second = ''] = line.split(' ')
      if (what === 'role') member.role = first
      else if (what === 'ack') {
        acknowledged.set(first, Number(second))
        acknowledgedMs = performance.now()
      } else if (what === 'stopped') member.stopped = true
      else if (what === 'state') member.state = line
      else complaints.push(`${name}: ${line}`)
    })
  }

  const total = (): number => [...acknowledged.values()].reduce((sum, number) => sum + number, 0)
  const leader = (): Running | undefined => [...running.values()].find(({ role }) => role === 'leader')

  async function underLoad(): Promise<void> {
    const before = total()
    await eventually('a leader and 300 more commits', () => leader() !== undefined && total() > before + 300)
  }

  for (const name of names) start(name)
  t.teardown(() => {
    for (const { process } of running.values()) process.kill('SIGKILL')
  })
  await underLoad()
  const outages: number[] = []
  for (let kill = 0; kill < kills; kill++) {
    const victim = leader()
    if (victim === undefined) throw new Error('no leader')
    victim.process.kill('SIGKILL')
    running.delete(victim.name)
    await once(victim.process, 'exit')
    const killedMs = performance.now()
    // What was acknowledged before the kill may still be in the pipe: only what comes of a new leader counts.
    await eventually(
      'writes under a new leader',
      () => leader() !== undefined && acknowledgedMs > killedMs + 50,
    )
    outages.push(acknowledgedMs - killedMs)
    start(victim.name)
    await underLoad()
  }
  for (const { process } of running.values()) process.stdin?.write('stop\n')
  await eventually('the committers to stop', () => [...running.values()].every(({ stopped }) => stopped))
  for (const { process } of running.values()) process.stdin?.write('state\n')
  await eventually('the states', () => [...running.values()].every(({ state }) => state !== undefined))
  const states = [...running.values()].map(({ state = '' }) => state)
  t.equal(new Set(states).size, 1, 'the members agree')
  const found = new Map(
    (states[0] ?? '')
      .split(' ')
      .slice(2)
      .map((pair) => pair.split('=') as [string, string]),
  )
  for (const [committer, number] of acknowledged) {
    if (Number(found.get(committer) ?? 0) < number) {
      t.fail(`${committer}: acknowledged ${number}, found ${found.get(committer)}`)
    }
  }
  t.ok(total() > 1000, `${total()} commits were acknowledged`)
  t.same(complaints, [])
  const longest = Math.max(...outages)
  t.ok(longest < backWithinMs, `outages of ${outages.map((ms) => ms.toFixed(0)).join(', ')} ms`)
  for (const { process } of running.values()) process.stdin?.write('end\n')
  await Promise.all([...running.values()].map(({ process }) => process.exitCode ?? once(process, 'exit')))
})
