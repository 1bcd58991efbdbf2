import { readdirSync, statSync } from 'node:fs'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import {
  key,
  keyAfterPrefix,
  keyBytesMax,
  type RangeRequest,
  revision,
  type Store,
  type WatchListener,
  type WatchRequest,
} from '../../../store/contract.ts'
import { readAnswer } from '../../../store/link/answers.ts'
import { connectLink, type LinkOptions } from '../../../store/link/client.ts'
import { FrameReader } from '../../../store/link/frame-reader.ts'
import { listenPrivately } from '../../../store/link/private-socket.ts'
import { linkVersion, type Request, readRequest, writeRequest } from '../../../store/link/requests.ts'
import { createLinkServer, type LinkServerOptions } from '../../../store/link/server.ts'
import { frameBytesMax, WireWriter } from '../../../store/link/wire.ts'
import { openMember } from '../../../store/member/open.ts'
import { eventually } from '../../support/eventually.ts'
import { Oracle } from '../oracle.ts'
import {
  commit,
  everything,
  guard,
  ManualClock,
  put,
  RecordedWatch,
  show,
  temporaryFolder,
} from '../support.ts'

interface Linked {
  readonly path: string
  readonly backend: Store
  readonly errors: string[]
  readonly clock: ManualClock
  connect(options?: Partial<LinkOptions>): Store
}

async function serve(t: Test, options: Partial<LinkServerOptions> = {}): Promise<Linked> {
  const path = join(temporaryFolder(t), 'link')
  const clock = new ManualClock()
  const backend = options.store ?? new Oracle(clock)
  const errors: string[] = []
  const server = createLinkServer({
    store: backend,
    path,
    onLinkError: (reason) => errors.push(reason),
    ...options,
  })
  await server.start()
  t.teardown(() => server.close())
  return {
    path,
    backend,
    errors,
    clock,
    connect(options = {}) {
      const store = connectLink({ path, clock, ...options })
      t.teardown(() => store.close())
      return store
    },
  }
}

function frame(request: Request): Buffer {
  const writer = new WireWriter(256)
  const start = writer.beginFrame()
  writeRequest(writer, request)
  writer.endFrame(start)
  return writer.finish()
}

/** A plain socket to the server: what it sent, as kinds of answers, once it closed. */
async function converse(path: string, ...sent: readonly Buffer[]): Promise<string[]> {
  const socket = createConnection(path)
  const frames = new FrameReader()
  const kinds: string[] = []
  socket.on('data', (chunk: Buffer) =>
    frames.push(chunk, (frame) => kinds.push(readAnswer(frame)?.kind ?? 'malformed')),
  )
  for (const bytes of sent) socket.write(bytes)
  await new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return kinds
}

/** A member that reads requests and answers as the test says. */
async function fakeMember(
  t: Test,
  path: string,
  onRequest: (request: Request, socket: Socket) => void,
): Promise<Server> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    const frames = new FrameReader()
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) =>
      frames.push(chunk, (frame) => {
        const request = readRequest(frame)
        if (request !== undefined) onRequest(request, socket)
      }),
    )
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return server
}

t.test('the socket is for the owner only', async (t) => {
  const { path } = await serve(t)
  t.equal(statSync(path).mode & 0o777, 0o600)
})

const hello = frame({ kind: 'hello', version: linkVersion })
const index = frame({ kind: 'readIndex', id: 1 })

