import t, { type Test } from 'tap'
import { everything } from '../../../src/storage/selector/selector.ts'
import { createStorage } from '../../../src/storage/storage.ts'
import { systemClock } from '../../../store/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { createMemoryStore } from '../../support/memory-store.ts'
import { createRecordingStream } from '../../support/recording-stream.ts'
import {
  createWidget,
  failure,
  names,
  newRecord,
  replaceWidget,
  representation,
  value,
  widgets,
} from './harness.ts'

function setup(t: Test) {
  const store = createMemoryStore()
  const storage = createStorage({ store, clock: systemClock })
  t.teardown(() => storage.close())
  return { store, storage, resource: storage.resource(widgets) }
}

t.test('an object is created, read, replaced and removed', async (t) => {
  const { resource } = setup(t)
  const name = { namespace: 'default', name: 'one' }
  const created = await createWidget(resource, 'default/one', { color: 'red' })
  t.equal(created.revision, 1)
  t.match(JSON.parse(created.json.toString()), {
    metadata: { name: 'one', resourceVersion: '1' },
    spec: { color: 'red' },
  })

  const read = value(await resource.get(name, { type: 'mostRecent' }))
  t.strictSame(read?.json.toString(), created.json.toString())

  const taken = failure(await resource.create(name, newRecord(name)))
  t.match(taken, { code: 'Moved', current: { revision: 1 } })

  const replaced = await replaceWidget(resource, created, { color: 'blue' })
  t.equal(replaced.revision, 2)
  t.match(failure(await resource.replace(name, created.revision, newRecord(name))), {
    code: 'Moved',
    current: { revision: 2 },
  })
  t.match(failure(await resource.remove(name, created)), { code: 'Moved' })

  const removed = value(await resource.remove(name, replaced))
  t.match(JSON.parse(removed.json.toString()), {
    metadata: { resourceVersion: '3' },
    spec: { color: 'blue' },
  })
  t.equal(value(await resource.get(name, { type: 'mostRecent' })), undefined)
  t.match(failure(await resource.replace(name, removed.revision, newRecord(name))), {
    code: 'Moved',
    current: undefined,
  })
})

t.test('a list shows the newest state in key order, a watch what follows', async (t) => {
  const { resource } = setup(t)
  for (const at of ['b/2', 'a/1', 'b/1']) await createWidget(resource, at)
  const page = value(await resource.list({ selector: everything, start: { type: 'mostRecent' } }))
  t.strictSame(names(page.items), ['a/1@2', 'b/1@3', 'b/2@1'])
  t.equal(page.revision, 3)

  const stream = createRecordingStream()
  const watch = value(
    await resource.watch(
      {
        namespace: 'b',
        selector: everything,
        start: { type: 'after', revision: page.revision },
        bookmarks: false,
        timeoutMs: 60_000,
        representation,
      },
      () => stream,
    ),
  )
  await createWidget(resource, 'a/3')
  const three = await createWidget(resource, 'b/3')
  value(await resource.remove(three, three))
  await eventually('both frames', () => stream.lines().length === 2)
  t.strictSame(stream.lines(), ['ADDED b/3@5', 'DELETED b/3@6'])
  watch.close()
  t.equal(stream.state, 'ended')
})
