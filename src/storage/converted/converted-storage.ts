/** The objects of a resource in one version, where storage may have them in any. */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type {
  CachedObject,
  ConversionFailed,
  Representation,
  ResourceStorage,
  StorageWriteFailure,
} from '../contract.ts'
import { sourceOf } from './converted-object.ts'
import type { ConvertedObjects } from './converted-objects.ts'

/** Whatever is read through it, or watched, is in the version of `objects`; records that are written are stored as they are. */
export function createConvertedStorage(stored: ResourceStorage, objects: ConvertedObjects): ResourceStorage {
  async function shown<F>(
    found: Result<CachedObject, F>,
  ): Promise<Result<CachedObject, F | ConversionFailed>> {
    if (!found.ok) return found
    const prepared = await objects.prepare([found.value])
    return prepared.ok ? ok(objects.known(found.value)) : prepared
  }

  async function shownIfThere<F>(
    found: Result<CachedObject | undefined, F>,
  ): Promise<Result<CachedObject | undefined, F | ConversionFailed>> {
    return found.ok && found.value !== undefined ? shown(ok(found.value)) : found
  }

  /** What is there now is the base of another try. */
  async function shownOrMoved(
    written: Result<CachedObject, StorageWriteFailure>,
  ): Promise<Result<CachedObject, StorageWriteFailure>> {
    if (written.ok || written.failure.code !== 'Moved') return shown(written)
    const current = await shownIfThere<never>(ok(written.failure.current))
    return current.ok ? fail({ code: 'Moved', current: current.value }) : current
  }

  function representation(shape: Representation): Representation {
    return {
      ...shape,
      id: `${shape.id};${objects.id}`,
      event: (type, object) => shape.event(type, objects.known(object)),
      forms: objects,
    }
  }

  return {
    get: async (name, freshness) => shownIfThere(await stored.get(name, freshness)),
    cached: async (name) => shownIfThere(await stored.cached(name)),
    peek(name) {
      const found = stored.peek(name)
      return found === undefined ? undefined : objects.now(found)
    },
    async list(request) {
      const page = await stored.list(request)
      if (!page.ok) return page
      const items = await objects.all(page.value.items)
      return items.ok ? ok({ ...page.value, items: items.value }) : items
    },
    watch: (request, open) =>
      stored.watch({ ...request, representation: representation(request.representation) }, open),
    create: async (name, newRecord) => shown(await stored.create(name, newRecord)),
    replace: async (name, base, newRecord) => shownOrMoved(await stored.replace(name, base, newRecord)),
    async remove(name, base, claims) {
      const source = sourceOf(base)
      const removed = await stored.remove(name, source, claims)
      if (removed.ok) objects.derive(source, removed.value)
      return shownOrMoved(removed)
    },
  }
}
