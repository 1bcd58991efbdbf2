/** Fills the graph of the Node authorizer from stored objects, and keeps it so. */

import type { Clock } from '../../../store/contract.ts'
import { createInformer, type Follower, type Informer } from '../../controllers/informer.ts'
import type { Names } from '../../names/names.ts'
import type { Log } from '../../observe/log.ts'
import type { Storage } from '../../storage/contract.ts'
import type { TypeRegistry } from '../../types/resource.ts'
import { NodeGraph } from './graph.ts'

export interface GraphSource {
  readonly graph: NodeGraph
  /** Starts on the first call, so that a cluster without nodes pays nothing. Undefined = the graph is whole. */
  loading(): Promise<void> | undefined
  close(): void
}

interface GraphSourceParts {
  readonly names: Names
  readonly types: TypeRegistry
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
}

export function createGraphSource(parts: GraphSourceParts): GraphSource {
  const graph = new NodeGraph({ mirrorAnnotation: parts.names.expand('{labels}/config.mirror') })
  const informers = [
    informerOf('', 'pods', parts, {
      set: (pod) => graph.setPod(pod),
      remove: ({ namespace, name }) => graph.remove('pod', namespace, name),
    }),
    informerOf('', 'persistentvolumes', parts, {
      set: (volume) => graph.setVolume(volume),
      remove: ({ namespace, name }) => graph.remove('volume', namespace, name),
    }),
    informerOf(parts.names.expand('storage.{groups}'), 'volumeattachments', parts, {
      set: (attachment) => graph.setAttachment(attachment),
      remove: ({ namespace, name }) => graph.remove('attachment', namespace, name),
    }),
  ].filter((informer) => informer !== undefined)
  let isLoaded = false
  let loaded: Promise<void> | undefined

  async function load(): Promise<void> {
    for (const informer of informers) informer.start()
    await Promise.all(informers.map(({ synced }) => synced))
    isLoaded = true
  }

  return {
    graph,
    loading() {
      if (isLoaded) return undefined
      loaded ??= load()
      return loaded
    },
    close() {
      for (const informer of informers) informer.close()
    },
  }
}

/** Undefined = the resource is switched off. */
function informerOf(
  group: string,
  resource: string,
  { types, storage, clock, log }: GraphSourceParts,
  follower: Follower,
): Informer | undefined {
  const type = types.resource(group, 'v1', resource)
  if (type?.storage === undefined) return undefined
  return createInformer({ storage: storage.resource(type.storage), clock, log, resource }, follower)
}
