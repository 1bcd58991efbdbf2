/**
 * The compose file against the program that it starts: every flag is one of ours, names, ports and files agree, and the
 * same commands, with the addresses of this machine, make a cluster.
 */

import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node'
import t from 'tap'
import { parse } from 'yaml'
import { systemClock } from '../../store/clock.ts'
import { parseInitialCluster } from '../../store/peers/address.ts'
import { startBalancer } from '../../workers/cluster/balancer.ts'
import { freePorts } from '../../workers/cluster/free-ports.ts'
import { probeReady } from '../../workers/cluster/probe.ts'
import { type Config, configOf } from '../../workers/flags/config.ts'
import { parseCommandLine } from '../../workers/flags/parse.ts'
import { root } from '../house/sources.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryDirectory } from '../support/server-process.ts'

interface Service {
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly depends_on?: unknown
  readonly healthcheck?: { readonly test: readonly string[] }
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
  readonly configs: Readonly<Record<string, { readonly content: string }>>
}

const nodes: readonly string[] = ['a', 'b', 'c']

// The shape is checked against the schema of the compose specification; what is read from it is checked here.
const file: ComposeFile = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true })

function service(name: string): Service {
  const found = file.services[name]
  if (found === undefined) throw new Error(`there is no service ${name}`)
  return found
}

/** `${NAME:-default}` → the default, as without an environment. */
function interpolated(text: string): string {
  return text.replace(/\$\{\w+:-([^}]*)\}/g, '$1')
}

function commandOf(name: string): readonly string[] {
  return (service(name).command ?? []).map(interpolated)
}

function configFor(name: string): Config {
  const line = parseCommandLine(commandOf(name))
  if (!line.ok) throw new Error(`${name}: ${line.failure.message}`)
  if (line.value.type !== 'serve') throw new Error(`${name} does not serve`)
  const config = configOf(line.value.values, { environment: {}, homeDirectory: '/', cores: 1 })
  if (!config.ok) throw new Error(`${name}: ${config.failure.message}`)
  return config.value
}

/** Where a path in the container lies: `[volume, path in it]`. */
function mountOf(name: string, path: string): readonly [string, string] | undefined {
  for (const text of service(name).volumes ?? []) {
    const [volume = '', at = ''] = text.split(':')
    if (path === at || path.startsWith(`${at}/`)) return [volume, path.slice(at.length + 1)]
  }
  return undefined
}

const script = commandOf('certs').join('\n')

t.test('each node is a member of the same cluster, under the name of its service', (t) => {
  const clusters = new Set<string>()
  for (const name of nodes) {
    const { replication, bindAddress, securePort } = configFor(name)
    t.equal(replication?.name, name)
    clusters.add(replication?.initialCluster ?? '')
    const cluster = parseInitialCluster(replication?.initialCluster ?? '')
    const own = cluster.ok ? cluster.value.find((member) => member.name === name) : undefined
    t.equal(own?.address, `${name}:2380`, 'others find it by the name of its service')
    t.equal(replication?.listenAddress, '0.0.0.0:2380', 'where it listens for them')
    t.equal(bindAddress, '0.0.0.0')
    t.equal(securePort, 6443)
    t.same(service(name).depends_on, { certs: { condition: 'service_completed_successfully' } })
    t.match(service(name).healthcheck?.test.join(' '), /port: 6443, path: '\/readyz'/)
  }
  t.equal(clusters.size, 1)
  t.end()
})

t.test('every node has data of its own, and reads the certificates that were made for it', (t) => {
  for (const name of nodes) {
    const { dataDir, tlsFiles, clientCaFile, replication, serviceAccounts } = configFor(name)
    t.same(mountOf(name, dataDir), [`data-${name}`, ''])
    const files = [
      tlsFiles?.certificate,
      tlsFiles?.privateKey,
      clientCaFile,
      replication?.peerFiles?.certificate,
      replication?.peerFiles?.privateKey,
      replication?.peerFiles?.trustedCa,
      serviceAccounts.signingKeyFile,
    ]
    for (const path of files) t.equal(mountOf(name, path ?? '')?.[0], `pki-${name}`, path ?? '')
    t.ok(service('certs').volumes?.includes(`pki-${name}:/pki/${name}`), 'made there')
    t.match(script, new RegExp(`certs node --cert-dir /pki --name ${name} --sans ${name},`))
  }
  const used = Object.values(file.services).flatMap(({ volumes = [] }) =>
    volumes.map((text) => text.split(':')[0]),
  )
  t.same([...new Set(used)].sort(), Object.keys(file.volumes).sort(), 'every volume is declared and used')
  t.end()
})

