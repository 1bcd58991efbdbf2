/**
 * What high availability is for: three nodes on this machine as `npm run cluster` starts them, an informer and a writer
 * that know one kubeconfig alone, and each node killed in turn. Nothing acknowledged is lost, nothing is seen twice or
 * out of order, and writes go on within seconds.
 */

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import {
  CoreV1Api,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
  type V1ConfigMap,
} from '@kubernetes/client-node'
import t from 'tap'
import { type LocalCluster, startLocalCluster } from '../../workers/cluster/local-cluster.ts'
import { root } from '../house/sources.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryDirectory } from '../support/server-process.ts'

const namespace = 'default'

/** Longest that no write is acknowledged: an election takes about 1.5 s; machines of tests are busy. */
const outageMaxMs = 60_000

interface Writer {
  readonly acknowledged: string[]
  /** Answers other than success: what a client met. */
  readonly refusals: string[]
  /** Longest time between two acknowledgements, milliseconds. */
  longestMs(): number
  progress(count: number): Promise<void>
  stop(): Promise<void>
}

/** Creates one object after the other, each until it is there. */
function write(api: CoreV1Api): Writer {
  const acknowledged: string[] = []
  const refusals: string[] = []
  let running = true
  let lastMs = performance.now()
  let longestMs = 0
  const done = (async () => {
    while (running) {
      const name = `m${String(acknowledged.length).padStart(5, '0')}`
      try {
        await api.createNamespacedConfigMap({ namespace, body: { metadata: { name } } })
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
        // The attempt before had been carried out, but its answer was lost.
        if (code !== '409') {
          refusals.push(code)
          await new Promise((resolve) => setTimeout(resolve, 20))
          continue
        }
      }
      acknowledged.push(name)
      longestMs = Math.max(longestMs, performance.now() - lastMs)
      lastMs = performance.now()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })()
  return {
    acknowledged,
    refusals,
    longestMs: () => longestMs,
    async progress(count) {
      const target = acknowledged.length + count
      await eventually(
        () => `${count} more writes; refused: ${refusals.slice(-5).join(', ')}`,
        () => acknowledged.length >= target,
        outageMaxMs,
      )
    },
    async stop() {
      running = false
      await done
    },
  }
}

interface Informed {
  /** Names in the order in which they were added. */
  readonly added: string[]
  readonly names: () => readonly string[]
  stop(): Promise<void>
}

async function inform(config: KubeConfig, api: CoreV1Api): Promise<Informed> {
  const added: string[] = []
  let running = true
  const informer = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
    api.listNamespacedConfigMap({ namespace }),
  )
  informer.on('add', (object: KubernetesObject) => {
    const name = object.metadata?.name ?? ''
    if (name.startsWith('m')) added.push(name)
  })
  informer.on('error', () => {
    const again = (): void => {
      if (running) informer.start().catch(() => setTimeout(again, 50))
    }
    again()
  })
  await informer.start()
  return {
    added,
    names: () =>
      informer.list().flatMap(({ metadata }) => (metadata?.name?.startsWith('m') ? [metadata.name] : [])),
    async stop() {
      running = false
      await informer.stop()
    },
  }
}

interface StatusJson {
  readonly leader: string | null
  readonly members: readonly { readonly name: string; readonly answers: boolean; readonly lag?: number }[]
}

/** As an operator asks, of a node that runs. */
function status(cluster: LocalCluster): StatusJson {
  const node = cluster.nodes().find(({ isRunning }) => isRunning)
  const main = join(root, 'dist/bundle/main.js')
  const { stdout } = spawnSync(
    process.execPath,
    [main, 'status', '--data-dir', node?.dataDir ?? '', '-o', 'json'],
    { encoding: 'utf8' },
  )
  return JSON.parse(stdout)
}

t.test('any node may die while an informer and a writer go on', async (t) => {
  const events: string[] = []
  const started = await startLocalCluster({
    directory: temporaryDirectory(t),
    nodes: 3,
    port: 0,
    dialect: 'kubernetes',
    workers: 1,
    onEvent: (sentence) => events.push(sentence),
  })
  if (!started.ok) throw new Error(started.failure.message)
  const cluster = started.value
  t.teardown(() => cluster.stop())
  const config = new KubeConfig()
  config.loadFromFile(cluster.kubeconfigPath)
  const api = config.makeApiClient(CoreV1Api)
  const informed = await inform(config, api)
  t.teardown(() => informed.stop())
  const writer = write(api)
  t.teardown(() => writer.stop())
  await writer.progress(20)

  // The leader first: then the others, whoever leads by then.
  const first = status(cluster).leader ?? 'a'
  const others = cluster.nodes().flatMap(({ name }) => (name === first ? [] : [name]))
  for (const name of [first, ...others]) {
    const { pid } = cluster.nodes().find((node) => node.name === name) ?? { pid: 0 }
    cluster.kill(name, 'SIGKILL')
    await eventually('the death to be told', () =>
      events.includes(
        `node ${name} (pid ${pid}) died: signal SIGKILL; 2 of 3 nodes are left, the cluster goes on`,
      ),
    )
    await writer.progress(20)
    await cluster.startAgain(name)
    await cluster.ready(name)
  }
  await writer.progress(20)
  await writer.stop()
  t.comment(
    `${writer.acknowledged.length} writes, longest pause ${writer.longestMs().toFixed(0)} ms; met ${JSON.stringify(writer.refusals)}`,
  )

  const stored = (await api.listNamespacedConfigMap({ namespace })).items.flatMap(({ metadata }) =>
    metadata?.name?.startsWith('m') ? [metadata.name] : [],
  )
  t.same(stored, writer.acknowledged, 'every acknowledged write is there, and nothing else')
  const last = writer.acknowledged.at(-1) ?? ''
  await eventually('the informer to have seen the last write', () => informed.added.includes(last))
  t.same(informed.added, writer.acknowledged, 'the informer saw each once, in order')
  t.same([...informed.names()].sort(), writer.acknowledged, 'and holds all of them')
  const { leader, members } = status(cluster)
  t.ok(leader)
  t.ok(members.every(({ answers }) => answers))
})
