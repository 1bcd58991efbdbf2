/** Watches. Source: specification, "Watch event", "Efficient change detection", "watch semantics". */

import type { Test } from 'tap'
import type { ServerUnderTest, SuiteNames, TestWatch, WatchEvent } from './server-under-test.ts'

/** `TYPE name`; a bookmark shows its annotations, an error its code and reason. */
function describe({ type, object }: WatchEvent): string {
  const { metadata, code, reason } = object as {
    metadata?: { name?: string; annotations?: Readonly<Record<string, string>> }
    code?: number
    reason?: string
  }
  if (type === 'ERROR') return `ERROR ${code} ${reason}`
  if (type === 'BOOKMARK') return `BOOKMARK ${Object.keys(metadata?.annotations ?? {}).join()}`.trim()
  return `${type} ${metadata?.name}`
}

async function take(watch: TestWatch, count: number): Promise<readonly string[]> {
  const events: string[] = []
  while (events.length < count) {
    const event = await watch.next()
    events.push(event === undefined ? 'END' : describe(event))
    if (event === undefined) break
  }
  return events
}

export async function watchSuite(
  t: Test,
  server: ServerUnderTest,
  names: SuiteNames,
  prefix: string,
): Promise<void> {
  let count = 0

  async function place() {
    const ns = `${prefix}-${count++}`
    await server.request({ method: 'POST', target: '/api/v1/namespaces', body: { metadata: { name: ns } } })
    const target = `/api/v1/namespaces/${ns}/configmaps`
    const create = async (name: string, labels = {}): Promise<string> => {
      const { body } = await server.request({ method: 'POST', target, body: { metadata: { name, labels } } })
      const made: { metadata: { resourceVersion: string } } = JSON.parse(body.toString('utf8'))
      return made.metadata.resourceVersion
    }
    const label = (name: string, labels: object) =>
      server.request({
        method: 'PATCH',
        target: `${target}/${name}`,
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { metadata: { labels } },
      })
    const remove = (name: string) => server.request({ method: 'DELETE', target: `${target}/${name}` })
    const watch = (query: string, headers = {}) =>
      server.watch({ method: 'GET', target: `${target}?watch=1&${query}`, headers })
    return { target, create, label, remove, watch }
  }

  await t.test('without a version: the state first, then changes', async (t) => {
    const { create, label, remove, watch } = await place()
    await create('a')
    const stream = await watch('')
    t.equal(stream.status, 200)
    t.equal(stream.headers['content-type'], 'application/json')
    t.same(await take(stream, 1), ['ADDED a'])
    await create('b')
    await label('a', { x: 'y' })
    await remove('b')
    t.same(await take(stream, 3), ['ADDED b', 'MODIFIED a', 'DELETED b'])
    stream.close()
  })

  await t.test('from a version: what came after it', async (t) => {
    const { create, label, watch } = await place()
    const version = await create('a')
    await create('b')
    await label('a', { x: 'y' })
    const stream = await watch(`resourceVersion=${version}`)
    t.same(await take(stream, 2), ['ADDED b', 'MODIFIED a'])
    stream.close()
  })

  await t.test('an object that enters or leaves a selector is added or deleted for it', async (t) => {
    const { create, label, watch } = await place()
    await create('a', { team: 'x' })
    await create('b')
    const stream = await watch('labelSelector=team%3Dx')
    t.same(await take(stream, 1), ['ADDED a'])
    await label('b', { team: 'x' })
    await label('a', { team: null })
    t.same(await take(stream, 2), ['ADDED b', 'DELETED a'])
    stream.close()
  })

  await t.test('a single item, by path and by field selector', async (t) => {
    const { target, create, watch } = await place()
    await create('a')
    await create('b')
    const byField = await watch('fieldSelector=metadata.name%3Db')
    t.same(await take(byField, 1), ['ADDED b'])
    byField.close()
    const byPath = await server.watch({ method: 'GET', target: `${target}/b?watch=true` })
    t.same(await take(byPath, 1), ['ADDED b'])
    byPath.close()
  })

  await t.test('initial events end with an annotated bookmark', async (t) => {
    const { create, watch } = await place()
    await create('a')
    const stream = await watch(
      'sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan',
    )
    t.same(await take(stream, 2), ['ADDED a', `BOOKMARK ${names.groupDomain}/initial-events-end`])
    await create('b')
    t.same(await take(stream, 1), ['ADDED b'])
    stream.close()
  })

  await t.test('a watch ends when its time is over', async (t) => {
    const { watch } = await place()
    const stream = await watch('timeoutSeconds=1')
    t.same(await take(stream, 1), ['END'])
  })

  await t.test('tables and metadata alone', async (t) => {
    const { create, watch } = await place()
    await create('a')
    const { metaGroup } = names
    const table = await watch('', { accept: `application/json;as=Table;v=v1;g=${metaGroup}` })
    const row = await table.next()
    t.match(row, { type: 'ADDED', object: { kind: 'Table', rows: [{ cells: ['a'] }] } })
    const another = await watch('', { accept: `application/json;as=Table;v=v1;g=${metaGroup}` })
    await create('b')
    const columns = async (stream: typeof table) => (await stream.next())?.object['columnDefinitions']
    t.match(row?.object, { columnDefinitions: [{ name: 'Name' }] }, 'columns in the first event')
    t.equal(await columns(table), null, 'not in those after it')
    t.match(await columns(another), [{ name: 'Name' }], 'of each watch')
    t.equal(await columns(another), null)
    table.close()
    another.close()
    const partial = await watch('', {
      accept: `application/json;as=PartialObjectMetadata;v=v1;g=${metaGroup}`,
    })
    t.match(await partial.next(), {
      type: 'ADDED',
      object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } },
    })
    partial.close()
    const named = await watch('', { accept: 'application/json;stream=watch' })
    t.equal(named.headers['content-type'], 'application/json')
    named.close()
  })

  await t.test('what may not be asked of a watch', async (t) => {
    const { target } = await place()
    for (const [query, status] of [
      ['resourceVersionMatch=NotOlderThan&resourceVersion=1', 422],
      ['sendInitialEvents=true', 422],
      ['sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1', 422],
      ['resourceVersion=abc', 400],
      ['timeoutSeconds=abc', 400],
      ['fieldSelector=nope%3D1', 400],
    ] as const) {
      const answer = await server.request({ method: 'GET', target: `${target}?watch=1&${query}` })
      t.equal(answer.status, status, query)
    }
  })
}