for (const [what, sent, answers, reason] of [
  ['no greeting', [index], [], 'no greeting'],
  ['another version', [frame({ kind: 'hello', version: 9 }), index], ['hello'], /version 9 .* member 1/],
  ['two greetings', [hello, hello], ['hello'], 'greeted twice'],
  ['no message', [hello, Buffer.from([3, 0, 0, 0, 0xff, 0xff, 0xff])], ['hello'], 'malformed frame'],
  ['an empty message', [hello, Buffer.from([0, 0, 0, 0])], ['hello'], 'malformed frame'],
  [
    'an endless frame',
    [hello, Buffer.from([0, 0, 0, 0x7f])],
    ['hello'],
    `frame larger than ${frameBytesMax} bytes`,
  ],
  ['an empty key', [hello, Buffer.from([6, 0, 0, 0, 8, 2, 50, 2, 10, 0])], ['hello'], 'malformed frame'],
  [
    'one key twice',
    [hello, frame({ kind: 'commit', id: 1, transaction: { guards: [], ops: [put('a', ''), put('a', '')] } })],
    ['hello'],
    'a transaction has two operations for one key',
  ],
] as const) {
  t.test(`the server closes a link that sends ${what}`, async (t) => {
    const { path, errors, connect } = await serve(t)
    t.same(await converse(path, ...sent), answers)
    t.match(errors, [reason])
    t.equal(errors.length, 1)
    t.equal(await commit(connect(), put('a', '1')), 1, 'others are served')
  })
}

t.test('frames cut at every place', (t) => {
  const requests: Request[] = [
    { kind: 'hello', version: 1 },
    {
      kind: 'commit',
      id: 300,
      transaction: { guards: [guard('a', 2 ** 40)], ops: [put('\xff\x00', 'v', 1500)] },
    },
    { kind: 'watch', id: 7, request: { ...everything, from: revision(3), previous: true } },
  ]
  const stream = Buffer.concat(requests.map(frame))
  for (let cut = 0; cut <= stream.length; cut++) {
    const frames = new FrameReader()
    const found: (Request | undefined)[] = []
    for (const piece of [stream.subarray(0, cut), stream.subarray(cut)]) {
      t.ok(frames.push(piece, (frame) => found.push(readRequest(frame))))
    }
    t.same(found, requests)
  }
  for (let length = 0; length < stream.length; length++) readRequest(stream.subarray(4, 4 + length))
  t.end()
})

t.test('a large range comes in parts', async (t) => {
  const { connect, backend } = await serve(t, { outgoingBytesMax: 1_000_000 })
  const value = Buffer.alloc(100_000, 'v')
  for (let i = 100; i < 160; i++) await commit(backend, put(`k${i}`, value))
  const range = await connect().range({ ...everything, limit: 50 })
  t.match(range, { ok: true, value: { more: true, count: 60, revision: 60 } })
  t.equal(range.ok && range.value.entries.length, 50)
  t.ok(
    range.ok &&
      range.value.entries.every((entry, i) => entry.key === `k${100 + i}` && entry.value.equals(value)),
  )
})

t.test('when the link is lost reads are Unavailable, writes Unknown, and it comes back', async (t) => {
  const path = join(temporaryFolder(t), 'link')
  const clock = new ManualClock()
  const got: string[] = []
  const server = await fakeMember(t, path, (request, socket) => {
    got.push(request.kind)
    if (got.length === 6) socket.destroy()
  })
  const errors: string[] = []
  const store = connectLink({ path, clock, onLinkError: (reason) => errors.push(reason) })
  t.teardown(() => store.close())
  const watch = new RecordedWatch(store, 1)
  const range = store.range(everything)
  const write = store.commit({ guards: [], ops: [put('a', '1')] })
  const compact = store.compact(revision(1))
  const indexes = [store.readIndex(), store.readIndex(), store.readIndex()]
  t.match(await range, { failure: { code: 'Unavailable', message: /link .* was lost/ } })
  t.match(await write, { failure: { code: 'Unknown' } })
  t.match(await compact, { failure: { code: 'Unknown' } })
  for (const index of indexes) t.match(await index, { failure: { code: 'Unavailable' } })
  t.match(await watch.end(), { code: 'Unavailable' })
  t.same(
    got,
    ['hello', 'watch', 'range', 'commit', 'compact', 'readIndex'],
    'one frame for three read indexes',
  )
  t.match(await store.commit({ guards: [], ops: [] }), {
    failure: { code: 'Unavailable', message: 'there is no link to the member' },
  })
  t.match(await new RecordedWatch(store, 1).end(), { code: 'Unavailable' })

  await new Promise((resolve) => server.close(resolve))
  const backend = new Oracle(clock)
  const next = createLinkServer({ store: backend, path })
  await next.start()
  t.teardown(() => next.close())
  await eventually('the link to come back', async () => {
    clock.advance(100)
    return (await store.readIndex()).ok
  })
  t.equal(await commit(store, put('a', '1')), 1)
  t.same(errors.slice(0, 1), ['closed by the member'])
})

