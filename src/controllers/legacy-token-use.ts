/**
 * Notes on a secret the day on which its token was last used, so that people find those that nobody needs. At most one
 * write for each secret and day; a note that cannot be written is written at the next use.
 */

import { type Machinery, timestamp } from '../registry/machinery.ts'
import type { ApiObject } from '../types/object.ts'
import { systemManager, systemUser } from './bootstrap.ts'
import type { Routes } from './controller.ts'
import { changeOwn } from './own-writes.ts'

/** Takes a secret whose token was used just now. */
export function createLegacyTokenUse(machinery: Machinery, routes: Routes): (secret: ApiObject) => void {
  const { names, clock, log } = machinery
  const route = routes.route('', 'v1', 'secrets')
  const label = names.expand('{labels}/legacy-token-last-used')
  const pending = new Set<string>()

  async function note(name: string, namespace: string, today: string): Promise<void> {
    if (route === undefined) return
    const write = { route, machinery, user: systemUser, manager: systemManager }
    const changed = await changeOwn(write, { namespace, name }, (object) =>
      object.metadata.labels?.[label] === today
        ? undefined
        : {
            ...object,
            metadata: { ...object.metadata, labels: { ...object.metadata.labels, [label]: today } },
          },
    )
    if (!changed.ok)
      log.debug('the use of a token is not noted', { namespace, name, why: changed.failure.message })
  }

  return ({ metadata: { namespace = '', name = '', labels = {} } }) => {
    const today = timestamp(clock).slice(0, 10)
    const tomorrow = timestamp(clock, 24 * 3600).slice(0, 10)
    const key = `${namespace}/${name}`
    // Another server's clock may be a little ahead, around midnight.
    if (labels[label] === today || labels[label] === tomorrow || pending.has(key)) return
    pending.add(key)
    void note(name, namespace, today)
      .catch((error: unknown) => log.warn('the use of a token is not noted', { key, problem: String(error) }))
      .finally(() => pending.delete(key))
  }
}
