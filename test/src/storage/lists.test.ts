import t, { type Test } from 'tap'
import { decodeContinueToken, encodeContinueToken } from '../../../src/storage/continue-token.ts'
import type { ListPage, ResourceStorage, StorageReadFailure } from '../../../src/storage/contract.ts'
import { readApiFailure } from '../../../src/storage/failures.ts'
import type { StorageLimits } from '../../../src/storage/limits.ts'
import { everything } from '../../../src/storage/selector/selector.ts'
import { createStorage } from '../../../src/storage/storage.ts'
import { key, revision } from '../../../store/contract.ts'
import { liveClock } from '../../support/live-clock.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { createWidget, failure, names, replaceWidget, select, value, widgets } from './harness.ts'

const mostRecent = { type: 'mostRecent' } as const

function setup(t: Test, limits: Partial<StorageLimits> = {}) {
  const store = createMemoryStore()
  const storage = createStorage({ store, clock: liveClock, limits })
  t.teardown(() => storage.close())
  const resource = storage.resource(widgets)
  const counters = () => storage.counters().get(widgets.prefix)
  return { store, storage, resource, counters }
}

async function readOn(resource: ResourceStorage, page: ListPage, limit?: number) {
  const start = { type: 'continue', token: page.continueToken ?? '' } as const
  return resource.list({ selector: everything, start, ...(limit === undefined ? {} : { limit }) })
}

t.test('pages of one list show one revision while others write', async (t) => {
  const { resource, counters } = setup(t)
  for (const name of ['1', '2', '3', '4', '5']) await createWidget(resource, `a/${name}`)
  const first = value(await resource.list({ selector: everything, start: mostRecent, limit: 2 }))
  t.match(first, { revision: 5, remainingItemCount: 3 })

  const gone = first.items[1]
  if (gone !== undefined) value(await resource.remove(gone, gone))
  await createWidget(resource, 'a/35')
  const second = value(await readOn(resource, first, 2))
  t.match(second, { revision: 5, remainingItemCount: 1 })
  const third = value(await readOn(resource, second, 2))
  t.equal(third.continueToken, undefined)
  t.equal(third.remainingItemCount, undefined)
  const all = [...first.items, ...second.items, ...third.items]
  t.strictSame(names(all), ['a/1@1', 'a/2@2', 'a/3@3', 'a/4@4', 'a/5@5'])
  t.match(counters(), { snapshotHits: 2, storeReads: 0 })
})

t.test('the rest of a list may come in one page, or from another worker', async (t) => {
  const { store, resource } = setup(t)
  for (const name of ['1', '2', '3', '4']) await createWidget(resource, `a/${name}`)
  const first = value(await resource.list({ selector: everything, start: mostRecent, limit: 1 }))
  await createWidget(resource, 'a/0')
  await createWidget(resource, 'a/9')

  const other = createStorage({ store, clock: liveClock })
  t.teardown(() => other.close())
  const second = value(await readOn(other.resource(widgets), first, 1))
  t.match(second, { revision: 4, remainingItemCount: 2 })
  t.strictSame(names(second.items), ['a/2@2'])
  t.strictSame(names(value(await readOn(other.resource(widgets), second)).items), ['a/3@3', 'a/4@4'])
  t.match(other.counters().get(widgets.prefix), { storeReads: 2, snapshotHits: 0 })
})

t.test('an exact list is served by undoing events, or from the history of the store', async (t) => {
  const { resource, counters } = setup(t, { windowEventsMax: 2 })
  await resource.list({ selector: everything, start: { type: 'any' } })
  const one = await createWidget(resource, 'a/1', { color: 'red' })
  const two = await createWidget(resource, 'a/2')
  await replaceWidget(resource, one, { color: 'blue' })
  value(await resource.remove(two, two))
  const at = async (version: number) =>
    names(
      value(
        await resource.list({ selector: everything, start: { type: 'exact', revision: revision(version) } }),
      ).items,
    )
  t.strictSame(await at(4), ['a/1@3'])
  t.strictSame(await at(3), ['a/1@3', 'a/2@2'])
  t.strictSame(await at(2), ['a/1@1', 'a/2@2'])
  t.match(counters(), { storeReads: 0 })
  t.strictSame(await at(1), ['a/1@1'])
  t.match(counters(), { storeReads: 1 })
  t.strictSame(await at(0), [])
})

