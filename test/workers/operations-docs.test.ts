/**
 * docs/operations.md, carried out: each command of the chapters on three nodes, in order, on four "machines" that are
 * directories and ports of this one. What the text promises about data is checked on the way.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node'
import t from 'tap'
import { freePorts } from '../../workers/cluster/free-ports.ts'
import { probeReady } from '../../workers/cluster/probe.ts'
import type { CommandEnd } from '../../workers/commands/io.ts'
import { configOf } from '../../workers/flags/config.ts'
import { parseCommandLine } from '../../workers/flags/parse.ts'
import { root } from '../house/sources.ts'
import { eventually } from '../support/eventually.ts'
import { operate } from '../support/operator.ts'
import { temporaryDirectory } from '../support/server-process.ts'

const text = readFileSync(join(root, 'docs/operations.md'), 'utf8')
const machines: readonly string[] = ['a', 'b', 'c', 'd']

interface Step {
  readonly machine: string
  readonly words: readonly string[]
}

/** Commands behind a prompt that names the machine, in order; a prompt of several is for each of them. */
function stepsIn(chapter: string): readonly Step[] {
  const joined = chapter.replace(/\\\n\s+/g, '')
  return [...joined.matchAll(/^ {4}(ca|[a-d]+)\$ (.*)$/gm)].flatMap(([, prompt = '', line = '']) =>
    (prompt === 'ca' ? ['ca'] : [...prompt]).map((machine) => ({
      machine,
      words: line
        .trim()
        .split(/\s+/)
        .map((word) => word.replace('$NODE', machine)),
    })),
  )
}

function chapters(from: string, to: string | undefined): string {
  const start = text.indexOf(`\n## ${from}\n`)
  const end = to === undefined ? text.length : text.indexOf(`\n## ${to}\n`)
  if (start < 0 || end < start) throw new Error(`no chapters from ${from} to ${to}`)
  return text.slice(start, end)
}

const main = join(root, 'dist/bundle/main.js')
const namespace = 'default'

t.test('every command in the text is one that the program takes', (t) => {
  const lines = text.replace(/\\\n\s+/g, '').matchAll(/^ {4}(?:[a-d]+\$ )?cluster-apiserver (.*)$/gm)
  let count = 0
  for (const [, line = ''] of lines) {
    const parsed = parseCommandLine(line.trim().replaceAll('$NODE', 'a').split(/\s+/))
    if (!parsed.ok) t.fail(`${line}: ${parsed.failure.message}`)
    else if (parsed.value.type === 'serve') {
      const config = configOf(parsed.value.values, { environment: {}, homeDirectory: '/', cores: 1 })
      t.ok(config.ok, `${line}: ${config.ok ? '' : config.failure.message}`)
    }
    count++
  }
  t.ok(count > 20)
  t.end()
})

/** One machine: where its files lie, its ports, and the server that runs on it. */
interface Machine {
  readonly folder: string
  readonly port: number
  readonly peerPort: number
  child: ChildProcess | undefined
  args: readonly string[]
}

