/** Objects that are read and watched in another version than the one that is stored, while a conversion takes its time. */

import t, { type Test } from 'tap'
import { jsonFrames } from '../../../src/codec/rendering.ts'
import { wholeObjects } from '../../../src/codec/shape.ts'
import type { WatchRequest } from '../../../src/storage/contract.ts'
import { ConvertedObjects } from '../../../src/storage/converted/converted-objects.ts'
import { createConvertedStorage } from '../../../src/storage/converted/converted-storage.ts'
import type { StorageLimits } from '../../../src/storage/limits.ts'
import { parseObject } from '../../../src/storage/record.ts'
import { everything } from '../../../src/storage/selector/selector.ts'
import { createStorage } from '../../../src/storage/storage.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import type { Converted, VersionConversion } from '../../../src/types/resource.ts'
import { fail, ok, revision } from '../../../store/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { liveClock } from '../../support/live-clock.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { createRecordingStream, type RecordingStream } from '../../support/recording-stream.ts'
import {
  createWidget,
  failure,
  newRecord,
  parseName,
  replaceWidget,
  select,
  value,
  widgets,
} from './harness.ts'

/** Shows the colour under another name. */
function toV2(object: ApiObject): ApiObject {
  const { color } = object['spec'] as { color: string }
  return { ...object, apiVersion: 'example.org/v2', spec: { colour: color } }
}

interface Call {
  readonly names: readonly string[]
  answer(): void
  refuse(message: string): void
}

