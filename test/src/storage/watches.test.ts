import t, { type Test } from 'tap'
import type { CachedObject, WatchRequest } from '../../../src/storage/contract.ts'
import type { StorageLimits } from '../../../src/storage/limits.ts'
import { everything } from '../../../src/storage/selector/selector.ts'
import { createStorage } from '../../../src/storage/storage.ts'
import { key, type Revision, revision } from '../../../store/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { liveClock } from '../../support/live-clock.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { createRecordingStream, type RecordingStream } from '../../support/recording-stream.ts'
import { createWidget, failure, replaceWidget, representation, select, value, widgets } from './harness.ts'

function setup(t: Test, limits: Partial<StorageLimits> = {}) {
  const store = createMemoryStore()
  const storage = createStorage({
    store,
    clock: liveClock,
    limits: { retryMinMs: 1, retryMaxMs: 5, timerResolutionMs: 5, ...limits },
  })
  t.teardown(() => storage.close())
  const resource = storage.resource(widgets)
  const counters = () => storage.counters().get(widgets.prefix)

  async function watch(request: Partial<WatchRequest>, stream = createRecordingStream()) {
    const active = value(
      await resource.watch(
        {
          selector: everything,
          start: { type: 'now', freshness: { type: 'mostRecent' } },
          bookmarks: false,
          timeoutMs: 600_000,
          representation,
          ...request,
        },
        () => stream,
      ),
    )
    return { stream, close: () => active.close() }
  }
  return { store, storage, resource, counters, watch }
}

function after(at: number): { start: { type: 'after'; revision: Revision } } {
  return { start: { type: 'after', revision: revision(at) } }
}

function notOpened(): never {
  throw new Error('the stream was opened')
}

async function shows(stream: RecordingStream, lines: readonly string[]): Promise<void> {
  await eventually(`${lines.length} frames`, () => stream.lines().length >= lines.length)
}

t.test(
  'an object that leaves a selector is deleted for it, as it was, at the revision of the change',
  async (t) => {
    const { resource, watch } = setup(t)
    const { stream } = await watch({ selector: select('app=web') })
    const one = await createWidget(resource, 'a/1', { labels: { app: 'web' }, color: 'red' })
    const left = await replaceWidget(resource, one, { labels: { app: 'db' }, color: 'blue' })
    const unseen = await replaceWidget(resource, left, { labels: { app: 'db' }, color: 'green' })
    const back = await replaceWidget(resource, unseen, { labels: { app: 'web' } })
    const changed = await replaceWidget(resource, back, { labels: { app: 'web' }, color: 'red' })
    value(await resource.remove(changed, changed))
    const lines = ['ADDED a/1@1', 'DELETED a/1@2', 'ADDED a/1@4', 'MODIFIED a/1@5', 'DELETED a/1@6']
    await shows(stream, lines)
    t.strictSame(stream.lines(), lines)
    t.match(stream.frames()[1]?.object, { metadata: { labels: { app: 'web' } }, spec: { color: 'red' } })
  },
)

t.test('a watch of one item, by path or by field selector, shows only that item', async (t) => {
  const { resource, watch } = setup(t)
  const byPath = await watch({ namespace: 'a', name: '1' })
  const byField = await watch({ selector: select('', 'metadata.name=1') })
  for (const at of ['a/1', 'a/2', 'b/1']) await createWidget(resource, at)
  await shows(byField.stream, ['', ''])
  t.strictSame(byPath.stream.lines(), ['ADDED a/1@1'])
  t.strictSame(byField.stream.lines(), ['ADDED a/1@1', 'ADDED b/1@3'])
})

t.test('a watch of the state starts with synthetic events, then the bookmark that ends them', async (t) => {
  const { resource, watch } = setup(t, { sliceBytes: 100 })
  for (const at of ['a/2', 'a/1', 'b/1']) await createWidget(resource, at)
  const freshness = { type: 'mostRecent' } as const
  const withBookmark = await watch({ start: { type: 'state', freshness, initialEventsEndBookmark: true } })
  const without = await watch({
    namespace: 'a',
    start: { type: 'state', freshness, initialEventsEndBookmark: false },
  })
  await createWidget(resource, 'a/3')
  const lines = ['ADDED a/1@2', 'ADDED a/2@1', 'ADDED b/1@3', 'BOOKMARK @3', 'ADDED a/3@4']
  await shows(withBookmark.stream, lines)
  t.strictSame(withBookmark.stream.lines(), lines)
  t.match(withBookmark.stream.frames()[3]?.object, {
    kind: 'Widget',
    apiVersion: 'example.org/v1',
    metadata: { annotations: { 'cluster.io/initial-events-end': 'true' } },
  })
  t.ok(withBookmark.stream.writes >= 4, 'in slices')
  t.strictSame(without.stream.lines(), ['ADDED a/1@2', 'ADDED a/2@1', 'ADDED a/3@4'])
})

