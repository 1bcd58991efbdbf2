/** Several nodes on one machine: who listens where, remembered in the directory, and what each is started with. */

import { join } from 'node:path'
import { nodeFlags } from '../commands/certs.ts'
import { readIfPresent, writeAtomically } from '../pki/atomic-file.ts'
import { freePorts } from './free-ports.ts'

export const host = '127.0.0.1'

export interface NodePlan {
  readonly name: string
  readonly port: number
  readonly peerPort: number
}

export interface ClusterPlan {
  readonly port: number
  readonly nodes: readonly NodePlan[]
}

const letters = 'abcdefg'

/** The plan of a directory, or a new one: members keep their addresses for life. */
export async function openPlan(
  directory: string,
  wanted: { readonly nodes: number; readonly port: number },
): Promise<ClusterPlan> {
  const path = join(directory, 'cluster.json')
  const found = await readIfPresent(path)
  if (found !== undefined) {
    // Written below, by this program.
    const plan = JSON.parse(found) as ClusterPlan
    return wanted.port === 0 ? plan : { ...plan, port: wanted.port }
  }
  const [first = 0, ...ports] = await freePorts(host, 2 * wanted.nodes + 1)
  const nodes = Array.from({ length: wanted.nodes }, (_, i) => ({
    name: letters.charAt(i),
    port: ports[2 * i] ?? 0,
    peerPort: ports[2 * i + 1] ?? 0,
  }))
  const plan = { port: wanted.port === 0 ? first : wanted.port, nodes }
  await writeAtomically(path, `${JSON.stringify(plan, undefined, 2)}\n`, 0o600)
  return plan
}

interface NodePlace {
  readonly directory: string
  readonly dialect: string
  readonly workers: number
  /** Further flags of `serve`. */
  readonly more: readonly string[]
}

/** The arguments of `serve` for one node. */
export function serveArguments(plan: ClusterPlan, node: NodePlan, place: NodePlace): readonly string[] {
  const cluster = plan.nodes.map(({ name, peerPort }) => `${name}=${host}:${peerPort}`).join(',')
  return [
    'serve',
    `--data-dir=${dataDirOf(place.directory, node.name)}`,
    `--api-dialect=${place.dialect}`,
    `--bind-address=${host}`,
    `--secure-port=${node.port}`,
    `--workers=${place.workers}`,
    `--name=${node.name}`,
    `--initial-cluster=${cluster}`,
    ...nodeFlags(join(certDirOf(place.directory), node.name)),
    ...place.more,
  ]
}

export function dataDirOf(directory: string, name: string): string {
  return join(directory, name)
}

export function certDirOf(directory: string): string {
  return join(directory, 'pki')
}