t.test('without a member nothing was done', async (t) => {
  const clock = new ManualClock()
  const store = connectLink({ path: join(temporaryFolder(t), 'nobody'), clock })
  t.match(await store.commit({ guards: [], ops: [put('a', '1')] }), {
    failure: { code: 'Unavailable', message: /ENOENT/ },
  })
  await store.close()
})

t.test('requests under way are bounded', async (t) => {
  const { connect } = await serve(t)
  const few = connect({ inFlightMax: 2 })
  const answers = await Promise.all(
    Array.from({ length: 3 }, (_, i) => few.commit({ guards: [], ops: [put(`k${i}`, '')] })),
  )
  t.same(
    answers.map((answer) => (answer.ok ? 'ok' : answer.failure.code)),
    ['ok', 'ok', 'Unavailable'],
  )
  const small = connect({ inFlightBytesMax: 1000 })
  const commits = await Promise.all(
    Array.from({ length: 2 }, (_, i) => small.commit({ guards: [], ops: [put(`k${i}`, Buffer.alloc(900))] })),
  )
  t.same(
    commits.map((answer) => answer.ok),
    [true, false],
  )
})

t.test('a batch is one frame for all watches of a link, each event once', async (t) => {
  const opened = await openMember({ dataDir: temporaryFolder(t), clock: new ManualClock() })
  if (!opened.ok) throw new Error(opened.failure.message)
  t.teardown(() => opened.value.close())
  const { path, backend } = await serve(t, { store: opened.value.store })
  const range = { start: key('a/'), end: keyAfterPrefix('a/') }
  const watchOf = (id: number, start: string): Buffer =>
    frame({ kind: 'watch', id, request: { start: key(start), end: range.end, from: revision(1) } })
  const socket = createConnection(path)
  t.teardown(() => socket.destroy())
  const frames = new FrameReader()
  const batches: unknown[] = []
  socket.on('data', (chunk: Buffer) =>
    frames.push(chunk, (frame) => {
      const answer = readAnswer(frame)
      if (answer?.kind !== 'batch') return
      const { revision, rest, deliveries, events } = answer.batch
      batches.push({ revision, rest, deliveries, events: events.length, bytes: frame.length })
    }),
  )
  socket.write(Buffer.concat([hello, watchOf(1, 'a/'), watchOf(2, 'a/'), watchOf(3, 'a/b')]))
  await commit(backend, put('warm', 'up'))
  await eventually('the first batch', () => batches.length > 0)
  batches.length = 0
  await commit(backend, put('z', '1'))
  await commit(backend, put('a/a', 'x'.repeat(100)))
  await eventually('both batches', () => batches.length === 2)
  t.match(batches, [
    { revision: 2, rest: true, deliveries: [], events: 0, bytes: 6 },
    {
      revision: 3,
      rest: true,
      events: 1,
      deliveries: [
        { watch: 1, events: [0] },
        { watch: 2, events: [0] },
      ],
    },
  ])
})

t.test('a watch that has not caught up gets no progress, also when another one ends', async (t) => {
  const listeners: WatchListener[] = []
  class Scripted extends Oracle {
    override watch(_request: WatchRequest, listener: WatchListener) {
      listeners.push(listener)
      return { close() {} }
    }
  }
  const store = new Scripted(new ManualClock())
  const client = (await serve(t, { store })).connect()
  const watches = [1, 1, 1].map((from) => new RecordedWatch(client, from))
  await eventually('the member to have them', () => listeners.length === 3)
  const [ended, told] = listeners
  for (const listener of [ended, told]) listener?.onBatch({ revision: revision(5), events: [] })
  ended?.onEnd({ code: 'Unavailable', message: 'enough' })
  await watches[0]?.end()
  t.same(
    watches.map(({ revision }) => revision),
    [5, 5, 0],
  )
})