t.test('a slow reader of a large state is not rushed, and misses nothing', async (t) => {
  const { resource, watch } = setup(t, { sliceBytes: 1 })
  for (const at of ['a/1', 'a/2', 'a/3']) await createWidget(resource, at)
  const stream = createRecordingStream()
  stream.block()
  await watch(
    { start: { type: 'state', freshness: { type: 'any' }, initialEventsEndBookmark: false } },
    stream,
  )
  await createWidget(resource, 'a/4')
  t.strictSame(stream.lines(), ['ADDED a/1@1'], 'one slice, then it waits')
  stream.release()
  const lines = ['ADDED a/1@1', 'ADDED a/2@2', 'ADDED a/3@3', 'ADDED a/4@4']
  await shows(stream, lines)
  t.strictSame(stream.lines(), lines)
})

t.test('the events of one turn leave in one write, the same for every watcher', async (t) => {
  const { store, resource, watch, counters } = setup(t)
  const first = await watch({})
  const second = await watch({})
  const other = await watch({ namespace: 'b' })
  store.pauseWatches()
  for (const at of ['a/1', 'a/2', 'a/3']) await createWidget(resource, at)
  store.resumeWatches()
  await shows(second.stream, ['', '', ''])
  t.strictSame([first.stream.writes, second.stream.writes, other.stream.writes], [1, 1, 0])
  t.match(counters(), { eventsFramed: 3, eventsDelivered: 6, watchers: 3, views: 2 })
})

t.test('what a busy socket missed leaves in one write when it drains', async (t) => {
  const { resource, watch } = setup(t)
  const { stream } = await watch({})
  const quick = await watch({})
  await createWidget(resource, 'a/1')
  await shows(stream, [''])
  stream.block()
  for (const [count, at] of ['a/2', 'a/3', 'a/4', 'a/5'].entries()) {
    await createWidget(resource, at)
    await eventually('the other watcher', () => quick.stream.lines().length === count + 2)
  }
  t.equal(stream.writes, 2, 'the write that found it busy was the last')
  stream.release()
  t.equal(stream.writes, 3)
  t.strictSame(stream.lines(), quick.stream.lines())
})

t.test('a watcher that is too slow is dropped, and slows nobody', async (t) => {
  const { resource, watch, counters } = setup(t, { backlogEventsMax: 3 })
  const slow = await watch({})
  const quick = await watch({})
  slow.stream.block()
  const wanted: string[] = []
  for (let n = 1; n <= 8; n++) {
    await createWidget(resource, `a/${n}`)
    wanted.push(`ADDED a/${n}@${n}`)
    await shows(quick.stream, wanted)
  }
  t.equal(slow.stream.state, 'aborted')
  t.strictSame(quick.stream.lines(), wanted)
  t.match(counters(), { watchersDropped: 1, watchers: 1 })
  slow.stream.release()
  t.strictSame(slow.stream.lines(), ['ADDED a/1@1'])
})

t.test('a watch from before the window reads the history of the store first', async (t) => {
  const { resource, watch, counters } = setup(t, { windowEventsMax: 2 })
  let one: CachedObject = await createWidget(resource, 'a/1', { labels: { app: 'web' } })
  one = await replaceWidget(resource, one, { labels: {} })
  for (let n = 2; n <= 6; n++) await createWidget(resource, `a/${n}`, { labels: { app: 'web' } })
  const { stream } = await watch({ ...after(1), selector: select('app=web') })
  await createWidget(resource, 'a/7', { labels: { app: 'web' } })
  const lines = ['DELETED a/1@2', ...[2, 3, 4, 5, 6, 7].map((n) => `ADDED a/${n}@${n + 1}`)]
  await shows(stream, lines)
  t.strictSame(stream.lines(), lines)
  t.match(counters(), { catchUps: 1 })
})

t.test('a watch from a revision that is compacted is told so inside the stream', async (t) => {
  const { store, resource, watch } = setup(t, { windowEventsMax: 1 })
  for (let n = 1; n <= 5; n++) await createWidget(resource, `a/${n}`)
  await store.compact(revision(4))
  await resource.list({ selector: everything, start: { type: 'mostRecent' } })
  const { stream } = await watch(after(2))
  await eventually('the end', () => stream.state === 'ended')
  t.strictSame(stream.lines(), ['ERROR 410 Expired'])
  const fine = await watch(after(4))
  await shows(fine.stream, [''])
  t.strictSame(fine.stream.lines(), ['ADDED a/5@5'])
})

