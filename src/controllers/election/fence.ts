/** Routes whose writes end with the leader's time: whoever is deposed changes nothing more, whatever it is in the middle of. */

import { fail } from '../../../store/contract.ts'
import type { ResourceRoute } from '../../registry/machinery.ts'
import type { ResourceStorage, StorageWriteFailure } from '../../storage/contract.ts'
import type { Routes } from '../controller.ts'

/** `mayWrite` is asked right before each write goes out. */
export function fencedRoutes(routes: Routes, mayWrite: () => boolean): Routes {
  const fenced = new WeakMap<ResourceRoute, ResourceRoute>()
  function fence(open: ResourceRoute | undefined): ResourceRoute | undefined {
    if (open === undefined) return undefined
    const known = fenced.get(open)
    if (known !== undefined) return known
    const route = { ...open, storage: fencedStorage(open.storage, mayWrite) }
    fenced.set(open, route)
    return route
  }

  return {
    route: (group, version, plural) => fence(routes.route(group, version, plural)),
    stored: (prefix) => fence(routes.stored(prefix)),
  }
}

const refused: StorageWriteFailure = {
  code: 'Unavailable',
  message: 'the controllers run on another node now',
}

function fencedStorage(storage: ResourceStorage, mayWrite: () => boolean): ResourceStorage {
  const guarded =
    <Parameters extends readonly unknown[], Answer>(write: (...parameters: Parameters) => Promise<Answer>) =>
    async (...parameters: Parameters) =>
      mayWrite() ? write(...parameters) : fail(refused)
  return {
    ...storage,
    create: guarded(storage.create),
    replace: guarded(storage.replace),
    remove: guarded(storage.remove),
  }
}
