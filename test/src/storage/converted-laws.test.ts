/**
 * Watches of objects whose conversion takes its time, under random changes: what they show is what watches of the stored
 * objects show. Rerun one with SEED=….
 */

import t from 'tap'
import { jsonFrames } from '../../../src/codec/rendering.ts'
import { wholeObjects } from '../../../src/codec/shape.ts'
import type { ResourceStorage, WatchRequest } from '../../../src/storage/contract.ts'
import { ConvertedObjects } from '../../../src/storage/converted/converted-objects.ts'
import { createConvertedStorage } from '../../../src/storage/converted/converted-storage.ts'
import { createStorage } from '../../../src/storage/storage.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import type { VersionConversion } from '../../../src/types/resource.ts'
import { fail, ok, revision } from '../../../store/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { liveClock } from '../../support/live-clock.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { createRandom } from '../../support/random.ts'
import { createRecordingStream, type RecordingStream } from '../../support/recording-stream.ts'
import { createWidget, newRecord, representation, select, value, widgets } from './harness.ts'

const seeds = process.env['SEED'] === undefined ? [1, 2, 3, 4, 5, 6, 7, 8] : [Number(process.env['SEED'])]

const v2 = jsonFrames(
  wholeObjects({
    apiVersion: 'example.org/v2',
    kind: 'Widget',
    listKind: 'WidgetList',
    isStorageVersion: true,
    fromStorage: (object: ApiObject) => object,
  }),
  'cluster.io/initial-events-end',
)

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate)
}

async function watch(resource: ResourceStorage, request: Partial<WatchRequest>): Promise<RecordingStream> {
  const stream = createRecordingStream()
  value(
    await resource.watch(
      {
        selector: select(),
        start: { type: 'after', revision: revision(0) },
        bookmarks: false,
        timeoutMs: 600_000,
        representation,
        ...request,
      },
      () => stream,
    ),
  )
  return stream
}

for (const seed of seeds)
  t.test(`seed ${seed}`, async (t) => {
    const { below } = createRandom(seed)
    const storage = createStorage({ store: createMemoryStore(), clock: liveClock })
    t.teardown(() => storage.close())
    const stored = storage.resource(widgets)
    const conversion: VersionConversion = {
      apiVersion: 'example.org/v2',
      storedApiVersion: 'example.org/v1',
      asksOthers: true,
      async read(objects) {
        await turns(below(4))
        return ok(objects.map((object) => ({ ...object, apiVersion: 'example.org/v2' })))
      },
      shown: () => fail('not asked here'),
      write: () => fail('not asked here'),
    }
    const converted = createConvertedStorage(stored, new ConvertedObjects(conversion))
    const pairs: { readonly plain: RecordingStream; readonly slow: RecordingStream }[] = []
    let newest = 0

    async function change(): Promise<void> {
      const name = { namespace: 'a', name: String(below(5)) }
      const input = { labels: { app: below(2) === 0 ? 'web' : 'db' }, color: String(below(100)) }
      const found = value(await stored.get(name, { type: 'mostRecent' }))
      if (found === undefined) newest = (await createWidget(stored, `a/${name.name}`, input)).revision
      else if (below(3) === 0) newest = value(await stored.remove(name, found)).revision
      else newest = value(await stored.replace(name, found.revision, newRecord(name, input))).revision
    }

    async function join(): Promise<void> {
      const request: Partial<WatchRequest> = {
        start: { type: 'after', revision: revision(Math.max(0, newest - below(10))) },
        selector: below(2) === 0 ? select() : select('app=web'),
      }
      const [plain, slow] = await Promise.all([
        watch(stored, request),
        watch(converted, { ...request, representation: v2 }),
      ])
      pairs.push({ plain, slow })
      if (below(3) === 0) {
        slow.block()
        void turns(below(10)).then(() => slow.release())
      }
    }

    const state = await watch(converted, {
      start: { type: 'state', freshness: { type: 'any' }, initialEventsEndBookmark: false },
      representation: v2,
    })
    for (let step = 0; step < 150; step++) {
      await (below(8) === 0 ? join() : change())
      await turns(below(3))
    }
    await turns(5)
    const shows = (stream: RecordingStream, lines: readonly string[]) =>
      stream.lines().length >= lines.length && stream.lines().at(-1) === lines.at(-1)
    for (const { plain, slow } of pairs) {
      await eventually('both to have shown the same', () => shows(slow, plain.lines()))
      t.same(slow.lines(), plain.lines())
      t.ok(
        slow
          .frames()
          .every(({ object }) => (object as { apiVersion?: string }).apiVersion === 'example.org/v2'),
      )
    }
    const all = await watch(stored, {})
    t.same(state.lines(), all.lines(), 'from the beginning on')
  })