/** A conversion that answers when the test says so. */
function slowConversion(): {
  readonly conversion: VersionConversion
  readonly calls: Call[]
  automatic: boolean
} {
  const calls: Call[] = []
  const state = { automatic: false }
  const conversion: VersionConversion = {
    apiVersion: 'example.org/v2',
    storedApiVersion: 'example.org/v1',
    asksOthers: true,
    read: (stored) =>
      new Promise<Converted>((resolve) => {
        const call: Call = {
          names: stored.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`),
          answer: () => resolve(ok(stored.map(toV2))),
          refuse: (message) => resolve(fail(message)),
        }
        calls.push(call)
        if (state.automatic) call.answer()
      }),
    shown: () => fail('not asked here'),
    write: () => fail('not asked here'),
  }
  return {
    conversion,
    calls,
    get automatic() {
      return state.automatic
    },
    set automatic(is) {
      state.automatic = is
    },
  }
}

const shapeV2 = {
  apiVersion: 'example.org/v2',
  kind: 'Widget',
  listKind: 'WidgetList',
  isStorageVersion: true,
  fromStorage: (object: ApiObject) => object,
}

function setup(t: Test, limits: Partial<StorageLimits> = {}) {
  const storage = createStorage({
    store: createMemoryStore(),
    clock: liveClock,
    limits: { retryMinMs: 1, retryMaxMs: 5, timerResolutionMs: 5, ...limits },
  })
  t.teardown(() => storage.close())
  const stored = storage.resource(widgets)
  const slow = slowConversion()
  const resource = createConvertedStorage(stored, new ConvertedObjects(slow.conversion))

  async function watch(request: Partial<WatchRequest> = {}, stream = createRecordingStream()) {
    const active = value(
      await resource.watch(
        {
          selector: everything,
          start: { type: 'now', freshness: { type: 'mostRecent' } },
          bookmarks: false,
          timeoutMs: 600_000,
          representation: jsonFrames(wholeObjects(shapeV2), 'cluster.io/initial-events-end'),
          ...request,
        },
        () => stream,
      ),
    )
    return { stream, close: () => active.close() }
  }
  const called = (count: number) => eventually(`${count} calls`, () => slow.calls.length >= count)
  return { stored, resource, slow, watch, called }
}

async function shows(stream: RecordingStream, lines: readonly string[]): Promise<void> {
  await eventually(`${lines.length} frames`, () => stream.lines().length >= lines.length)
}

t.test('an object is converted once for all who read it', async (t) => {
  const { stored, resource, slow, called } = setup(t)
  await createWidget(stored, 'a/1', { color: 'red' })
  const readers = ['mostRecent', 'any'] as const
  const reads = readers.map((type) => resource.get(parseName('a/1'), { type }))
  const list = resource.list({ selector: everything, start: { type: 'any' } })
  await called(1)
  slow.calls[0]?.answer()
  for (const read of await Promise.all(reads)) {
    const object = value(read)
    t.match(object && parseObject(object), { apiVersion: 'example.org/v2', spec: { colour: 'red' } })
  }
  t.match(value(await list).items[0]?.json.toString(), /"colour":"red"/)
  value(await resource.get(parseName('a/1'), { type: 'any' }))
  t.equal(slow.calls.length, 1)
  t.match(resource.peek(parseName('a/1')), { name: '1', namespace: 'a', revision: 1, isStale: false })
})

t.test('a list converts what is new to it in one call; a change makes an object new', async (t) => {
  const { stored, resource, slow } = setup(t)
  slow.automatic = true
  const [one] = [await createWidget(stored, 'a/1'), await createWidget(stored, 'a/2')]
  const list = async () => value(await resource.list({ selector: everything, start: { type: 'mostRecent' } }))
  await list()
  await createWidget(stored, 'a/3')
  await replaceWidget(stored, one, { color: 'blue' })
  const page = await list()
  t.same(
    slow.calls.map(({ names }) => names),
    [
      ['1@1', '2@2'],
      ['1@4', '3@3'],
    ],
  )
  t.match(page.items[0]?.json.toString(), /"colour":"blue"/)
})

t.test('a failure is told to who asked, and the next one asks again', async (t) => {
  const { stored, resource, slow, called } = setup(t)
  await createWidget(stored, 'a/1')
  const read = resource.get(parseName('a/1'), { type: 'any' })
  await called(1)
  slow.calls[0]?.refuse('no')
  t.same(failure(await read), { code: 'ConversionFailed', message: 'no' })
  slow.automatic = true
  t.ok(value(await resource.get(parseName('a/1'), { type: 'any' })))
})

t.test('the failure of a batch is not that of others who wait for one of its objects', async (t) => {
  const { stored, resource, slow, called } = setup(t)
  await createWidget(stored, 'a/1')
  await createWidget(stored, 'a/2')
  const list = resource.list({ selector: everything, start: { type: 'mostRecent' } })
  await called(1)
  const read = resource.get(parseName('a/1'), { type: 'any' })
  slow.calls[0]?.refuse('of the other one')
  t.equal(failure(await list).code, 'ConversionFailed')
  await called(2)
  t.same(slow.calls[1]?.names, ['1@1'])
  slow.calls[1]?.answer()
  t.ok(value(await read))
})

t.test('events wait for their objects, and keep their order', async (t) => {
  const { stored, slow, watch, called } = setup(t)
  const { stream } = await watch()
  const one = await createWidget(stored, 'a/1', { color: 'red' })
  await called(1)
  const two = await createWidget(stored, 'a/2')
  await replaceWidget(stored, one, { color: 'blue' })
  value(await stored.remove(two, two))
  t.same(stream.lines(), [])
  slow.calls[0]?.answer()
  await called(2)
  t.same(stream.lines(), ['ADDED a/1@1'])
  slow.automatic = true
  slow.calls[1]?.answer()
  const lines = ['ADDED a/1@1', 'ADDED a/2@2', 'MODIFIED a/1@3', 'DELETED a/2@4']
  await shows(stream, lines)
  t.same(stream.lines(), lines)
  t.match(stream.frames()[2]?.object, { apiVersion: 'example.org/v2', spec: { colour: 'blue' } })
})

t.test('what is deleted was converted before', async (t) => {
  const { stored, slow, watch } = setup(t)
  slow.automatic = true
  const { stream } = await watch()
  const one = await createWidget(stored, 'a/1', { color: 'red' })
  await shows(stream, [''])
  value(await stored.remove(one, one))
  await shows(stream, ['', ''])
  t.same(stream.lines(), ['ADDED a/1@1', 'DELETED a/1@2'])
  t.match(stream.frames()[1]?.object, { spec: { colour: 'red' } })
  t.equal(slow.calls.length, 1)
})

t.test('a watcher that comes while events wait sees each change once', async (t) => {
  const { stored, slow, watch, called } = setup(t)
  const first = await watch()
  const one = await createWidget(stored, 'a/1', { color: 'red' })
  await called(1)
  const now = await watch()
  const past = await watch({ start: { type: 'after', revision: revision(0) } })
  const state = await watch({
    start: { type: 'state', freshness: { type: 'any' }, initialEventsEndBookmark: true },
    bookmarks: true,
  })
  await replaceWidget(stored, one, { color: 'blue' })
  slow.automatic = true
  slow.calls[0]?.answer()
  await shows(first.stream, ['', ''])
  await shows(now.stream, [''])
  await shows(past.stream, ['', ''])
  await shows(state.stream, ['', '', ''])
  t.same(first.stream.lines(), ['ADDED a/1@1', 'MODIFIED a/1@2'])
  t.same(now.stream.lines(), ['MODIFIED a/1@2'])
  t.same(past.stream.lines(), ['ADDED a/1@1', 'MODIFIED a/1@2'])
  t.same(state.stream.lines(), ['ADDED a/1@1', 'BOOKMARK @1', 'MODIFIED a/1@2'])
})

t.test('bookmarks stay behind the events before them', async (t) => {
  const { stored, slow, watch, called } = setup(t, { bookmarkIntervalMs: 20 })
  const { stream } = await watch({ bookmarks: true })
  const isBookmark = (line: string) => line.startsWith('BOOKMARK')
  await eventually('a bookmark', () => stream.lines().some(isBookmark))
  await createWidget(stored, 'a/1')
  await called(1)
  const before = stream.lines().length
  const other = await watch({ bookmarks: true, selector: select('', 'metadata.name=2') })
  await eventually('a bookmark of a view that waits for nothing', () =>
    other.stream.lines().includes('BOOKMARK @1'),
  )
  t.equal(stream.lines().length, before, 'no bookmark of a revision whose event is still to come')
  slow.calls[0]?.answer()
  await eventually('the bookmark behind it', () => stream.lines().includes('BOOKMARK @1'))
  const lines = stream.lines().slice(before)
  t.equal(lines[0], 'ADDED a/1@1')
  t.ok(lines.slice(1).every(isBookmark))
})

t.test('a conversion that fails ends the watches that need it', async (t) => {
  const { stored, slow, watch, called } = setup(t)
  const all = await watch()
  const other = await watch({ selector: select('app=web') })
  await createWidget(stored, 'a/1')
  await called(1)
  const joining = await watch()
  slow.calls[0]?.refuse('no such luck')
  for (const { stream } of [all, joining]) {
    await eventually('the end', () => stream.state === 'ended')
    t.same(stream.frames(), [
      {
        type: 'ERROR',
        object: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: 'no such luck',
          code: 500,
        },
      },
    ])
  }
  t.equal(other.stream.state, 'open', 'those that it is not shown to go on')
  const state = await watch({
    start: { type: 'state', freshness: { type: 'any' }, initialEventsEndBookmark: false },
  })
  await called(2)
  slow.calls[1]?.refuse('still none')
  await eventually('the end', () => state.stream.state === 'ended')
  t.match(state.stream.frames(), [{ type: 'ERROR', object: { message: 'still none' } }])
})

t.test('too many events that wait end the watch', async (t) => {
  const { stored, watch } = setup(t, { backlogEventsMax: 3 })
  const { stream } = await watch()
  for (let n = 1; n <= 5; n++) await createWidget(stored, `a/${n}`)
  await eventually('the end', () => stream.state === 'ended')
  t.match(stream.frames(), [
    { type: 'ERROR', object: { code: 500, message: 'the conversion of objects takes too long' } },
  ])
})

t.test('a watch may end while its events wait', async (t) => {
  const { stored, slow, watch, called } = setup(t)
  const first = await watch()
  await createWidget(stored, 'a/1')
  await called(1)
  const joining = await watch()
  first.close()
  joining.close()
  slow.automatic = true
  slow.calls[0]?.answer()
  const next = await watch({ start: { type: 'after', revision: revision(0) } })
  await shows(next.stream, [''])
  t.same(next.stream.lines(), ['ADDED a/1@1'])
  t.same(first.stream.frames(), [])
  t.same(joining.stream.frames(), [])
})

t.test('a state of many objects is converted in batches', async (t) => {
  const { stored, slow, watch } = setup(t, { sliceBytes: 1000 })
  slow.automatic = true
  for (let n = 0; n < 600; n++) await createWidget(stored, `a/${n}`)
  const { stream } = await watch({
    start: { type: 'state', freshness: { type: 'any' }, initialEventsEndBookmark: true },
  })
  await eventually('the state', () => stream.lines().includes('BOOKMARK @600'))
  t.equal(stream.lines().length, 601)
  t.same(
    slow.calls.map(({ names }) => names.length),
    [256, 256, 88],
  )
})

t.test('what is written is answered in the version of the request', async (t) => {
  const { stored, resource, slow } = setup(t)
  slow.automatic = true
  const created = await createWidget(resource, 'a/1', { color: 'red' })
  t.match(parseObject(created), { apiVersion: 'example.org/v2', spec: { colour: 'red' } })
  const replaced = await replaceWidget(resource, created, { color: 'blue' })
  t.match(parseObject(replaced), { apiVersion: 'example.org/v2', spec: { colour: 'blue' } })
  const removed = value(await resource.remove(replaced, replaced))
  t.match(parseObject(removed), { metadata: { resourceVersion: '3' }, spec: { colour: 'blue' } })
  t.equal(slow.calls.length, 2)
  t.equal(value(await stored.get(created, { type: 'mostRecent' })), undefined)
})

t.test('what is stored in the version that is asked for is shown as it is', async (t) => {
  const { stored, slow } = setup(t)
  const sameAs = (storedApiVersion: string) =>
    createConvertedStorage(
      stored,
      new ConvertedObjects({ ...slow.conversion, apiVersion: 'example.org/v1', storedApiVersion }),
    )
  value(await stored.get(await createWidget(stored, 'a/1'), { type: 'mostRecent' }))
  const [source, current, older] = [stored, sameAs('example.org/v1'), sameAs('example.org/v2')].map((at) =>
    at.peek(parseName('a/1')),
  )
  t.ok(source)
  t.equal(current, source)
  t.equal(older?.json, source?.json)
  t.equal(older?.isStale, true, 'it would be stored in another version today')
  t.equal(slow.calls.length, 0)
})

t.test('what has come before a write is shown in the version of the request', async (t) => {
  const { stored, resource, slow } = setup(t)
  slow.automatic = true
  const base = await createWidget(resource, 'a/1', { color: 'red' })
  value(await stored.replace(base, base.revision, newRecord(base, { color: 'blue' })))
  for (const late of [
    await resource.replace(base, base.revision, newRecord(base)),
    await resource.remove(base, base),
  ]) {
    const moved = failure(late)
    t.equal(moved.code, 'Moved')
    const current = moved.code === 'Moved' && moved.current !== undefined ? parseObject(moved.current) : {}
    t.match(current, { apiVersion: 'example.org/v2', spec: { colour: 'blue' } })
  }
})
