/** The API over a store of three members: any of them serves any request, also while leaders come and go. */

import type { Test } from 'tap'
import t from 'tap'
import type { TestWatch } from '../api/server-under-test.ts'
import { type Group, quickTiming, startGroup } from '../store/group.ts'
import { eventually } from '../support/eventually.ts'
import { type InProcessServer, startInProcess } from '../support/in-process-server.ts'

const names = ['a', 'b', 'c']
const items = '/api/v1/namespaces/default/configmaps'

interface Plane {
  readonly group: Group
  readonly servers: Map<string, InProcessServer>
  server(name: string): InProcessServer
  /** The node goes: its server, then its member, which hands over what it leads. */
  stop(name: string): Promise<void>
  start(name: string): Promise<void>
}

/** @param waitMaxMs that requests wait for a leader: long, but where nobody will lead */
async function startPlane(t: Test, waitMaxMs = 30_000): Promise<Plane> {
  const group = await startGroup(t, { names, replication: { timing: { ...quickTiming, waitMaxMs } } })
  const servers = new Map<string, InProcessServer>()
  const serve = async (name: string): Promise<void> => {
    const server = await startInProcess({ store: group.member(name).store })
    servers.set(name, server)
    t.teardown(() => server.close())
  }
  await group.leader()
  await Promise.all(names.map(serve))
  return {
    group,
    servers,
    server(name) {
      const server = servers.get(name)
      if (server === undefined) throw new Error(`${name} does not serve`)
      return server
    },
    async stop(name) {
      await servers.get(name)?.close()
      servers.delete(name)
      await group.stop(name)
    },
    async start(name) {
      await group.start(name)
      await serve(name)
    },
  }
}

function create(server: InProcessServer, name: string) {
  return server.request({ method: 'POST', target: items, body: { metadata: { name } } })
}

/** Events of config maps until one of this name. */
async function readUntil(watch: TestWatch, name: string): Promise<readonly string[]> {
  const seen: string[] = []
  for (;;) {
    const event = await watch.next()
    if (event === undefined) throw new Error(`the watch ended after ${seen.join(' ')}`)
    const metadata = event.object['metadata'] as { readonly name: string }
    seen.push(`${event.type} ${metadata.name}`)
    if (metadata.name === name) return seen
  }
}

t.test('what one node has answered, every other one knows', async (t) => {
  const plane = await startPlane(t)
  for (let i = 0; i < 30; i++) {
    const writer = plane.server(names[i % 3] ?? '')
    const written = await create(writer, `m${i}`)
    t.equal(written.status, 201)
    const read = await plane
      .server(names[(i + 1) % 3] ?? '')
      .request({ method: 'GET', target: `${items}/m${i}` })
    t.equal(read.status, 200)
    t.equal(read.body.toString(), written.body.toString())
  }
  const lists = await Promise.all(
    names.map(async (name) =>
      (await plane.server(name).request({ method: 'GET', target: items })).body.toString(),
    ),
  )
  t.equal(new Set(lists).size, 1, 'all list the same')
})

t.test('a resource version of one node is good on the others: for lists, pages and watches', async (t) => {
  const plane = await startPlane(t)
  for (let i = 0; i < 4; i++) await create(plane.server('a'), `m${i}`)
  const page = JSON.parse(
    (await plane.server('a').request({ method: 'GET', target: `${items}?limit=2` })).body.toString(),
  )
  const { resourceVersion, continue: token } = page.metadata
  await create(plane.server('a'), 'later')
  const rest = await plane
    .server('b')
    .request({ method: 'GET', target: `${items}?limit=9&continue=${token}` })
  t.same(
    JSON.parse(rest.body.toString()).items.map((item: { metadata: { name: string } }) => item.metadata.name),
    ['m2', 'm3'],
  )
  const watch = await plane
    .server('c')
    .watch({ method: 'GET', target: `${items}?watch=true&resourceVersion=${resourceVersion}` })
  t.same(await readUntil(watch, 'later'), ['ADDED later'])
  watch.close()
})

t.test('watches and requests go on while the leader leaves and comes back', async (t) => {
  const plane = await startPlane(t)
  const first = await plane.group.leader()
  const follower = await plane.group.follower()
  const server = plane.server(follower)
  const watch = await server.watch({ method: 'GET', target: `${items}?watch=true` })
  const expected: string[] = []
  let stopped: Promise<void> | undefined
  for (let i = 0; i < 60; i++) {
    if (i === 20) stopped = plane.stop(first)
    if (i === 40) {
      await stopped
      await plane.start(first)
    }
    const answer = await create(server, `m${i}`)
    t.equal(answer.status, 201, `m${i}: ${answer.body}`)
    expected.push(`ADDED m${i}`)
  }
  const seen = await readUntil(watch, 'm59')
  t.same(
    seen.filter((one) => one.startsWith('ADDED m')),
    expected,
    'each once, in order',
  )
  watch.close()
})

t.test(
  'without a majority: 503 in bounded time, reads from the cache, and all is well again afterwards',
  async (t) => {
    const plane = await startPlane(t, 2000)
    const [lost, alsoLost] = names.slice(1)
    await create(plane.server('a'), 'before')
    await plane.stop(lost ?? '')
    await plane.stop(alsoLost ?? '')
    const server = plane.server('a')
    await eventually('a to step down', async () => (await plane.group.status('a')).leader === 0)
    const startMs = performance.now()
    for (const request of [
      { method: 'GET', target: `${items}/before` },
      { method: 'POST', target: items, body: { metadata: { name: 'lost' } } },
    ]) {
      const answer = await server.request(request)
      t.equal(answer.status, 503, answer.body.toString())
      t.equal(answer.headers['retry-after'], '1')
      t.match(JSON.parse(answer.body.toString()), {
        reason: 'ServiceUnavailable',
        details: { retryAfterSeconds: 1 },
      })
    }
    t.ok(performance.now() - startMs < 20_000, 'neither waits for long')
    t.equal(
      (await server.request({ method: 'GET', target: `${items}/before?resourceVersion=0` })).status,
      200,
    )
    t.equal((await server.request({ method: 'GET', target: '/readyz' })).status, 500)

    await plane.group.start(lost ?? '')
    t.equal(
      (await create(server, 'patient')).status,
      201,
      'a request that waits for a leader is served by it',
    )
    t.equal((await server.request({ method: 'GET', target: '/readyz' })).status, 200)
    t.equal(
      (await server.request({ method: 'GET', target: `${items}/lost` })).status,
      404,
      'refused is refused',
    )
  },
)
