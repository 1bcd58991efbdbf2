/** Real processes: what an operator sees. Each test has a server and a data directory of its own. */

import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Agent, get, request } from 'node:https'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { eventually } from '../support/eventually.ts'
import { freePort, type ServerProcess, startServerProcess } from '../support/server-process.ts'

interface Credentials {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** Out of the kubeconfig alone, as a client would. */
function credentials(server: ServerProcess): Credentials {
  const config: unknown = parse(readFileSync(server.kubeconfigPath, 'utf8'))
  const data = (...path: readonly (string | number)[]): string => {
    let value = config
    for (const step of path)
      value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined
    return Buffer.from(String(value), 'base64').toString()
  }
  return {
    ca: data('clusters', 0, 'cluster', 'certificate-authority-data'),
    cert: data('users', 0, 'user', 'client-certificate-data'),
    key: data('users', 0, 'user', 'client-key-data'),
  }
}

interface Answer {
  readonly status: number
  readonly body: string
}

async function ask(server: ServerProcess, path: string, body?: object): Promise<Answer> {
  const answer = await open(server, path, body)
  let text = ''
  for await (const chunk of answer) text += String(chunk)
  return { status: answer.statusCode ?? 0, body: text }
}

function open(server: ServerProcess, path: string, body?: object): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port: server.port,
      path,
      method: body === undefined ? 'GET' : 'POST',
      agent: new Agent(credentials(server)),
      headers: { 'content-type': 'application/json' },
    })
    sent.once('response', resolve)
    sent.once('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const configMaps = '/api/v1/namespaces/default/configmaps'

function configMap(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }
}

interface Watched {
  readonly text: () => string
  /** How it ended: `complete` is the clean end of a chunked body. */
  readonly ended: Promise<'complete' | 'broken'>
}

async function watch(server: ServerProcess, query = ''): Promise<Watched> {
  const answer = await open(server, `${configMaps}?watch=true${query}`)
  let text = ''
  answer.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  const ended = new Promise<'complete' | 'broken'>((resolve) => {
    answer.once('end', () => resolve('complete'))
    answer.once('error', () => resolve('broken'))
  })
  return { text: () => text, ended }
}

/** Workers of a server, by process id. */
function workersOf(server: ServerProcess): readonly number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(server.child.pid)], { encoding: 'utf8' })
  return stdout.split('\n').flatMap((line) => (line.trim() === '' ? [] : [Number(line)]))
}

t.test('the kubeconfig is for its owner, and enough for a client', async (t) => {
  const server = await startServerProcess(t, { args: ['--workers', '1'] })
  t.equal(statSync(server.kubeconfigPath).mode & 0o777, 0o600)
  t.match(await ask(server, '/api/v1/namespaces/default'), { status: 200, body: /"name":"default"/ })
  const stranger = await new Promise<number>((resolve, reject) => {
    get(
      {
        host: '127.0.0.1',
        port: server.port,
        path: '/api/v1/namespaces',
        ca: credentials(server).ca,
        headers: { authorization: 'Bearer wrong' },
      },
      (answer) => resolve(answer.resume().statusCode ?? 0),
    ).once('error', reject)
  })
  t.equal(stranger, 401)
  t.equal(await server.stop(), 0)
})

