/**
 * What a node needs, as a graph: edges lead from a thing to what uses it, until a node.
 *
 *     secret, config map, service account ──▶ pod ──▶ node
 *     claim ──▶ pod          volume ──▶ claim          secret ──▶ volume          attachment ──▶ node
 *
 * Pods, volumes and attachments bring edges and take them away again; the rest is there by being named.
 */

import type { ApiObject } from '../../types/object.ts'
import { attachedNode, podReferences, volumeReferences } from './references.ts'

export type VertexType =
  | 'node'
  | 'pod'
  | 'secret'
  | 'configMap'
  | 'serviceAccount'
  | 'claim'
  | 'volume'
  | 'attachment'

type Vertex = string

/** `/` is in no name. */
function vertex(type: VertexType, namespace: string, name: string): Vertex {
  return `${type}/${namespace}/${name}`
}

interface Edge {
  readonly from: Vertex
  readonly to: Vertex
}

/** Pods that a node made from its own files claim nothing for it. */
interface GraphOptions {
  readonly mirrorAnnotation: string
}

export class NodeGraph {
  readonly #mirrorAnnotation: string
  /** Counts, since two objects may bring the same edge. */
  readonly #edges = new Map<Vertex, Map<Vertex, number>>()
  /** What each object has brought. */
  readonly #brought = new Map<Vertex, readonly Edge[]>()

  constructor({ mirrorAnnotation }: GraphOptions) {
    this.#mirrorAnnotation = mirrorAnnotation
  }

  setPod(pod: ApiObject): void {
    const { namespace = '', name = '', annotations = {} } = pod.metadata
    const own = vertex('pod', namespace, name)
    const references = podReferences(pod)
    if (references.node === '') {
      this.#replace(own, [])
      return
    }
    const edges: Edge[] = [{ from: own, to: vertex('node', '', references.node) }]
    if (!Object.hasOwn(annotations, this.#mirrorAnnotation)) {
      const { serviceAccount, secrets, configMaps, claims } = references
      const uses = (type: VertexType, names: Iterable<string>) => {
        for (const used of names) edges.push({ from: vertex(type, namespace, used), to: own })
      }
      if (serviceAccount !== '') uses('serviceAccount', [serviceAccount])
      uses('secret', secrets)
      uses('configMap', configMaps)
      uses('claim', claims)
    }
    this.#replace(own, edges)
  }

  setVolume(volume: ApiObject): void {
    const own = vertex('volume', '', volume.metadata.name ?? '')
    const { claim, secrets } = volumeReferences(volume)
    if (claim === undefined) {
      this.#replace(own, [])
      return
    }
    this.#replace(own, [
      { from: own, to: vertex('claim', claim.namespace, claim.name) },
      ...secrets.map(({ namespace, name }) => ({ from: vertex('secret', namespace, name), to: own })),
    ])
  }

  setAttachment(attachment: ApiObject): void {
    const own = vertex('attachment', '', attachment.metadata.name ?? '')
    const node = attachedNode(attachment)
    this.#replace(own, node === '' ? [] : [{ from: own, to: vertex('node', '', node) }])
  }

  remove(type: 'pod' | 'volume' | 'attachment', namespace: string, name: string): void {
    this.#replace(vertex(type, namespace, name), [])
  }

  /** Whether something on the node uses this. The way is four steps at most: secret, volume, claim, pod, node. */
  reaches(type: VertexType, namespace: string, name: string, node: string): boolean {
    const goal = vertex('node', '', node)
    const seen = new Set<Vertex>()
    const open = [vertex(type, namespace, name)]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const next = this.#edges.get(at)
      if (next === undefined || seen.has(at)) continue
      if (next.has(goal)) return true
      seen.add(at)
      open.push(...next.keys())
    }
    return false
  }

  #replace(own: Vertex, edges: readonly Edge[]): void {
    for (const edge of this.#brought.get(own) ?? []) this.#count(edge, -1)
    for (const edge of edges) this.#count(edge, 1)
    if (edges.length === 0) this.#brought.delete(own)
    else this.#brought.set(own, edges)
  }

  #count({ from, to }: Edge, change: 1 | -1): void {
    const targets = this.#edges.get(from) ?? new Map<Vertex, number>()
    const count = (targets.get(to) ?? 0) + change
    if (count === 0) targets.delete(to)
    else targets.set(to, count)
    if (targets.size === 0) this.#edges.delete(from)
    else this.#edges.set(from, targets)
  }
}
