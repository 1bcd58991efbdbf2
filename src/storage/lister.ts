/**
 * Lists and their pages. The items of a page are references into the cache: nothing is copied.
 *
 * Where the state of a page comes from, in this order:
 *   1. now: the cache's tree (first page, or a list without pages)
 *   2. a snapshot kept since the first page
 *   3. the cache's tree with the newest events undone, while the window reaches back so far
 *   4. the store's history
 */

import type {
  Corrupt,
  FutureRevision,
  KeyRange,
  KeyValue,
  ReadFailure,
  Result,
  Revision,
  Store,
} from '../../store/contract.ts'
import { fail, ok } from '../../store/contract.ts'
import type { ResourceCache } from './cache/cache.ts'
import type { ObjectTree } from './cache/tree.ts'
import { type ContinueToken, decodeContinueToken, encodeContinueToken } from './continue-token.ts'
import type {
  CachedObject,
  ListExpired,
  ListPage,
  ListRequest,
  Selector,
  StorageReadFailure,
} from './contract.ts'
import type { ResourceCounters } from './counters.ts'
import { keyAfter } from './keys.ts'
import type { StorageLimits } from './limits.ts'
import type { RecordReader } from './reader.ts'
import type { StoredObject } from './record.ts'
import { compileSelector, type Matcher, narrow, selectsEverything } from './selector/selector.ts'

interface ListerOptions {
  readonly prefix: string
  readonly read: RecordReader
  readonly store: Store
  readonly cache: ResourceCache
  readonly limits: StorageLimits
  readonly counters: ResourceCounters
}

/** What a page reads, whatever the state comes from. */
interface PagePlan {
  /** The whole scope of the list. */
  readonly scope: KeyRange
  readonly namespace: string | undefined
  /** Only this name, in any namespace. */
  readonly name: string | undefined
  /** Without what scope and name say already. */
  readonly selector: Selector
  readonly matches: Matcher | undefined
  readonly limit: number
  /** Absent on the first page. */
  readonly token: ContinueToken | undefined
}

type ListResult = Result<ListPage, StorageReadFailure>

type Lister = (request: ListRequest) => Promise<ListResult>

