/**
 * Gives every namespace the config map `<prefix>-root-ca.crt`: the CA that pods trust when they speak with this server.
 * Made again when it is deleted, mended when it is changed.
 */

import type { JsonObject } from '../json.ts'
import type { Machinery } from '../registry/machinery.ts'
import { isTerminating } from '../registry/metadata.ts'
import type { Requirement } from '../storage/contract.ts'
import { systemUser } from './bootstrap.ts'
import type { Controller, ControllerFactory } from './controller.ts'
import { followingController } from './following.ts'
import { createInformer } from './informer.ts'
import { changeOwn, createOwn } from './own-writes.ts'
import { createWorkQueue } from './work-queue.ts'

const manager = 'root-ca-cert-publisher'

/** @param rootCa PEM text */
export function createRootCaPublisher(rootCa: string): ControllerFactory {
  return (machinery, routes): Controller => {
    const { names, clock, log } = machinery
    const namespaces = routes.route('', 'v1', 'namespaces')
    const configMaps = routes.route('', 'v1', 'configmaps')
    if (namespaces === undefined || configMaps === undefined) return { start() {}, close() {} }
    const name = names.expand('{prefix}-root-ca.crt')
    const wanted = contentOf(rootCa, machinery)
    const write = { route: configMaps, machinery, user: systemUser, manager }
    /** Namespaces that want theirs. */
    const active = new Set<string>()

    async function ensure(namespace: string): Promise<string | undefined> {
      if (!active.has(namespace)) return undefined
      const found = await configMaps?.storage.cached({ namespace, name })
      if (found === undefined || !found.ok) return found?.failure.code
      const done =
        found.value === undefined
          ? await createOwn(write, {
              apiVersion: 'v1',
              kind: 'ConfigMap',
              metadata: { ...wanted.metadata, namespace, name },
              data: wanted.data,
            })
          : await changeOwn(write, { namespace, name }, (object) =>
              JSON.stringify(object['data']) === JSON.stringify(wanted.data)
                ? undefined
                : { ...object, data: wanted.data },
            )
      // It came meanwhile, or its namespace is going away: the next change is heard of.
      return done.ok || ['AlreadyExists', 'NotFound', 'Forbidden'].includes(done.failure.reason)
        ? undefined
        : done.failure.message
    }

    const queue = createWorkQueue({ clock, log, name: manager, work: ensure })
    const itsName: Requirement = { name: 'metadata.name', operator: 'in', values: [name] }
    const informers = [
      createInformer(
        {
          clock,
          log,
          storage: configMaps.storage,
          resource: 'configmaps',
          selector: { labels: [], fields: [itsName] },
        },
        {
          set: ({ metadata: { namespace = '' } }) => queue.add(namespace),
          remove: ({ namespace }) => queue.add(namespace),
        },
      ),
      createInformer(
        { clock, log, storage: namespaces.storage, resource: 'namespaces' },
        {
          set(object) {
            const { name: namespace = '' } = object.metadata
            if (isTerminating(object)) active.delete(namespace)
            else if (!active.has(namespace)) {
              active.add(namespace)
              queue.add(namespace)
            }
          },
          remove: (gone) => void active.delete(gone.name),
        },
      ),
    ]
    return followingController(queue, informers)
  }
}

function contentOf(
  rootCa: string,
  { names }: Machinery,
): { readonly metadata: JsonObject; readonly data: JsonObject } {
  return {
    metadata: {
      annotations: {
        [names.expand('{labels}/description')]:
          'The CA of the API server, for clients inside the cluster. It vouches for nothing else.',
      },
    },
    data: { 'ca.crt': rootCa },
  }
}
