/** Three nodes through the command line, and what can be done to them. */

import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '../../workers/cluster/free-ports.ts'
import { type LocalCluster, startLocalCluster } from '../../workers/cluster/local-cluster.ts'
import { type ClusterPlan, host } from '../../workers/cluster/plan.ts'
import { eventually } from '../support/eventually.ts'
import { type Links, startLinks } from './links.ts'

export const nodeNames: readonly string[] = ['a', 'b', 'c']

export interface ChaosNodes {
  readonly kubeconfigPath: string
  urlOf(name: string): string
  /** SIGKILL to every process of the node; settles when it is dead. */
  kill(name: string): Promise<void>
  /** Starts a node that is dead; settles as soon as its process is there. */
  startIfDead(name: string): Promise<void>
  /** SIGSTOP or SIGCONT to every process of the node. */
  signal(name: string, signal: 'SIGSTOP' | 'SIGCONT'): void
  readonly links: Pick<Links, 'cut' | 'heal'>
  /** Leaves no free byte on the node's disk. */
  fillDisk(name: string): void
  emptyDisk(name: string): void
  stop(): Promise<void>
}

interface ChaosNodesOptions {
  readonly directory: string
  /** A file system of its own for each node, of this size; 0 = the one of the directory, which cannot be filled. */
  readonly diskMiB: number
  readonly onEvent: (sentence: string) => void
}

/** Seeing the death of a child takes milliseconds; on a machine that does much else beside, more. */
const deathMs = 30_000

export async function startChaosNodes({
  directory,
  diskMiB,
  onEvent,
}: ChaosNodesOptions): Promise<ChaosNodes> {
  const disks = diskMiB === 0 ? undefined : mountDisks(directory, diskMiB)
  const { plan, listenPorts } = await planWithLinks(directory)
  const links = await startLinks(
    host,
    plan.nodes.map(({ name, peerPort }) => ({
      name,
      port: peerPort,
      listenPort: listenPorts.get(name) ?? 0,
    })),
  )
  const started = await startLocalCluster({
    directory,
    nodes: nodeNames.length,
    port: 0,
    dialect: 'kubernetes',
    workers: 1,
    more: (name) => [`--peer-bind-address=${host}:${listenPorts.get(name) ?? 0}`],
    onEvent,
  })
  if (!started.ok) {
    await links.close()
    disks?.unmount()
    throw new Error(started.failure.message)
  }
  const running = started.value
  const signal = (name: string, which: NodeJS.Signals): void => {
    const { pid, isRunning } = nodeOf(running, name)
    // A node leads a process group of its own.
    if (isRunning) process.kill(-pid, which)
  }
  return {
    kubeconfigPath: running.kubeconfigPath,
    urlOf: (name) => nodeOf(running, name).url,
    async kill(name) {
      signal(name, 'SIGKILL')
      await eventually(`the death of ${name}`, () => !nodeOf(running, name).isRunning, deathMs)
    },
    startIfDead: (name) => running.startAgain(name),
    signal,
    links,
    fillDisk: (name) => fill(fillerOf(directory, name)),
    emptyDisk: (name) => rmSync(fillerOf(directory, name), { force: true }),
    async stop() {
      await running.stop()
      await links.close()
      disks?.unmount()
    },
  }
}

function nodeOf(cluster: LocalCluster, name: string): ReturnType<LocalCluster['nodes']>[number] {
  const found = cluster.nodes().find((node) => node.name === name)
  if (found === undefined) throw new RangeError(`there is no node ${name}`)
  return found
}

/** Members know each other by the ports of the links; where each listens is for its own command line. */
async function planWithLinks(
  directory: string,
): Promise<{ readonly plan: ClusterPlan; readonly listenPorts: ReadonlyMap<string, number> }> {
  const [port = 0, ...ports] = await freePorts(host, 3 * nodeNames.length + 1)
  const nodes = nodeNames.map((name, i) => ({
    name,
    port: ports[3 * i] ?? 0,
    peerPort: ports[3 * i + 1] ?? 0,
  }))
  const listenPorts = new Map(nodeNames.map((name, i) => [name, ports[3 * i + 2] ?? 0]))
  const plan = { port, nodes }
  writeFileSync(join(directory, 'cluster.json'), JSON.stringify(plan))
  return { plan, listenPorts }
}

/** The disk is mounted at the data directory. */
function fillerOf(directory: string, name: string): string {
  return join(directory, name, 'filler')
}

function mountDisks(directory: string, mebibytes: number): { unmount(): void } {
  const mounted: string[] = []
  const unmount = (): void => {
    for (const path of mounted.splice(0)) spawnSync('umount', ['--lazy', path])
  }
  process.once('exit', unmount)
  for (const name of nodeNames) {
    const path = join(directory, name)
    mkdirSync(path, { mode: 0o700 })
    const { status, stderr } = spawnSync(
      'mount',
      ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0700`, 'none', path],
      { encoding: 'utf8' },
    )
    if (status !== 0) {
      unmount()
      throw new Error(`a disk that can be filled needs the right to mount a tmpfs: ${stderr.trim()}`)
    }
    mounted.push(path)
  }
  return { unmount }
}

function fill(path: string): void {
  const file = openSync(path, 'w', 0o600)
  try {
    for (const size of [1 << 20, 1 << 12, 1]) {
      const bytes = Buffer.alloc(size, 1)
      while (writeWhole(file, bytes));
    }
  } finally {
    closeSync(file)
  }
}

/** False when the disk is full. */
function writeWhole(file: number, bytes: Buffer): boolean {
  try {
    return writeSync(file, bytes) === bytes.length
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false
    throw error
  }
}