t.test('the balancer goes to every node, where it listens', (t) => {
  const balancer = file.configs['balancer']?.content ?? ''
  const servers = [...balancer.matchAll(/^ *server (\w+) (\w+):(\d+)$/gm)].map(([, ...parts]) => parts)
  t.same(
    servers,
    nodes.map((name) => [name, name, String(configFor(name).securePort)]),
  )
  t.match(balancer, /mode tcp/, 'TLS passes through')
  t.match(balancer, /option httpchk GET \/readyz/)
  t.match(balancer, /bind :6443\n/)
  t.same(service('balancer').ports, ['6443:6443'])
  t.match(script, /--server https:\/\/localhost:6443 /)
  t.end()
})

t.test('the commands of the file, with addresses of this machine, make a cluster', async (t) => {
  const folder = temporaryDirectory(t)
  const pki = join(folder, 'pki')
  mkdirSync(pki)
  const main = join(root, 'dist/bundle/main.js')
  const [lb = 0, ...ports] = await freePorts('127.0.0.1', 7)
  const portOf = (name: string, purpose: 'api' | 'peer'): number =>
    ports[nodes.indexOf(name) + (purpose === 'api' ? 0 : 3)] ?? 0
  const made = spawnSync(
    'sh',
    [
      ...(service('certs').entrypoint ?? []).slice(1),
      script
        .replaceAll('node dist/bundle/main.js', `"${process.execPath}" "${main}"`)
        .replaceAll('/pki', pki)
        .replaceAll('localhost:6443', `localhost:${lb}`),
    ],
    { encoding: 'utf8' },
  )
  t.equal(made.status, 0, made.stderr)

  const output: string[] = []
  for (const name of nodes) {
    const args = commandOf(name).map((word) =>
      word
        .replace('=/pki/', `=${join(pki, name)}/`)
        .replace('=/data', `=${join(folder, name)}`)
        .replace('=6443', `=${portOf(name, 'api')}`)
        .replace('=0.0.0.0:2380', `=127.0.0.1:${portOf(name, 'peer')}`)
        .replace('=0.0.0.0', '=127.0.0.1')
        .replace(/\b([abc]):2380/g, (_, other: string) => `localhost:${portOf(other, 'peer')}`),
    )
    const child = spawn(process.execPath, [main, ...args, '--workers=1'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => output.push(`${name}: ${chunk}`))
    }
    const ended = new Promise((resolve) => child.once('exit', resolve))
    t.teardown(async () => {
      child.kill('SIGKILL')
      await ended
    })
  }
  const ca = readFileSync(join(pki, 'ca.crt'), 'utf8')
  const balancer = await startBalancer({
    host: '127.0.0.1',
    port: lb,
    backends: nodes.map((name) => ({ name, host: '127.0.0.1', port: portOf(name, 'api') })),
    clock: systemClock,
    probe: (backend) => probeReady(backend, ca),
  })
  if (!balancer.ok) throw new Error(balancer.failure.message)
  t.teardown(() => balancer.value.close())
  await eventually(
    () => `all nodes to be ready\n${output.join('')}`,
    () => nodes.every((name) => balancer.value.isUp(name)),
    60_000,
  )
  const config = new KubeConfig()
  config.loadFromFile(join(pki, 'admin.kubeconfig'))
  const namespaces = await config.makeApiClient(CoreV1Api).listNamespace()
  t.ok(namespaces.items.some(({ metadata }) => metadata?.name === 'default'))
})
