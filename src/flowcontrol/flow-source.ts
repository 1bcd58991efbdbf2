/** Keeps a configuration as the stored flow schemas and priority levels say. */

import type { Clock, Timer } from '../../store/contract.ts'
import type { BootstrapObject } from '../controllers/bootstrap-flows.ts'
import { createInformer, type Informer } from '../controllers/informer.ts'
import type { Names } from '../names/names.ts'
import type { Log } from '../observe/log.ts'
import type { Storage } from '../storage/contract.ts'
import type { TypeRegistry } from '../types/resource.ts'
import { objectIn, specOf } from '../types/validation/read.ts'
import type { FlowObject, FlowObjects } from './configuration.ts'

export interface FlowSourceParts {
  readonly names: Names
  readonly types: TypeRegistry
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
}

interface FlowSource {
  start(): void
  close(): void
}

/** Changes that come together count together. Milliseconds. */
const gatherMs = 50

/** @param changed hears of all stored objects: once when they are known, then after changes */
export function createFlowSource(
  { names, types, storage, clock, log }: FlowSourceParts,
  changed: (objects: FlowObjects) => void,
): FlowSource {
  const group = names.expand('flowcontrol.apiserver.{groups}')
  const schemas = new Map<string, FlowObject>()
  const levels = new Map<string, FlowObject>()
  const informers = [follow('flowschemas', schemas), follow('prioritylevelconfigurations', levels)].filter(
    (informer) => informer !== undefined,
  )
  let timer: Timer | undefined
  let closed = false

  /** Undefined = the resource is switched off. */
  function follow(resource: string, objects: Map<string, FlowObject>): Informer | undefined {
    const type = types.resource(group, 'v1', resource)
    if (type?.storage === undefined) return undefined
    return createInformer(
      { storage: storage.resource(type.storage), clock, log, resource },
      {
        set(object) {
          const { name = '', uid = '' } = object.metadata
          objects.set(name, { name, uid, spec: specOf(object) })
          schedule()
        },
        remove({ name }) {
          objects.delete(name)
          schedule()
        },
      },
    )
  }

  function schedule(): void {
    timer ??= clock.after(gatherMs, () => {
      timer = undefined
      if (!closed && informers.every(({ isSynced }) => isSynced))
        changed({ schemas: [...schemas.values()], levels: [...levels.values()] })
    })
  }

  return {
    start() {
      for (const informer of informers) {
        informer.start()
        void informer.synced.then(schedule)
      }
    },
    close() {
      closed = true
      timer?.cancel()
      for (const informer of informers) informer.close()
    },
  }
}

/** Those that a new cluster gets, before they are stored. */
export function flowObjectOf({ metadata, ...body }: BootstrapObject): FlowObject {
  return { name: metadata.name, uid: '', spec: objectIn(body, 'spec') ?? {} }
}