t.test('three nodes: made, replaced, upgraded, saved and restored as the text says', async (t) => {
  const folder = temporaryDirectory(t)
  const ports = await freePorts('127.0.0.1', 2 * machines.length)
  const output: string[] = []
  const places = new Map<string, Machine>(
    machines.map((name, i) => [
      name,
      {
        folder: join(folder, name),
        port: ports[2 * i] ?? 0,
        peerPort: ports[2 * i + 1] ?? 0,
        child: undefined,
        args: [],
      },
    ]),
  )
  const place = (name: string): Machine => {
    const found = places.get(name)
    if (found === undefined) throw new Error(`there is no machine ${name}`)
    return found
  }
  t.teardown(() => {
    for (const { child } of places.values()) child?.kill('SIGKILL')
  })

  /** A word of the text, with addresses and paths of the machine that stands for the one in the text. */
  function here(word: string, machine: string): string {
    return word
      .replaceAll(/10\.0\.0\.1([1-4])(?=:2380)/g, '127.0.0.1@$1')
      .replaceAll(/@([1-4]):2380/g, (_, n: string) => `:${place(machines[Number(n) - 1] ?? '').peerPort}`)
      .replaceAll(/10\.0\.0\.1[1-4]/g, '127.0.0.1')
      .replace('/root', folder)
      .replace('/backup', folder)
      .replace('https://api.example.com:6443', `https://127.0.0.1:${place('a').port}`)
      .replace(/^\/(etc|var\/lib)\/cluster-apiserver/, join(folder, machine, '$1'))
  }

  function start(name: string, args: readonly string[]): void {
    const machine = place(name)
    const own = [
      '--workers=0',
      '--bind-address=127.0.0.1',
      `--secure-port=${machine.port}`,
      '--api-dialect=kubernetes',
    ]
    machine.args = args
    const child = spawn(process.execPath, [main, ...args, ...own], { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => output.push(`${name}: ${chunk}`))
    }
    machine.child = child
  }

  async function stop(name: string): Promise<void> {
    const { child } = place(name)
    if (child === undefined || child.exitCode !== null) return
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    t.equal(await ended, 0, `${name} stops in good order`)
  }

  const show = (end: CommandEnd): string => ('text' in end ? end.text : end.message)

  /** What waits for the cluster in the text waits for it here. */
  async function run(name: string, words: readonly string[]): Promise<string> {
    const [first, second] = words
    const waits = first === 'status' || (first === 'member' && second !== 'remove')
    let end = await operate(...words)
    if (waits) {
      await eventually(
        () => `${words.join(' ')} on ${name}: ${show(end)}\n${output.slice(-20).join('')}`,
        async () => {
          if (end.type === 'done') return true
          end = await operate(...words)
          return end.type === 'done'
        },
      )
    }
    t.equal(end.type, 'done', `${name}$ ${words.join(' ')}: ${show(end)}`)
    return show(end)
  }

  async function api(): Promise<CoreV1Api> {
    const ca = readFileSync(join(folder, 'pki/ca.crt'), 'utf8')
    const { port } = place('a')
    await eventually('a to be ready', () => probeReady({ name: 'a', host: '127.0.0.1', port }, ca))
    const config = new KubeConfig()
    config.loadFromFile(join(folder, 'admin.kubeconfig'))
    return config.makeApiClient(CoreV1Api)
  }

  const create = async (name: string): Promise<void> => {
    await (await api()).createNamespacedConfigMap({ namespace, body: { metadata: { name } } })
  }

  async function carryOut({ machine, words: given }: Step): Promise<string> {
    const words = given.map((word) => here(word, machine))
    const [program = '', ...args] = words
    switch (program) {
      case 'scp': {
        const [target = ''] = (args[2] ?? '').split(':')
        cpSync(args[1] ?? '', here(given[3]?.slice(2) ?? '', target), { recursive: true })
        return ''
      }
      case 'mv':
        renameSync(args[0] ?? '', args[1] ?? '')
        return ''
      case 'systemctl':
        if (args[0] === 'stop') await stop(machine)
        else start(machine, place(machine).args)
        return ''
      case 'cluster-apiserver':
        if (args[0] !== 'serve') return run(machine, args)
        start(machine, args)
        return ''
      default:
        throw new Error(`the text has a program that this test does not know: ${program}`)
    }
  }

  for (const step of stepsIn(chapters('Three nodes', 'Backup and restore'))) await carryOut(step)
  t.ok(existsSync(join(folder, 'd/var/lib/store.json')), 'the new member has data')
  await eventually('the vote of the new member', async () =>
    /\n4 +d .* yes\n/.test(await run('a', ['member', 'list', '--data-dir', join(folder, 'a/var/lib')])),
  )
  await create('before')
  const [saved, ...rest] = stepsIn(chapters('Backup and restore', undefined))
  if (saved === undefined) throw new Error('no backup in the text')
  await carryOut(saved)
  await create('after')
  for (const step of rest) await carryOut(step)
  const kept = (await (await api()).listNamespacedConfigMap({ namespace })).items.map(
    ({ metadata }) => metadata?.name,
  )
  t.ok(kept.includes('before'), 'what was there when it was saved')
  t.notOk(kept.includes('after'), 'and nothing later')
  for (const name of ['a', 'b', 'd']) await stop(name)
})
