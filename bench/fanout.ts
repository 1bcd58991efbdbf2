/**
 * What it costs storage to tell watchers of a change, without a network: streams are sinks that take everything.
 *
 *   node dist/bench/fanout.js [watchers] [events]
 */

import { jsonFrames } from '../src/codec/rendering.ts'
import { wholeObjects } from '../src/codec/shape.ts'
import type { ResponseStream } from '../src/pipeline/exchange.ts'
import type { ResourceStorage, Selector, WatchRequest } from '../src/storage/contract.ts'
import { encodeRecord } from '../src/storage/record.ts'
import { everything } from '../src/storage/selector/selector.ts'
import { createStorage } from '../src/storage/storage.ts'
import { systemClock } from '../store/clock.ts'
import type { Revision, Store, WatchListener } from '../store/contract.ts'
import { key, ok, revision } from '../store/contract.ts'

const identity = { prefix: 'core/configmaps', version: { group: '', version: 'v1' } }
const representation = jsonFrames(
  wholeObjects({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    listKind: 'ConfigMapList',
    isStorageVersion: true,
    fromStorage: (object) => object,
  }),
  'cluster.io/initial-events-end',
)

interface FanoutReport {
  /** CPU for one event of a view, framing and all its watchers included, by watchers; and of that, for each watcher. */
  readonly microsPerEvent: number
  readonly nanosPerDelivery: number
  /** CPU for one event with as many views of other namespaces. */
  readonly microsPerEventElsewhere: number
  /** CPU for one event with as many views that select other values of a label. */
  readonly microsPerEventUnselected: number
  readonly bytesPerIdleWatch: number
}

export async function measureFanout(watchers: number, events: number): Promise<FanoutReport> {
  const same = await measureEvents(events, (resource) => openWatches(resource, watchers, () => 'default'))
  const elsewhere = await measureEvents(events, (resource) =>
    openWatches(resource, watchers, (n) => `other-${n}`),
  )
  const unselected = await measureEvents(events, (resource) =>
    openWatches(
      resource,
      watchers,
      () => 'default',
      (n) => labelled('app', `other-${n}`),
    ),
  )
  return {
    microsPerEvent: same,
    nanosPerDelivery: (same * 1000) / watchers,
    microsPerEventElsewhere: elsewhere,
    microsPerEventUnselected: unselected,
    bytesPerIdleWatch: await measureMemory(watchers * 10),
  }
}

async function measureEvents(
  events: number,
  prepare: (resource: ResourceStorage) => Promise<void>,
): Promise<number> {
  const store = createFeedStore()
  const storage = createStorage({ store, clock: systemClock })
  await prepare(storage.resource(identity))
  await turn()
  await sendEvents(store, Math.ceil(events / 10))
  const before = process.cpuUsage()
  await sendEvents(store, events)
  const used = process.cpuUsage(before)
  await storage.close()
  return (used.user + used.system) / events
}

async function openWatches(
  resource: ResourceStorage,
  count: number,
  namespaceOf: (n: number) => string,
  selectorOf: (n: number) => Selector = () => everything,
): Promise<void> {
  const start = { type: 'now', freshness: { type: 'any' } } as const
  for (let n = 0; n < count; n++) {
    const request: WatchRequest = {
      namespace: namespaceOf(n),
      selector: selectorOf(n),
      start,
      bookmarks: true,
      timeoutMs: 1_800_000,
      representation,
    }
    const watch = await resource.watch(request, createSink)
    if (!watch.ok) throw new Error(watch.failure.code)
  }
}

function labelled(name: string, value: string): Selector {
  return { labels: [{ name, operator: 'in', values: [value] }], fields: [] }
}

/** One event for each turn of the event loop, as a store under steady load delivers them. */
async function sendEvents(store: FeedStore, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    store.put(`core/configmaps/default/object-${n % 100}`)
    await turn()
  }
}

async function measureMemory(watchers: number): Promise<number> {
  const storage = createStorage({ store: createFeedStore(), clock: systemClock })
  const resource = storage.resource(identity)
  await openWatches(resource, 1, () => 'default')
  const before = await heapBytes()
  await openWatches(resource, watchers, () => 'default')
  const after = await heapBytes()
  await storage.close()
  return (after - before) / watchers
}

async function heapBytes(): Promise<number> {
  await turn()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

interface FeedStore extends Store {
  put(at: string): void
}

/** Only what storage needs to follow changes. */
function createFeedStore(): FeedStore {
  const listeners = new Set<WatchListener>()
  const value = encodeRecord({
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'object', namespace: 'default', labels: { app: 'bench' } },
      data: { padding: 'x'.repeat(1024) },
    },
  }).record
  let current: Revision = revision(1)
  const unused = () => {
    throw new Error('not part of this measurement')
  }
  return {
    put(at) {
      current = revision(current + 1)
      const event = { type: 'put' as const, key: key(at), value, revision: current }
      for (const listener of listeners) listener.onBatch({ revision: current, events: [event] })
    },
    range: async () => ok({ entries: [], revision: current, more: false, count: 0 }),
    readIndex: async () => ok(current),
    watch(_, listener) {
      listeners.add(listener)
      return { close: () => listeners.delete(listener) }
    },
    close: async () => undefined,
    commit: unused,
    compact: unused,
    status: unused,
  }
}

function createSink(): ResponseStream {
  return sink
}

const sink: ResponseStream = {
  bufferedBytes: 0,
  write: () => true,
  onDrain: () => undefined,
  end: () => undefined,
  abort: () => undefined,
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

if (process.argv[1]?.endsWith('fanout.js')) {
  const [watchers = 1000, events = 5000] = process.argv.slice(2).map(Number)
  console.log(JSON.stringify(await measureFanout(watchers, events), null, 2))
}
