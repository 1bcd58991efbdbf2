import { once } from 'node:events'
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import t, { type Test } from 'tap'
import type { Handler, ResponseStream } from '../../src/pipeline/exchange.ts'
import { sharedChunk } from '../../src/storage/shared-chunk.ts'
import { listenNode, type NodeListenOptions } from '../../workers/http/node.ts'
import type { KeyPair } from '../../workers/pki/issue.ts'
import { eventually } from '../support/eventually.ts'
import { connectHttp2 } from './http2-socket.ts'
import { createTlsFixture } from './tls-fixture.ts'
import { transportSuite } from './transport-suite.ts'
import { listening } from './transports.ts'

const fixture = await createTlsFixture()
const { ca, tls } = fixture

transportSuite(t, {
  complete: false,
  framed: true,
  listen: (handler) =>
    listening(listenNode({ host: '127.0.0.1', port: 0, tls, handler, onHandlerError: () => {} })),
  connect: (port) => connectHttp2({ port, ca }),
})

/** Of fifty requests each. */
const roundsMax = 100

async function serve(t: Test, handler: Handler, http2?: NodeListenOptions['http2']): Promise<number> {
  const listener = await listening(
    listenNode({
      host: '127.0.0.1',
      port: 0,
      tls,
      handler,
      onHandlerError: () => {},
      ...(http2 === undefined ? {} : { http2 }),
    }),
  )
  t.teardown(() => {
    listener.destroy()
    return listener.close()
  })
  return listener.port
}

function dial(t: Test, port: number, keys?: KeyPair): ClientHttp2Session {
  const session = connect(`https://127.0.0.1:${port}`, {
    ca,
    ...(keys === undefined ? {} : { cert: keys.certificate, key: keys.privateKey }),
  })
  session.on('error', () => {})
  t.teardown(() => session.destroy())
  return session
}

async function ask(session: ClientHttp2Session, path = '/'): Promise<string> {
  const stream = session.request({ ':path': path })
  const [head] = await once(stream, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return `${head[':status']} ${Buffer.concat(chunks)}`
}

t.test('who is behind the connection is known to all its streams', async (t) => {
  const port = await serve(t, (exchange) => {
    const { peerCertificate: peer } = exchange
    exchange.respond(200, {}, Buffer.from(`${peer?.commonName ?? 'nobody'} ${exchange.header('host')}`))
  })
  const rows = [
    [undefined, '200 nobody'],
    [fixture.client, '200 jane'],
    [fixture.stranger, '401 {'],
  ] as const
  for (const [keys, answer] of rows) {
    const session = dial(t, port, keys)
    const answers = await Promise.all([ask(session), ask(session)])
    t.ok(
      answers.every((one) => one.startsWith(answer)),
      `${answer}: ${answers[0]}`,
    )
  }
})

t.test(
  'a client that takes back request after request loses its connection, others do not notice',
  async (t) => {
    let handled = 0
    const port = await serve(t, () => void handled++)
    const flood = dial(t, port)
    await once(flood, 'remoteSettings')
    let banished: unknown
    flood.once('goaway', (code) => {
      banished = code
    })
    for (let round = 0; round < roundsMax && banished === undefined; round++) {
      const before = handled
      const streams = Array.from({ length: 50 }, () => flood.request({ ':path': '/' }).on('error', () => {}))
      await eventually('them to arrive', () => banished !== undefined || handled === before + 50)
      for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL)
    }
    t.equal(banished, constants.NGHTTP2_ENHANCE_YOUR_CALM)
    t.ok(handled < 2000, `${handled} requests reached the API`)
    const other = dial(t, port)
    await once(other, 'remoteSettings')
    other.request({ ':path': '/' }).on('error', () => {})
    const before = handled
    await eventually('its request', () => handled > before)
  },
)

t.test('no more streams than agreed', async (t) => {
  const open: ResponseStream[] = []
  const http2 = { streamsMax: 3 }
  const port = await serve(t, (exchange) => void open.push(exchange.stream(200, {})), http2)
  const session = dial(t, port)
  const [settings] = await once(session, 'remoteSettings')
  t.equal(settings.maxConcurrentStreams, 3)
  for (let i = 0; i < 5; i++) session.request({ ':path': '/' }).on('error', () => {})
  await eventually('those that are allowed', () => open.length === 3)
  open[0]?.end()
  await eventually('the next one', () => open.length >= 3)
  t.ok(open.length <= 4)
})

t.test('one slow stream of a connection does not hold up the others', async (t) => {
  const streams = new Map<string, ResponseStream>()
  const port = await serve(t, (exchange) => void streams.set(exchange.path, exchange.stream(200, {})))
  const session = dial(t, port)
  session
    .request({ ':path': '/slow' })
    .on('error', () => {})
    .pause()
  const quick = session.request({ ':path': '/quick' })
  await eventually('both', () => streams.size === 2)
  const chunk = sharedChunk(Buffer.alloc(10_000, 'x'))
  let chunks = 0
  await eventually(
    'the slow one to be full',
    () => streams.get('/slow')?.write(chunk) === false || ++chunks > 100,
  )
  t.ok(chunks < 100, `full after ${chunks} chunks`)
  t.ok((streams.get('/slow')?.bufferedBytes ?? 0) < 200_000)
  streams.get('/quick')?.write(Buffer.from('news'))
  const [news] = await once(quick, 'data')
  t.equal(String(news), 'news')
})
