/** The balancer of a local cluster, in front of servers that come, go and fall silent. */

import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'
import t from 'tap'
import { type Balancer, startBalancer } from '../../workers/cluster/balancer.ts'
import { ManualClock } from '../store/support.ts'
import { eventually } from '../support/eventually.ts'

const host = '127.0.0.1'

interface Backend {
  readonly port: number
  readonly sockets: Set<Socket>
  close(): Promise<void>
}

/** Says its name, then echoes. */
async function startBackend(t: Test, name: string, port = 0): Promise<Backend> {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    socket.write(`${name} `)
    socket.pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  t.teardown(close)
  return { port: (server.address() as AddressInfo).port, sockets, close }
}

interface Client {
  readonly text: () => string
  readonly socket: Socket
  readonly closed: Promise<void>
}

function dial(t: Test, { port }: Balancer): Client {
  const socket = connect(port, host)
  t.teardown(() => socket.destroy())
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  socket.on('error', () => {})
  return { text: () => text, socket, closed: new Promise((resolve) => socket.once('close', () => resolve())) }
}

/** Who answers a new connection. */
async function whoAnswers(t: Test, balancer: Balancer): Promise<string> {
  const client = dial(t, balancer)
  await eventually('an answer, or the end', () => client.text() !== '' || client.socket.destroyed)
  client.socket.destroy()
  return client.text().trim()
}

async function startPair(t: Test) {
  const [a, b] = [await startBackend(t, 'a'), await startBackend(t, 'b')]
  const good = new Map([
    ['a', true],
    ['b', true],
  ])
  const clock = new ManualClock()
  const changes: string[] = []
  let probes = 0
  const started = await startBalancer({
    host,
    port: 0,
    backends: [
      { name: 'a', host, port: a.port },
      { name: 'b', host, port: b.port },
    ],
    clock,
    async probe({ name }) {
      probes++
      return good.get(name) === true
    },
    onChange: (name, isUp) => changes.push(`${name} ${isUp ? 'up' : 'down'}`),
  })
  if (!started.ok) throw new Error(started.failure.message)
  const balancer = started.value
  t.teardown(() => balancer.close())
  await eventually('both to be up', () => balancer.isUp('a') && balancer.isUp('b'))
  /** One more probe of each. */
  const round = async (): Promise<void> => {
    const before = probes
    clock.advance(500)
    await eventually('the probes', () => probes === before + 2)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { a, b, good, balancer, changes, round }
}

t.test('connections are shared out, carry bytes both ways, and end as they should', async (t) => {
  const { balancer, a, b } = await startPair(t)
  const clients = [dial(t, balancer), dial(t, balancer)]
  await eventually('both servers to have one', () => a.sockets.size === 1 && b.sockets.size === 1)
  const [client] = clients
  client?.socket.end('last words')
  await client?.closed
  t.match(client?.text(), /^[ab] last words$/, 'a client that has finished speaking still hears the answer')
})

t.test('a server that cannot be reached is passed over at once', async (t) => {
  const { balancer, a } = await startPair(t)
  await a.close()
  for (let i = 0; i < 5; i++) t.equal(await whoAnswers(t, balancer), 'b')
})

t.test(
  'a server that is not ready gets no new connections, and loses its old ones when that lasts',
  async (t) => {
    const { balancer, good, changes, round, a } = await startPair(t)
    const clients = [dial(t, balancer), dial(t, balancer)]
    await eventually('both to be connected', () => clients.every(({ text }) => text() !== ''))
    const ofA = clients.find(({ text }) => text() === 'a ')
    const ofB = clients.find(({ text }) => text() === 'b ')
    good.set('a', false)
    await round()
    t.equal(await whoAnswers(t, balancer), 'b')
    t.equal(a.sockets.size, 1, 'one bad probe ends nothing')
    await round()
    await ofA?.closed
    t.same(changes, ['a up', 'b up', 'a down'])
    t.equal(ofB?.socket.destroyed, false)
    good.set('a', true)
    await round()
    t.ok(balancer.isUp('a'))
    t.equal(await whoAnswers(t, balancer), 'a', 'which has fewer connections now')
  },
)

t.test(
  'when none is ready, any that accepts is better than none; when none accepts, the client is told',
  async (t) => {
    const { balancer, good, round, a, b } = await startPair(t)
    good.set('a', false)
    good.set('b', false)
    await round()
    t.match(await whoAnswers(t, balancer), /^[ab]$/)
    await a.close()
    await b.close()
    t.equal(await whoAnswers(t, balancer), '')
  },
)

t.test('a port in use is named', async (t) => {
  const { balancer } = await startPair(t)
  const second = await startBalancer({
    host,
    port: balancer.port,
    backends: [],
    clock: new ManualClock(),
    probe: async () => true,
  })
  t.match(second, { ok: false, failure: { message: /is in use by another process/ } })
})
