import { connect } from 'node:net'
import t from 'tap'
import { listenNode } from '../../workers/http/node.ts'
import { RawClient } from './raw-client.ts'
import { transportSuite } from './transport-suite.ts'
import { connected, listening } from './transports.ts'

transportSuite(t, {
  complete: true,
  listen: (handler) =>
    listening(listenNode({ host: '127.0.0.1', port: 0, handler, onHandlerError: () => {} })),
  connect: (port) => connected(connect(port, '127.0.0.1')),
})

t.test('a head or a body that trickles is cut off; a long answer is not', async (t) => {
  const listener = await listening(
    listenNode({
      host: '127.0.0.1',
      port: 0,
      limits: { headMs: 400, requestMs: 600 },
      handler: async (exchange) => {
        if (exchange.method === 'POST') await exchange.readBody(1000)
        const stream = exchange.stream(200, {})
        setTimeout(() => stream.end(), 1500)
      },
      onHandlerError: () => {},
    }),
  )
  t.teardown(() => listener.close())
  const start = async (text: string): Promise<RawClient> => {
    const client = new RawClient(await connected(connect(listener.port, '127.0.0.1')))
    client.send(text)
    return client
  }
  const head = await start('GET / HTTP/1.1\r\nhost: te')
  const body = await start('POST / HTTP/1.1\r\nhost: test\r\ncontent-length: 100\r\n\r\nabc')
  const watch = await start('GET / HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n')
  t.equal((await head.answer()).status, 408)
  t.equal((await body.answer()).status, 408)
  t.equal((await watch.answer()).status, 200, 'its answer took longer than both limits')
})

t.test('an address in use is a failure that says so', async (t) => {
  const handler = (): void => {}
  const first = await listening(listenNode({ host: '127.0.0.1', port: 0, handler, onHandlerError: () => {} }))
  t.teardown(() => first.close())
  const second = await listenNode({ host: '127.0.0.1', port: first.port, handler, onHandlerError: () => {} })
  t.match(second, { ok: false, failure: { code: 'AddressInUse', port: first.port } })
})
