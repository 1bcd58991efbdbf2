import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import t from 'tap'
import type { Exchange } from '../../src/pipeline/exchange.ts'
import { listenNode } from '../../workers/http/node.ts'
import { listenUws } from '../../workers/http/uws.ts'
import { loadUws } from '../../workers/http/uws-library.ts'
import { RawClient } from './raw-client.ts'
import { createTlsFixture } from './tls-fixture.ts'
import { connected, listening } from './transports.ts'

const fixture = await createTlsFixture()

async function echo(exchange: Exchange): Promise<void> {
  const body = await exchange.readBody(1_000_000)
  const text = body.ok ? body.value.toString() : body.failure.code
  exchange.respond(200, {}, Buffer.from(`${exchange.method} ${exchange.header('x-one')} ${text}`))
}

const handlers = { handler: echo, onHandlerError: () => {} }
const address = { host: '127.0.0.1', port: 0 }
const handshake = ['connection: Upgrade', 'upgrade: websocket', 'sec-websocket-version: 13']

const uws = loadUws()

for (const name of ['plaintext', 'TLS', ...(uws.type === 'loaded' ? ['uWebSockets.js'] : [])]) {
  const isPlain = name !== 'TLS'
  const listen = () =>
    listening(
      uws.type === 'loaded' && name === 'uWebSockets.js'
        ? listenUws({ ...address, ...handlers, library: uws.library })
        : listenNode({ ...address, ...handlers, ...(isPlain ? {} : { tls: fixture.tls }) }),
    )
  const dial = (port: number): Promise<Socket> =>
    isPlain
      ? connected(connectPlain(port, '127.0.0.1'))
      : connected(connectTls({ port, host: '127.0.0.1', ca: fixture.ca }), 'secureConnect')

  t.test(`other upgrades are passed over, ${name}`, async (t) => {
    const listener = await listen()
    t.teardown(() => {
      listener.destroy()
      return listener.close()
    })
    const client = new RawClient(await dial(listener.port))
    const wish = ['connection: Upgrade, HTTP2-Settings', 'upgrade: h2c', 'http2-settings: AAMAAABk']
    for (const round of [1, 2]) {
      client.ask('GET', '/', 'x-one: grüße', ...wish)
      t.match(await client.answer(), { status: 200, body: /^GET \S+ $/ }, `round ${round}`)
      client.send(
        `POST / HTTP/1.1\r\nhost: test\r\n${wish.join('\r\n')}\r\ncontent-length: 200000\r\n\r\n${'x'.repeat(100_000)}`,
      )
      client.send('y'.repeat(100_000))
      t.match(await client.answer(), { status: 200, body: /^POST undefined x{100000}y{100000}$/ })
    }
    client.ask('GET', '/')
    t.match(await client.answer(), { status: 200 }, 'the connection lives on')
    client.socket.destroy()
  })

  t.test(`handshakes that are none, ${name}`, async (t) => {
    const listener = await listen()
    t.teardown(() => listener.close())
    const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='
    const rows: readonly (readonly [
      method: string,
      target: string,
      headers: readonly string[],
      says: RegExp,
    ])[] = [
      ['GET', '/?watch=1', handshake, /not those of a WebSocket handshake/],
      ['GET', '/?watch=1', [...handshake, 'sec-websocket-key: short'], /handshake/],
      ['GET', '/?watch=1', ['connection: Upgrade', 'upgrade: websocket', key], /handshake/],
      ['GET', '/?watch=1', [...handshake, key, 'sec-websocket-protocol: a b'], /handshake/],
      ['GET', '/', [...handshake, key], /only a watch/],
      ['POST', '/?watch=1', [...handshake, key], /only a watch/],
      // uWebSockets.js drops such a connection without a word.
      ...(name === 'uWebSockets.js' ? [] : ([['GET', '*', [...handshake, key], /must be a path/]] as const)),
    ]
    for (const [method, target, headers, says] of rows) {
      const client = new RawClient(await dial(listener.port))
      client.ask(method, target, ...headers)
      t.match(await client.answer(), { status: 400, body: says })
      await client.rest()
    }
    const client = new RawClient(await dial(listener.port))
    client.ask('GET', '/?watch=1', ...handshake, key)
    t.match(await client.answer(), { status: 200, body: /^GET/ }, 'what is no stream needs no WebSocket')
    await client.rest()
  })
}