export function createLister(options: ListerOptions): Lister {
  const { prefix, read, store, cache, limits, counters } = options

  return async (request) => {
    const { start } = request
    counters.lists++
    const token = start.type === 'continue' ? decodeContinueToken(prefix, start.token) : undefined
    if (start.type === 'continue' && token === undefined) return fail({ code: 'BadContinueToken' })
    const plan = planOf(request, token)
    if (plan === undefined) return fail({ code: 'BadContinueToken' })
    const page = await readPage(request, plan)
    if (page.ok) counters.listItems += page.value.items.length
    return page
  }

  function planOf(request: ListRequest, token: ContinueToken | undefined): PagePlan | undefined {
    const { namespace } = request
    const narrowed = narrow(namespace === undefined ? {} : { namespace }, request.selector)
    const scope = cache.rangeOf(narrowed.scope)
    if (token !== undefined && (token.lastKey < scope.start || token.lastKey >= scope.end)) return undefined
    const limit = request.limit ?? Number.POSITIVE_INFINITY
    return {
      scope,
      namespace: narrowed.scope.namespace,
      name: narrowed.scope.name,
      selector: narrowed.selector,
      matches: matcherOf(narrowed.scope.name, narrowed.selector),
      limit,
      token,
    }
  }

  async function readPage(request: ListRequest, plan: PagePlan): Promise<ListResult> {
    const { start } = request
    if (start.type === 'exact') return readAt(start.revision, request, plan)
    if (start.type === 'continue' && plan.token !== undefined && plan.token.at !== 'newest') {
      return readAt(plan.token.at, request, plan)
    }
    const fresh = await cache.reach(start.type === 'continue' ? { type: 'mostRecent' } : start)
    if (!fresh.ok) return fresh
    return ok(pageOf(cache.tree, cache.revision, request, plan))
  }

  async function readAt(at: Revision, request: ListRequest, plan: PagePlan): Promise<ListResult> {
    const reached = await cache.reach({ type: 'notOlderThan', revision: at })
    if (!reached.ok) return reached
    const state = stateAt(at)
    if (state !== undefined) return ok(pageOf(state, at, request, plan))
    counters.storeReads++
    return readFromStore(at, request, plan)
  }

  /** The state at a revision, as far as this worker still knows it. */
  function stateAt(at: Revision): ObjectTree | undefined {
    const kept = cache.snapshots.get(at)
    if (kept !== undefined) {
      counters.snapshotHits++
      return kept
    }
    const undone = cache.window.after(at)
    if (undone === undefined) return undefined
    counters.rollbacks++
    const tree = cache.tree.snapshot()
    for (const event of undone.toReversed()) {
      if (event.previous === undefined) tree.delete(event.key)
      else tree.set(event.previous)
    }
    return tree
  }

  function pageOf(tree: ObjectTree, at: Revision, request: ListRequest, plan: PagePlan): ListPage {
    const range = rest(plan)
    const items: StoredObject[] = []
    let more = false
    const isNow = tree === cache.tree
    const among = isNow && plan.matches !== undefined ? cache.candidates(plan.selector, plan.namespace) : tree
    among.scan(range, (object) => {
      if (plan.matches !== undefined && !plan.matches(object)) return true
      if (items.length >= plan.limit) {
        more = true
        return false
      }
      items.push(object)
      return true
    })
    if (!more) return { items, revision: at }
    cache.snapshots.keep(at, isNow ? tree.snapshot() : tree)
    return withContinuation({ items, revision: at }, () => leftOf(tree, range, plan) - items.length, request)
  }

  /** With the page. Of a first page of all there is now, and of later pages, it is known; else it is counted. */
  function leftOf(tree: ObjectTree, range: KeyRange, { token, name, namespace }: PagePlan): number {
    if (token?.remaining !== undefined) return token.remaining
    const isWhole = tree === cache.tree && token === undefined && name === undefined
    return isWhole ? cache.count(namespace) : tree.count(range)
  }

  /** @param left how many objects are behind the page: counted only where the page tells it */
  function withContinuation(page: ListPage, left: () => number, { selector }: ListRequest): ListPage {
    const last = page.items.at(-1)
    if (last === undefined) return page
    const place = { at: page.revision, lastKey: last.key }
    if (!selectsEverything(selector)) return { ...page, continueToken: encodeContinueToken(prefix, place) }
    const remaining = left()
    const continueToken = encodeContinueToken(prefix, { ...place, remaining })
    return { ...page, continueToken, remainingItemCount: remaining }
  }

  /** One more match than the page holds tells whether the list goes on. */
  async function readFromStore(at: Revision, request: ListRequest, plan: PagePlan): Promise<ListResult> {
    const items: StoredObject[] = []
    let range = rest(plan)
    let count: number | undefined
    for (;;) {
      const limit = Math.min(
        limits.rangeEntriesMax,
        plan.matches === undefined ? plan.limit + 1 : limits.rangeEntriesMax,
      )
      const read = await store.range({ ...range, revision: at, limit })
      if (!read.ok) return fail(readFailure(read.failure, request, plan))
      count ??= read.value.count
      const matched = takeMatching(read.value.entries, items, plan)
      if (!matched.ok) return matched
      if (items.length > plan.limit) {
        items.length = plan.limit
        const all = count
        return ok(withContinuation({ items, revision: at }, () => all - plan.limit, request))
      }
      const last = read.value.entries.at(-1)
      if (!read.value.more || last === undefined) return ok({ items, revision: at })
      range = { start: keyAfter(last.key), end: range.end }
    }
  }

  function takeMatching(
    entries: readonly KeyValue[],
    items: StoredObject[],
    { matches, limit }: PagePlan,
  ): Result<void, Corrupt> {
    for (const entry of entries) {
      if (items.length > limit) break
      const object = read(entry)
      if (!object.ok) return object
      if (matches === undefined || matches(object.value)) items.push(object.value)
    }
    return ok(undefined)
  }

  function readFailure(failure: ReadFailure, request: ListRequest, { token }: PagePlan): StorageReadFailure {
    switch (failure.code) {
      case 'Compacted': {
        const { requested, oldest } = failure
        const expired: ListExpired = { code: 'ListExpired', requested, oldest }
        if (request.start.type !== 'continue' || token === undefined) return expired
        const fresh = encodeContinueToken(prefix, { at: 'newest', lastKey: token.lastKey })
        return { ...expired, freshContinueToken: fresh }
      }
      case 'FutureRevision':
        return tooLarge(failure)
      case 'Unavailable':
      case 'Corrupt':
        return failure
    }
  }
}

function tooLarge({ requested, current }: FutureRevision): StorageReadFailure {
  return { code: 'ResourceVersionTooLarge', requested, current }
}

/** What the page has still to read. */
function rest({ scope, token }: PagePlan): KeyRange {
  return token === undefined ? scope : { start: keyAfter(token.lastKey), end: scope.end }
}

function matcherOf(name: string | undefined, selector: ListRequest['selector']): Matcher | undefined {
  const matches = compileSelector(selector)
  if (name === undefined) return matches
  if (matches === undefined) return (object: CachedObject) => object.name === name
  return (object: CachedObject) => object.name === name && matches(object)
}
