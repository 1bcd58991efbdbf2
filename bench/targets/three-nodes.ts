/** Three nodes of this project's server on this machine, as `cluster-apiserver local-cluster` starts them. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askMember } from '../../store/member/admin.ts'
import type { MemberView } from '../../store/member/cluster-messages.ts'
import { type LocalCluster, startLocalCluster } from '../../workers/cluster/local-cluster.ts'
import { createEndpoint, type Endpoint, readKubeconfig } from '../client/endpoint.ts'
import { createProcessTree } from '../measure/processes.ts'
import type { Target } from '../scenarios/scenario.ts'

interface ThreeNodes {
  readonly cluster: LocalCluster
  /** One node, without the balancer between: that would cost the client's processor time. */
  readonly target: Target
  /** Through the balancer: survives the loss of a node. */
  readonly balanced: Endpoint
  /** From the start, certificates included, until all are ready. Milliseconds. */
  readonly readyMs: number
  leader(): Promise<string>
  close(): Promise<void>
}

/** @param follows load goes to a follower, which hands every write to the leader; else to the leader */
export async function startThreeNodes(follows: boolean): Promise<ThreeNodes> {
  const directory = mkdtempSync(join(tmpdir(), 'cluster-apiserver-bench-'))
  const removeDirectory = (): void => rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
  const begunMs = performance.now()
  const started = await startLocalCluster({
    directory,
    nodes: 3,
    port: 0,
    dialect: 'cluster',
    workers: 1,
    onEvent() {},
  })
  if (!started.ok) {
    removeDirectory()
    throw new Error(started.failure.message)
  }
  const cluster = started.value
  const readyMs = performance.now() - begunMs
  const leader = await leaderOf(cluster)
  const node = cluster.nodes().find(({ name }) => (name === leader) !== follows)
  const credentials = readKubeconfig(cluster.kubeconfigPath)
  return {
    cluster,
    target: {
      name: 'three nodes',
      endpoint: createEndpoint({ ...credentials, server: node?.url ?? cluster.url }),
      processes: createProcessTree(cluster.nodes().map(({ pid }) => pid)),
      isBaseline: false,
      isForeign: false,
    },
    balanced: createEndpoint(credentials),
    readyMs,
    leader: () => leaderOf(cluster),
    async close() {
      await cluster.stop()
      removeDirectory()
    },
  }
}

async function leaderOf(cluster: LocalCluster): Promise<string> {
  const [first] = cluster.nodes()
  const answer = await askMember(first?.dataDir ?? '', { method: 'list' })
  if (!answer.ok) throw new Error(answer.failure.message)
  // What the method answers.
  const leader = (answer.value as readonly MemberView[]).find(({ status }) => status?.role === 'leader')
  if (leader === undefined) throw new Error('the three nodes have no leader')
  return leader.name
}