t.test('what a selector asks for again is found by an index, in pages and as it changes', async (t) => {
  const { resource, counters } = setup(t, { indexObjectsMin: 2 })
  for (let i = 0; i < 9; i++) {
    await createWidget(resource, `${i < 6 ? 'a' : 'b'}/${i}`, { labels: { app: i % 2 === 0 ? 'web' : 'db' } })
  }
  const list = async (limit?: number, namespace?: string) =>
    value(
      await resource.list({
        selector: select('app=web'),
        start: mostRecent,
        ...(limit === undefined ? {} : { limit }),
        ...(namespace === undefined ? {} : { namespace }),
      }),
    )
  const whole = names((await list()).items)
  t.strictSame(whole, ['a/0@1', 'a/2@3', 'a/4@5', 'b/6@7', 'b/8@9'])
  t.match(counters(), { indexHits: 0 })
  t.strictSame(names((await list()).items), whole)
  t.strictSame(names((await list(undefined, 'a')).items), ['a/0@1', 'a/2@3', 'a/4@5'])
  const page = await list(2)
  t.strictSame(names(page.items), ['a/0@1', 'a/2@3'])
  t.match(counters(), { indexHits: 3 })

  const [gone, changed] = page.items
  if (gone !== undefined) value(await resource.remove(gone, gone))
  if (changed !== undefined) await replaceWidget(resource, changed, { labels: { app: 'db' } })
  await createWidget(resource, 'a/9', { labels: { app: 'web' } })
  t.strictSame(names((await list()).items), ['a/4@5', 'a/9@12', 'b/6@7', 'b/8@9'])
  const start = { type: 'continue', token: page.continueToken ?? '' } as const
  const rest = value(await resource.list({ selector: select('app=web'), start }))
  t.strictSame(names(rest.items), ['a/4@5', 'b/6@7', 'b/8@9'], 'a later page shows the state of the first')
})

t.test('with a selector a page holds up to limit matches, and does not count the rest', async (t) => {
  const { store, resource } = setup(t)
  for (const [index, app] of ['web', 'db', 'web', 'db', 'web'].entries()) {
    await createWidget(resource, `a/${index}`, { labels: { app } })
  }
  const request = { selector: select('app=web'), limit: 2 }
  const other = createStorage({ store, clock: liveClock, limits: { windowEventsMax: 0, rangeEntriesMax: 1 } })
  t.teardown(() => other.close())
  const first = value(await resource.list({ ...request, start: mostRecent }))
  t.strictSame(names(first.items), ['a/0@1', 'a/2@3'])
  t.equal(first.remainingItemCount, undefined)
  await createWidget(resource, 'a/00', { labels: { app: 'web' } })
  for (const worker of [resource, other.resource(widgets)]) {
    const start = { type: 'continue', token: first.continueToken ?? '' } as const
    const second = value(await worker.list({ ...request, start }))
    t.strictSame(names(second.items), ['a/4@5'])
    t.equal(second.continueToken, undefined, 'no token when no match is left')
  }
})

t.test('a list of one name or one namespace reads only that', async (t) => {
  const { resource } = setup(t)
  for (const at of ['a/x', 'a/y', 'b/x', 'b/z']) await createWidget(resource, at)
  const list = async (selector = everything, namespace?: string) =>
    names(
      value(
        await resource.list({
          selector,
          start: mostRecent,
          ...(namespace === undefined ? {} : { namespace }),
        }),
      ).items,
    )
  t.strictSame(await list(everything, 'b'), ['b/x@3', 'b/z@4'])
  t.strictSame(await list(everything, 'c'), [])
  t.strictSame(await list(select('', 'metadata.name=x')), ['a/x@1', 'b/x@3'])
  t.strictSame(await list(select('', 'metadata.name=x'), 'b'), ['b/x@3'])
  t.strictSame(await list(select('', 'metadata.namespace=a')), ['a/x@1', 'a/y@2'])
  t.strictSame(await list(select('', 'metadata.namespace=a'), 'b'), [])
  t.strictSame(await list(select('', 'metadata.name!=x'), 'a'), ['a/y@2'])
})

t.test('a cluster-scoped object is found by its name alone', async (t) => {
  const { resource } = setup(t)
  for (const at of ['node-1', 'node-2']) await createWidget(resource, at)
  const page = value(await resource.list({ selector: select('', 'metadata.name=node-2'), start: mostRecent }))
  t.strictSame(names(page.items), ['/node-2@2'])
  t.equal(value(await resource.get({ namespace: '', name: 'node-1' }, { type: 'any' }))?.revision, 1)
})

