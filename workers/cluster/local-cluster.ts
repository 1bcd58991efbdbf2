/**
 * A highly available control plane on this machine: several nodes, each its own processes and data directory, behind
 * one address.
 */

import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '../../store/clock.ts'
import { ok, type Result } from '../../store/contract.ts'
import { makeCertificates } from '../commands/certs.ts'
import type { CommandEnd } from '../commands/io.ts'
import { cannotStart, type StartFailure } from '../start-failure.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { lastWords, type NodeProcess, startNodeProcess } from './node-process.ts'
import {
  type ClusterPlan,
  certDirOf,
  dataDirOf,
  host,
  type NodePlan,
  openPlan,
  serveArguments,
} from './plan.ts'
import { probeReady } from './probe.ts'

interface LocalClusterOptions {
  /** Made when absent; a cluster that was there before goes on. */
  readonly directory: string
  readonly nodes: number
  /** Of the one address; 0 = the one that it had before, or a free one. */
  readonly port: number
  readonly dialect: string
  /** Worker processes of each node. */
  readonly workers: number
  /** Further flags of `serve` for the node of that name. */
  readonly more?: (name: string) => readonly string[]
  /** Says what happens to nodes, in whole sentences. */
  readonly onEvent: (sentence: string) => void
}

interface LocalNode {
  readonly name: string
  readonly url: string
  readonly peerAddress: string
  readonly dataDir: string
  readonly logPath: string
  readonly pid: number
  readonly isRunning: boolean
}

export interface LocalCluster {
  readonly url: string
  readonly kubeconfigPath: string
  nodes(): readonly LocalNode[]
  /** Sends a signal to a node's supervisor: SIGKILL, SIGSTOP, … */
  kill(name: string, signal: NodeJS.Signals): void
  /** Starts a node that has ended. */
  startAgain(name: string): Promise<void>
  /** Settles when the node is ready for clients; rejects when it ends before. */
  ready(name: string): Promise<void>
  /** Ends all nodes in good order. */
  stop(): Promise<void>
}

const stopGraceMs = 20_000
const readyPollMs = 50

/** Starts the nodes as processes, and waits until all are ready; what was started is stopped when one fails. */
export async function startLocalCluster(
  options: LocalClusterOptions,
): Promise<Result<LocalCluster, StartFailure>> {
  const { directory } = options
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const plan = await openPlan(directory, options)
  const kubeconfigPath = join(directory, 'admin.kubeconfig')
  const made = await makeFiles(plan, directory, kubeconfigPath)
  if (made !== undefined) return cannotStart(made)
  const ca = await readFile(join(certDirOf(directory), 'ca.crt'), 'utf8')
  const balancer = await startBalancer({
    host,
    port: plan.port,
    backends: plan.nodes.map(({ name, port }) => ({ name, host, port })),
    clock: systemClock,
    probe: (backend) => probeReady(backend, ca),
  })
  if (!balancer.ok) return balancer
  const cluster = new Nodes(options, plan, balancer.value, ca)
  for (const node of plan.nodes) await cluster.start(node)
  const ready = await Promise.allSettled(plan.nodes.map(({ name }) => cluster.ready(name)))
  const problem = ready.find((one) => one.status === 'rejected')
  if (problem?.status === 'rejected') {
    await cluster.stop()
    return cannotStart(problem.reason instanceof Error ? problem.reason.message : String(problem.reason))
  }
  return ok({
    url: `https://${host}:${plan.port}`,
    kubeconfigPath,
    nodes: () => cluster.list(),
    kill: (name, signal) => cluster.processOf(name).kill(signal),
    startAgain: (name) => cluster.startAgain(name),
    ready: (name) => cluster.ready(name),
    stop: () => cluster.stop(),
  })
}

