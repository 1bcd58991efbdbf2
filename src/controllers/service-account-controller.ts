/**
 * Gives every namespace its service account `default`, and makes it again when somebody deletes it.
 *
 * Creations are guarded, so that more than one process may run it.
 */

import { defaultAccount } from '../admission/plugins/service-account.ts'
import type { Machinery } from '../registry/machinery.ts'
import { isTerminating } from '../registry/metadata.ts'
import { systemUser } from './bootstrap.ts'
import type { Controller, Routes } from './controller.ts'
import { createInformer } from './informer.ts'
import { createOwn } from './own-writes.ts'

const retryMs = 1000
const manager = 'service-account-controller'

export function createServiceAccountController(machinery: Machinery, routes: Routes): Controller {
  const { clock, log } = machinery
  const namespaces = routes.route('', 'v1', 'namespaces')
  const accounts = routes.route('', 'v1', 'serviceaccounts')
  /** Namespaces that want their account. */
  const active = new Set<string>()
  /** Creations under way. */
  const pending = new Set<string>()
  let closed = false
  if (namespaces === undefined || accounts === undefined) return { start() {}, close() {} }
  const write = { route: accounts, machinery, user: systemUser, manager }

  /** Undefined = it is there. */
  async function ensure(namespace: string): Promise<string | undefined> {
    const found = await write.route.storage.cached({ namespace, name: defaultAccount })
    if (!found.ok) return found.failure.code
    if (found.value !== undefined) return undefined
    const { apiVersion, kind } = write.route.type
    const made = await createOwn(write, { apiVersion, kind, metadata: { namespace, name: defaultAccount } })
    // A namespace that is going away wants none; one that has gone is forgotten when that is heard of.
    return made.ok || ['AlreadyExists', 'NotFound', 'Forbidden'].includes(made.failure.reason)
      ? undefined
      : made.failure.message
  }

  async function lookAfter(namespace: string): Promise<void> {
    if (closed || pending.has(namespace)) return
    pending.add(namespace)
    const problem = await ensure(namespace).catch((error: unknown) => String(error))
    pending.delete(namespace)
    if (problem === undefined || closed) return
    log.warn('a namespace has no service account yet', { namespace, problem })
    clock.after(retryMs, () => void (active.has(namespace) && lookAfter(namespace)))
  }

  const informerParts = { clock, log }
  const namespaceInformer = createInformer(
    { ...informerParts, storage: namespaces.storage, resource: 'namespaces' },
    {
      set(object) {
        const { name = '' } = object.metadata
        if (isTerminating(object)) active.delete(name)
        else {
          active.add(name)
          void lookAfter(name)
        }
      },
      remove: ({ name }) => void active.delete(name),
    },
  )
  const accountInformer = createInformer(
    { ...informerParts, storage: accounts.storage, resource: 'serviceaccounts' },
    {
      set() {},
      remove({ namespace, name }) {
        if (name === defaultAccount && active.has(namespace)) void lookAfter(namespace)
      },
    },
  )

  return {
    start() {
      namespaceInformer.start()
      accountInformer.start()
    },
    close() {
      closed = true
      namespaceInformer.close()
      accountInformer.close()
    },
  }
}