t.test('a worker that is killed is replaced, and its watch goes on elsewhere', async (t) => {
  const server = await startServerProcess(t, { args: ['--workers', '2'] })
  const before = workersOf(server)
  t.equal(before.length, 2)
  const created = await ask(server, configMaps, configMap('first'))
  t.equal(created.status, 201)
  const version = /"resourceVersion":"(\d+)"/.exec(created.body)?.[1] ?? ''

  const watches = await Promise.all([watch(server), watch(server)])
  await eventually('the first object', () => watches.every(({ text }) => text().includes('"first"')))
  for (const pid of before) process.kill(pid, 'SIGKILL')
  t.same(await Promise.all(watches.map(({ ended }) => ended)), ['broken', 'broken'])

  await eventually('two new workers', () => {
    const now = workersOf(server)
    return now.length === 2 && now.every((pid) => !before.includes(pid))
  })
  let resumed: Watched | undefined
  await eventually('a watch of a new worker', async () => {
    resumed = await watch(server, `&resourceVersion=${version}`).catch(() => undefined)
    return resumed !== undefined
  })
  t.equal((await ask(server, configMaps, configMap('second'))).status, 201)
  await eventually('the second object', () => resumed?.text().includes('"second"') === true)
  t.notMatch(resumed?.text(), '"first"', 'nothing twice')
  t.match(server.output(), /a worker ended and will be replaced worker=\d why="signal SIGKILL" inMs=100/)
  t.equal(await server.stop(), 0)
})

t.test('SIGTERM: not ready, still serving, then watches end cleanly and all processes go', async (t) => {
  const server = await startServerProcess(t, {
    args: ['--workers', '2', '--shutdown-delay-duration', '5s'],
  })
  const watches = await Promise.all([watch(server), watch(server)])
  t.equal((await ask(server, '/readyz')).status, 200)
  const workers = workersOf(server)
  const ended = server.stop('SIGTERM')
  await eventually('readyz to fail on every worker', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask(server, '/readyz')))
    return answers.every(({ status }) => status !== 200)
  })
  t.equal((await ask(server, '/livez')).status, 200, 'alive')
  t.equal((await ask(server, configMaps, configMap('late'))).status, 201, 'still serving')
  await eventually('its event', () => watches.every(({ text }) => text().includes('"late"')))
  t.same(await Promise.all(watches.map((one) => one.ended)), ['complete', 'complete'])
  t.equal(await ended, 0)
  await eventually('the workers to be gone', () => workers.every((pid) => !isAlive(pid)))
})

t.test('a second signal ends it at once', async (t) => {
  const server = await startServerProcess(t, { args: ['--workers', '1', '--shutdown-delay-duration', '1h'] })
  const ended = server.stop('SIGTERM')
  await eventually('the first to be heard', () => server.output().includes('stopping'))
  server.child.kill('SIGINT')
  t.equal(await ended, 1)
})

t.test('workers do not outlive their supervisor', async (t) => {
  const server = await startServerProcess(t, { args: ['--workers', '2'] })
  const workers = workersOf(server)
  await server.stop('SIGKILL')
  await eventually('the workers to go', () => workers.every((pid) => !isAlive(pid)))
  t.equal(workers.length, 2)
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

t.test('everything in one process, both listeners', async (t) => {
  const httpPort = await freePort()
  const server = await startServerProcess(t, { args: ['--workers', '0', '--http-port', String(httpPort)] })
  t.same(workersOf(server), [])
  const token = readFileSync(join(server.dataDir, 'admin.token'), 'utf8').trim()
  const url = `http://127.0.0.1:${httpPort}/api/v1/namespaces/default`
  t.equal((await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status, 200)
  t.equal((await fetch(url, { headers: { authorization: 'Bearer wrong' } })).status, 401)
  t.equal(await server.stop('SIGINT'), 0)
})

t.test('metrics are those of all processes together', async (t) => {
  const server = await startServerProcess(t, { args: ['--workers', '2'] })
  for (let i = 0; i < 10; i++) await ask(server, '/version')
  const { status, body } = await ask(server, '/metrics')
  t.equal(status, 200)
  const served = [...body.matchAll(/^apiserver_request_total\{(.*)\} (\d+)$/gm)]
    .filter(([, labels]) => labels?.includes('200'))
    .reduce((sum, [, , count]) => sum + Number(count), 0)
  t.ok(served >= 10, `${served} requests counted over both workers`)
  t.equal([...body.matchAll(/^process_resident_memory_bytes /gm)].length, 1, 'one figure')
  t.equal(await server.stop(), 0)
})