/** Certificates and the kubeconfig, where they are missing; returns what is in the way. */
async function makeFiles(
  plan: ClusterPlan,
  directory: string,
  kubeconfigPath: string,
): Promise<string | undefined> {
  const certDir = certDirOf(directory)
  const surroundings = { nowMs: systemClock.wallMs() }
  const shared = { 'cert-dir': certDir, validity: undefined }
  const problemOf = (end: CommandEnd): string | undefined => ('message' in end ? end.message : undefined)
  const init = await makeCertificates({ name: 'certs init', values: shared, arguments: [] }, surroundings)
  if (problemOf(init) !== undefined) return problemOf(init)
  for (const { name } of plan.nodes) {
    const values = { ...shared, name, sans: [host] }
    const made = await makeCertificates({ name: 'certs node', values, arguments: [] }, surroundings)
    if (problemOf(made) !== undefined) return problemOf(made)
  }
  const values = { ...shared, server: `https://${host}:${plan.port}`, user: undefined, groups: undefined }
  return problemOf(
    await makeCertificates({ name: 'certs kubeconfig', values, arguments: [kubeconfigPath] }, surroundings),
  )
}

class Nodes {
  readonly #options: LocalClusterOptions
  readonly #plan: ClusterPlan
  readonly #balancer: Balancer
  readonly #ca: string
  readonly #processes = new Map<string, NodeProcess>()
  #stopping = false

  constructor(options: LocalClusterOptions, plan: ClusterPlan, balancer: Balancer, ca: string) {
    this.#options = options
    this.#plan = plan
    this.#balancer = balancer
    this.#ca = ca
  }

  list(): readonly LocalNode[] {
    return this.#plan.nodes.map(({ name, port, peerPort }) => ({
      name,
      url: `https://${host}:${port}`,
      peerAddress: `${host}:${peerPort}`,
      dataDir: dataDirOf(this.#options.directory, name),
      logPath: this.#logPath(name),
      pid: this.#processes.get(name)?.pid ?? 0,
      isRunning: this.#processes.get(name)?.isRunning ?? false,
    }))
  }

  processOf(name: string): NodeProcess {
    const found = this.#processes.get(name)
    if (found === undefined) throw new RangeError(`there is no node ${name}`)
    return found
  }

  async start(node: NodePlan): Promise<void> {
    const { directory, dialect, workers, more } = this.#options
    const args = serveArguments(this.#plan, node, {
      directory,
      dialect,
      workers,
      more: more?.(node.name) ?? [],
    })
    const started = await startNodeProcess(args, this.#logPath(node.name))
    this.#processes.set(node.name, started)
    void started.ended.then((how) => this.#onEnd(node.name, started.pid, how))
  }

  async startAgain(name: string): Promise<void> {
    const node = this.#plan.nodes.find((one) => one.name === name)
    if (node === undefined || this.#processes.get(name)?.isRunning === true || this.#stopping) return
    await this.start(node)
    this.#options.onEvent(`node ${name} is started again (pid ${this.processOf(name).pid})`)
  }

  async ready(name: string): Promise<void> {
    const node = this.#plan.nodes.find((one) => one.name === name)
    if (node === undefined) throw new RangeError(`there is no node ${name}`)
    while (!(await probeReady({ name, host, port: node.port }, this.#ca))) {
      if (!this.processOf(name).isRunning) {
        throw new Error(`node ${name} does not start:\n${await lastWords(this.#logPath(name))}`)
      }
      await new Promise<void>((resolve) => systemClock.after(readyPollMs, resolve))
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#balancer.close()
    await Promise.all([...this.#processes.values()].map((one) => one.stop(stopGraceMs)))
  }

  #onEnd(name: string, pid: number, how: string): void {
    if (this.#stopping) return
    const left = [...this.#processes.values()].filter(({ isRunning }) => isRunning).length
    const all = this.#plan.nodes.length
    const consequence = left > all / 2 ? 'the cluster goes on' : 'too few to go on: requests are answered 503'
    this.#options.onEvent(
      `node ${name} (pid ${pid}) died: ${how}; ${left} of ${all} nodes are left, ${consequence}`,
    )
  }

  #logPath(name: string): string {
    return join(this.#options.directory, `${name}.log`)
  }
}
