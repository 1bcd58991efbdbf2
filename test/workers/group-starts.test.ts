/** Starts of members that fail, and the command that starts a whole cluster: real processes. */

import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import t from 'tap'
import { freePorts } from '../../workers/cluster/free-ports.ts'
import { root } from '../house/sources.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryDirectory } from '../support/server-process.ts'

const main = join(root, 'dist/bundle/main.js')

interface Run {
  readonly pid: number
  readonly output: () => string
  readonly ended: Promise<number | null>
  kill(signal: NodeJS.Signals): void
}

function start(t: Test, args: readonly string[]): Run {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  }
  return {
    pid: child.pid ?? 0,
    output: () => output,
    ended: new Promise((resolve) => child.once('close', (code) => resolve(code))),
    kill: (signal) => void child.kill(signal),
  }
}

async function runToEnd(t: Test, args: readonly string[]): Promise<string> {
  const run = start(t, args)
  const code = await run.ended
  return `${code}: ${run.output()}`
}

t.test('members that cannot start say why, and leave everything as it was', async (t) => {
  const folder = temporaryDirectory(t)
  const pki = join(folder, 'pki')
  t.match(await runToEnd(t, ['certs', 'init', '--cert-dir', pki]), /^0: made ca\.crt/)
  t.match(
    await runToEnd(t, ['certs', 'node', '--cert-dir', pki, '--name', 'a']),
    /^0: made the certificates of a/,
  )
  writeFileSync(join(pki, 'no-certificate'), 'nothing')
  const [peer = 0, other = 0] = await freePorts('127.0.0.1', 2)
  const at = (name: string): string => join(pki, 'a', name)
  const common = ['--bind-address', '127.0.0.1', '--secure-port', '0', '--workers', '0']
  const shared = [
    ...['--tls-cert-file', at('apiserver.crt'), '--tls-private-key-file', at('apiserver.key')],
    ...['--client-ca-file', at('ca.crt'), '--service-account-signing-key-file', at('sa.key')],
  ]
  const alone = ['--name', 'a', '--initial-cluster', `a=127.0.0.1:${peer}`]
  const pair = `a=127.0.0.1:${peer},b=127.0.0.1:${other}`
  const peerFiles = (certificate: string, key: string, ca: string): string[] => [
    ...['--peer-cert-file', certificate, '--peer-key-file', key, '--peer-trusted-ca-file', ca],
  ]
  const dataDir = join(folder, 'a')
  const serve = (...more: readonly string[]) =>
    runToEnd(t, ['serve', '--data-dir', dataDir, ...common, ...more])
  const rows: readonly [string, readonly string[], RegExp][] = [
    [
      'a peer file that is not there',
      [...alone, ...peerFiles('/absent', at('peer.key'), at('peer-ca.crt'))],
      /^1: .*--peer-cert-file \/absent: ENOENT/,
    ],
    [
      'a key of another certificate',
      [...alone, ...peerFiles(at('peer.crt'), at('apiserver.key'), at('peer-ca.crt'))],
      /^1: .*apiserver\.key: is not the private key of .*peer\.crt/,
    ],
    [
      'an authority that is none',
      [...alone, ...peerFiles(at('peer.crt'), at('peer.key'), join(pki, 'no-certificate'))],
      /^1: .*no-certificate: holds no certificate in PEM form/,
    ],
    [
      'a cluster that nobody runs',
      ['--name', 'a', '--initial-cluster', pair, '--initial-cluster-state', 'existing', ...shared],
      new RegExp(
        `^1: .*cannot join the cluster: 127\\.0\\.0\\.1:${other}: .*ECONNREFUSED.*--initial-cluster-state`,
      ),
    ],
    ['contradictory flags', ['--initial-cluster', pair], /^2: .*needs --name: which of a, b this server is/],
  ]
  for (const [name, flags, expected] of rows) {
    t.match((await serve(...flags)).replaceAll('\n', ' '), expected, name)
    t.notOk(existsSync(join(dataDir, 'store.json')), `${name}: no data directory was begun`)
  }

  const member = start(t, ['serve', '--data-dir', dataDir, ...common, ...alone])
  await eventually(
    () => member.output(),
    () => member.output().includes('is ready'),
  )
  t.match(
    await runToEnd(t, ['serve', '--data-dir', join(folder, 'b'), ...common, ...alone]),
    new RegExp(`^1: [\\s\\S]*for members: 127\\.0\\.0\\.1:${peer} is in use by another process`),
  )
  const joining = ['--name', 'b', '--initial-cluster', pair, '--initial-cluster-state', 'existing', ...shared]
  t.match(
    await runToEnd(t, ['serve', '--data-dir', join(folder, 'b'), ...common, ...joining]),
    /^1: [\s\S]*the cluster has no member "b": add it first/,
  )
  member.kill('SIGTERM')
  t.equal(await member.ended, 0)
  t.match(
    await serve('--name', 'c', '--initial-cluster', `c=127.0.0.1:${peer}`),
    /^1: [\s\S]*the data directory belongs to member a, not c/,
  )
})

t.test('a cluster on this machine, from its start to Ctrl-C', async (t) => {
  const folder = join(temporaryDirectory(t), 'cluster')
  const cluster = start(t, ['local-cluster', '--dir', folder, '--workers', '0'])
  await eventually(
    () => cluster.output(),
    () => /3 nodes are ready after/.test(cluster.output()),
  )
  const pid = Number(/^b +(\d+) +https:/m.exec(cluster.output())?.[1])
  process.kill(pid, 'SIGKILL')
  const died = `node b (pid ${pid}) died: signal SIGKILL; 2 of 3 nodes are left, the cluster goes on\n`
  await eventually(
    () => cluster.output(),
    () => cluster.output().includes(died),
  )
  const status = (): Promise<string> => runToEnd(t, ['status', '--data-dir', join(folder, 'a')])
  await eventually('the two that are left to have a leader', async () =>
    /^1: leader [ac], .* 2 of 3 members answer/.test(await status()),
  )
  cluster.kill('SIGINT')
  t.equal(await cluster.ended, 0, cluster.output())
  t.match(cluster.output(), /stopping\nstopped\n$/)
  for (const name of ['a', 'c']) t.ok(existsSync(join(folder, name, 'clean')), `${name} ended in good order`)
})
