/** `local-cluster`: a cluster on this machine for as long as the command runs. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type CommandEnd, type CommandSurroundings, done, failed, table } from '../commands/io.ts'
import type { CommandLineOf } from '../commands/table.ts'
import { type LocalCluster, startLocalCluster } from './local-cluster.ts'

export async function runLocalCluster(
  { dir, nodes, port, workers, 'api-dialect': dialect }: CommandLineOf<'local-cluster'>['values'],
  surroundings: CommandSurroundings,
): Promise<CommandEnd> {
  const { print, onStopSignal, onLine } = surroundings
  const directory = dir === undefined ? await mkdtemp(join(tmpdir(), 'cluster-apiserver-')) : resolve(dir)
  const startMs = performance.now()
  let stopped = false
  const stop = new Promise<void>((resolve) =>
    onStopSignal(() => {
      stopped = true
      resolve()
    }),
  )
  const starting = startLocalCluster({
    directory,
    nodes: nodes ?? 3,
    port: port ?? 0,
    dialect: dialect ?? 'kubernetes',
    workers: workers ?? 1,
    onEvent: (sentence) => print(`${sentence}\n`),
  })
  try {
    const started = await starting
    if (!started.ok) return failed(started.failure.message)
    const cluster = started.value
    if (!stopped) {
      print(describe(cluster, performance.now() - startMs))
      onLine((line) => void cluster.startAgain(line.trim()))
      await stop
    }
    print('stopping\n')
    await cluster.stop()
    return done('stopped\n')
  } finally {
    if (dir === undefined) await rm(directory, { recursive: true, force: true })
  }
}

function describe(cluster: LocalCluster, tookMs: number): string {
  const nodes = cluster.nodes()
  const [first] = nodes
  const rows = nodes.map(({ name, pid, url, peerAddress, dataDir, logPath }) => [
    name,
    String(pid),
    url,
    peerAddress,
    dataDir,
    logPath,
  ])
  return `${nodes.length} nodes are ready after ${(tookMs / 1000).toFixed(2)} s, behind one address that goes to those that are ready:

  server      ${cluster.url}
  kubeconfig  ${cluster.kubeconfigPath}

${table(['NODE', 'PID', 'SERVER', 'FOR MEMBERS', 'DATA', 'LOG'], rows)}
Try:
  kubectl --kubeconfig ${cluster.kubeconfigPath} get namespaces
  cluster-apiserver status --data-dir ${first?.dataDir ?? ''}
  kill -9 ${first?.pid ?? ''}      # the cluster goes on; ${first?.name ?? ''} and Enter here starts that node again
Ctrl-C ends all of them.
`
}