t.test('too many watches of the past at once are sent to list anew', async (t) => {
  const { resource, watch } = setup(t, { windowEventsMax: 1, catchUpsMax: 1 })
  for (let n = 1; n <= 3; n++) await createWidget(resource, `a/${n}`)
  await resource.list({ selector: everything, start: { type: 'mostRecent' } })
  // The cache starts at revision 3: everything before it is the store's.
  const first = await watch(after(0))
  const second = await watch(after(0))
  await shows(first.stream, ['', '', ''])
  t.strictSame(second.stream.lines(), ['ERROR 410 Expired'])
  t.equal(first.stream.state, 'open')
})

t.test('a watch from the future shows only what comes after that revision', async (t) => {
  const { resource, watch, counters } = setup(t)
  await createWidget(resource, 'a/1')
  const { stream } = await watch(after(3))
  const gone = await watch(after(9))
  gone.close()
  for (let n = 2; n <= 5; n++) await createWidget(resource, `a/${n}`)
  await shows(stream, ['', ''])
  t.strictSame(stream.lines(), ['ADDED a/4@4', 'ADDED a/5@5'])
  t.match(counters(), { watchers: 1 })
})

t.test('bookmarks follow the store even when nothing happens here', async (t) => {
  const { store, watch, counters } = setup(t, { bookmarkIntervalMs: 20 })
  const { stream } = await watch({ bookmarks: true })
  const silent = await watch({})
  const elsewhere = key('other/things/x')
  await store.commit({ guards: [], ops: [{ type: 'put', key: elsewhere, value: Buffer.from('x') }] })
  await eventually('a bookmark at revision 1', () => stream.lines().includes('BOOKMARK @1'))
  t.strictSame(silent.stream.lines(), [])
  t.ok((counters()?.bookmarks ?? 0) > 0)
})

t.test('a watch ends well after its time, with a bookmark shortly before', async (t) => {
  const { watch, counters } = setup(t, { bookmarkBeforeTimeoutMs: 10 })
  const { stream } = await watch({ bookmarks: true, timeoutMs: 60 })
  await eventually('the end', () => stream.state === 'ended')
  t.strictSame(stream.lines(), ['BOOKMARK @0'])
  t.match(counters(), { watchers: 0, views: 0 })
})

t.test('a lost connection to the store costs watchers nothing', async (t) => {
  const { store, resource, watch, counters } = setup(t)
  const { stream } = await watch({})
  await createWidget(resource, 'a/1')
  await shows(stream, [''])
  store.disconnect()
  await createWidget(resource, 'a/2')
  await shows(stream, ['', ''])
  t.strictSame(stream.lines(), ['ADDED a/1@1', 'ADDED a/2@2'])
  t.match(counters(), { loads: 1 })
})

t.test('when the cache has lost history its watchers are told to list anew', async (t) => {
  const { store, resource, watch, counters } = setup(t)
  const { stream } = await watch({})
  await createWidget(resource, 'a/1')
  await shows(stream, [''])
  store.pauseWatches()
  await createWidget(resource, 'a/2')
  await store.compact(store.revision)
  store.resumeWatches()
  await eventually('the end', () => stream.state === 'ended')
  t.strictSame(stream.lines(), ['ADDED a/1@1', 'ERROR 410 Expired'])
  const again = await watch({
    start: { type: 'state', freshness: { type: 'mostRecent' }, initialEventsEndBookmark: true },
  })
  await shows(again.stream, ['', '', ''])
  t.strictSame(again.stream.lines(), ['ADDED a/1@1', 'ADDED a/2@2', 'BOOKMARK @2'])
  t.match(counters(), { loads: 2, watchersExpired: 1 })
})

t.test('closing storage ends every watch cleanly and refuses new ones', async (t) => {
  const { storage, resource, watch } = setup(t)
  const streams = [(await watch({})).stream, (await watch({ ...after(9) })).stream]
  await storage.close()
  t.strictSame(
    streams.map((stream) => stream.state),
    ['ended', 'ended'],
  )
  const start = { type: 'now', freshness: { type: 'any' } } as const
  const request = { selector: everything, start, bookmarks: false, timeoutMs: 1000, representation }
  t.match(failure(await resource.watch(request, notOpened)), { code: 'Unavailable' })
})

t.test('a state that does not come in time is an ordinary failure', async (t) => {
  const { store, resource } = setup(t, { freshnessWaitMs: 20 })
  store.setReadIndexLead(5)
  const start = { type: 'state', freshness: { type: 'mostRecent' }, initialEventsEndBookmark: false } as const
  const request = { selector: everything, start, bookmarks: false, timeoutMs: 1000, representation }
  t.match(failure(await resource.watch(request, notOpened)), { code: 'ResourceVersionTooLarge' })
})