t.test('an expired page comes with a token that goes on at the newest revision', async (t) => {
  const { store, resource } = setup(t, { snapshotsMax: 0, windowEventsMax: 0 })
  for (const name of ['1', '2', '3']) await createWidget(resource, `a/${name}`)
  const first = value(await resource.list({ selector: everything, start: mostRecent, limit: 1 }))
  await createWidget(resource, 'a/4')
  await createWidget(resource, 'a/0')
  await store.compact(store.revision)
  await resource.list({ selector: everything, start: mostRecent })
  const expired = failure(await readOn(resource, first, 1))
  t.match(expired, { code: 'ListExpired', requested: 3, oldest: 5 })
  t.match(readApiFailure(expired), { reason: 'Expired', continueToken: String })
  const token = expired.code === 'ListExpired' ? (expired.freshContinueToken ?? '') : ''
  const rest = value(
    await resource.list({ selector: everything, start: { type: 'continue', token }, limit: 2 }),
  )
  t.match(rest, { revision: 5, remainingItemCount: 1 })
  t.strictSame(names(rest.items), ['a/2@2', 'a/3@3'])
  t.strictSame(names(value(await readOn(resource, rest)).items), ['a/4@4'])

  const exact = await resource.list({ selector: everything, start: { type: 'exact', revision: revision(2) } })
  t.strictSame(failure(exact), { code: 'ListExpired', requested: 2, oldest: 5 })
})

t.test('tokens that are damaged, foreign or of another place are refused', async (t) => {
  const { storage, resource } = setup(t)
  for (const name of ['1', '2']) await createWidget(resource, `a/${name}`)
  const page = value(await resource.list({ selector: everything, start: mostRecent, limit: 1 }))
  const token = page.continueToken ?? ''
  const refused = async (where: ResourceStorage, text: string, namespace?: string) => {
    const start = { type: 'continue', token: text } as const
    const found = await where.list({
      selector: everything,
      start,
      ...(namespace === undefined ? {} : { namespace }),
    })
    t.strictSame(failure(found), { code: 'BadContinueToken' })
  }
  await refused(resource, 'x')
  await refused(resource, '*')
  await refused(resource, `${token}x`)
  await refused(resource, `${token.slice(0, 10)}${token[10] === 'A' ? 'B' : 'A'}${token.slice(11)}`)
  await refused(resource, token, 'b')
  await refused(storage.resource({ ...widgets, prefix: 'example/gadgets' }), token)
})

t.test('a token says all that a worker needs', async (t) => {
  const lastKey = key('p/q/ns/gr\xc3\xb6\xc3\x9fe')
  const tokens = [
    { at: revision(7), lastKey, remaining: 3 },
    { at: 'newest', lastKey },
  ] as const
  for (const token of tokens) {
    const text = encodeContinueToken('p/q', token)
    t.match(text, /^[\w-]+$/)
    t.strictSame(decodeContinueToken('p/q', text), token)
  }
})

t.test('reads wait for the revision that they need, and not for ever', async (t) => {
  const { store, resource } = setup(t, { freshnessWaitMs: 30 })
  await createWidget(resource, 'a/1')
  value(await resource.list({ selector: everything, start: mostRecent }))
  store.pauseWatches()
  await createWidget(resource, 'a/2')
  const name = { namespace: 'a', name: '2' }
  t.equal(value(await resource.get(name, { type: 'any' })), undefined, 'any is what is here')
  const late: StorageReadFailure = {
    code: 'ResourceVersionTooLarge',
    requested: revision(2),
    current: revision(1),
  }
  t.strictSame(failure(await resource.get(name, mostRecent)), late)
  t.strictSame(failure(await resource.get(name, { type: 'notOlderThan', revision: revision(2) })), late)
  t.match(readApiFailure(late), {
    reason: 'Timeout',
    message: 'Timeout: Too large resource version: 2, current: 1',
    details: { retryAfterSeconds: 1, causes: [{ reason: 'ResourceVersionTooLarge' }] },
  })
  const waiting = resource.get(name, mostRecent)
  store.resumeWatches()
  t.equal(value(await waiting)?.revision, 2)
})

t.test('a store that cannot be reached fails reads, and is found again', async (t) => {
  const { store, resource } = setup(t, { freshnessWaitMs: 20, retryMinMs: 1 })
  store.setUnavailable(true)
  t.match(failure(await resource.get({ namespace: 'a', name: '1' }, { type: 'any' })), {
    code: 'Unavailable',
  })
  store.setUnavailable(false)
  await createWidget(resource, 'a/1')
  t.equal(value(await resource.get({ namespace: 'a', name: '1' }, mostRecent))?.revision, 1)
})

t.test('a record that cannot be read fails the resource, not the process', async (t) => {
  const { store, resource } = setup(t, { freshnessWaitMs: 20 })
  const at = key('example/widgets/a/1')
  await store.commit({
    guards: [],
    ops: [{ type: 'put', key: at, value: Buffer.from('nonsense, not a record') }],
  })
  const found = failure(await resource.list({ selector: everything, start: mostRecent }))
  t.match(found, { code: 'Corrupt', where: at })
  t.match(readApiFailure(found), { reason: 'InternalError' })
})