t.test('a range that holds nothing asks only what it must', async (t) => {
  const { connect, backend } = await serve(t)
  await commit(backend, put('a', '1'))
  const store = connect()
  const longest = key('k'.repeat(keyBytesMax))
  for (const start of ['b', longest]) {
    t.match(await store.range({ start: key(start), end: key('a') }), {
      ok: true,
      value: { entries: [], revision: 1, more: false, count: 0 },
    })
  }
  t.match(await store.range({ start: longest, end: longest, revision: revision(2) }), {
    ok: false,
    failure: { code: 'FutureRevision' },
  })
})

t.test('the watches of a worker that does not read are ended', async (t) => {
  const { path, backend, errors, connect } = await serve(t, { outgoingBytesMax: 300_000 })
  const slow = createConnection(path)
  t.teardown(() => slow.destroy())
  slow.write(
    Buffer.concat([hello, frame({ kind: 'watch', id: 1, request: { ...everything, from: revision(1) } })]),
  )
  slow.pause()
  const quick = connect()
  const watch = new RecordedWatch(quick, 1)
  const value = Buffer.alloc(50_000)
  let last = 0
  await eventually('the slow one to be noticed', async () => {
    last = await commit(backend, put('a', value))
    await watch.reached(last)
    return errors.length > 0
  })
  t.match(errors, [/^watches ended: the worker left \d+ bytes waiting$/])
  t.equal(watch.ended, undefined, 'the quick one goes on')
  t.ok(last < 100, `memory stays bounded: ended after ${last} commits`)
  const answers: string[] = []
  const frames = new FrameReader()
  slow.on('data', (chunk: Buffer) =>
    frames.push(chunk, (frame) => answers.push(readAnswer(frame)?.kind ?? 'malformed')),
  )
  slow.resume()
  await eventually('the slow one to hear of it', () => answers.at(-1) === 'watchEnded')
})

t.test('the server closes its links and removes its socket; a new one replaces a stale file', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'link')
  const clock = new ManualClock()
  const first = createLinkServer({ store: new Oracle(clock), path })
  await first.start()
  const store = connectLink({ path, clock })
  t.equal(await commit(store, put('a', '1')), 1)
  t.equal(await show(store), 'a@1=1')
  const watch = new RecordedWatch(store, 2)
  await first.close()
  await first.close()
  t.match(await watch.end(), { code: 'Unavailable' })
  t.same(readdirSync(folder), [])
  await store.close()
})

t.test('closing waits for a worker that does not read, but not for ever', async (t) => {
  const path = join(temporaryFolder(t), 'link')
  const clock = new ManualClock()
  let asked = false
  class Asked extends Oracle {
    override range(request: RangeRequest) {
      asked = true
      return super.range(request)
    }
  }
  const backend = new Asked(clock)
  await commit(backend, ...Array.from({ length: 8 }, (_, i) => put(`k${i}`, Buffer.alloc(1_000_000))))
  const server = createLinkServer({ store: backend, path, clock })
  await server.start()
  const stuck = createConnection(path)
  t.teardown(() => stuck.destroy())
  stuck.pause()
  stuck.write(Buffer.concat([hello, frame({ kind: 'range', id: 1, request: everything })]))
  await eventually('the question to arrive', () => asked)
  await new Promise((resolve) => setImmediate(resolve))
  let closed = false
  const closing = server.close().then(() => {
    closed = true
  })
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  t.notOk(closed)
  clock.advance(1000)
  await closing
})

t.test('a server that cannot accept a connection says so and goes on', async (t) => {
  const server = createServer()
  const told: string[] = []
  await listenPrivately(server, join(temporaryFolder(t), 'socket'), ({ message }) => told.push(message))
  t.teardown(() => server.close())
  for (const message of ['accept EMFILE', 'accept ENFILE']) server.emit('error', new Error(message))
  t.same(told, ['accept EMFILE', 'accept ENFILE'])
  const taken = createServer()
  const nowhere = join(temporaryFolder(t), 'none', 'socket')
  await t.rejects(listenPrivately(taken, nowhere, () => t.fail('told as well')))
})
