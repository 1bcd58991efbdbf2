/** Connections: reuse, many, malformed, closing. */

import type { Exchange, ResponseStream } from '../../src/pipeline/exchange.ts'
import { eventually } from '../support/eventually.ts'
import { type Chapter, json, reply, type Test } from './transport-chapter.ts'

export function connectionChapter(t: Test, { serve, transport }: Chapter): void {
  t.test('onClose runs after an answer too, for whoever asked, and at once when it is over', async (t) => {
    const seen: string[] = []
    let last: Exchange | undefined
    const { connect } = await serve(t, (exchange) => {
      last = exchange
      exchange.onClose(() => seen.push('over'))
      exchange.onClose(() => seen.push('over too'))
      reply(exchange, 'x')
    })
    const client = await connect()
    client.ask('GET', '/')
    await client.answer()
    await eventually('the end of the exchange', () => seen.length === 2)
    last?.onClose(() => seen.push('late'))
    await eventually('the late listener', () => seen.length === 3)
    t.same(seen, ['over', 'over too', 'late'])
  })

  t.test('connections: many requests one after the other, and pipelined', async (t) => {
    let count = 0
    const { connect } = await serve(t, (exchange) => reply(exchange, `${++count} ${exchange.path}`))
    const client = await connect()
    for (let i = 1; i <= 50; i++) {
      client.ask('GET', `/${i}`)
      t.equal((await client.answer()).body, `${i} /${i}`)
    }
    const paths = ['/a', '/b', '/c', '/d']
    client.socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: test\r\n\r\n`).join(''))
    for (const path of paths) t.match((await client.answer()).body, path)
  })

  t.test('connections: a hundred clients at the same time', async (t) => {
    const { connect } = await serve(t, async (exchange) => {
      const body = await exchange.readBody(100)
      setImmediate(() => reply(exchange, body.ok ? `${exchange.path} ${body.value.toString()}` : 'bad'))
    })
    const bodies = await Promise.all(
      Array.from({ length: 100 }, async (_, at) => {
        const client = await connect()
        client.send(
          `POST /${at} HTTP/1.1`,
          'host: test',
          'content-length: 3',
          '',
          String(at).padStart(3, '0'),
        )
        return (await client.answer()).body
      }),
    )
    t.same(
      bodies,
      bodies.map((_, at) => `/${at} ${String(at).padStart(3, '0')}`),
    )
  })

  if (transport.framed !== true)
    t.test('malformed requests end their connection and nothing else', async (t) => {
      const { connect } = await serve(t, (exchange) => reply(exchange, 'fine'))
      const rows = [
        'junk\r\n\r\n',
        '\x00\x01\x02\x03\r\n\r\n',
        'GET / HTTP/1.1\r\nno colon here\r\n\r\n',
        `GET /${'x'.repeat(300_000)} HTTP/1.1\r\nhost: test\r\n\r\n`,
        'POST / HTTP/1.1\r\nhost: test\r\ntransfer-encoding: chunked\r\n\r\nnot a size\r\n',
      ]
      for (const row of rows) {
        const client = await connect()
        client.socket.write(row, 'latin1')
        // Some transports answer or close at once, others wait for more until a timeout.
        if (!transport.complete) continue
        const status = await client.answer().then(
          (answer) => answer.status,
          () => 'closed',
        )
        t.match(String(status), /^(4\d\d|closed)$/, JSON.stringify(row.slice(0, 30)))
      }
      const client = await connect()
      client.ask('GET', '/')
      t.equal((await client.answer()).body, 'fine', 'the process lives')
    })

  t.test('closing: answers in flight are finished, new connections refused', async (t) => {
    let stream: ResponseStream | undefined
    const { connect, listener } = await serve(t, (exchange) => {
      stream = exchange.stream(200, json)
    })
    const client = await connect()
    client.ask('GET', '/')
    await client.until('\r\n\r\n')
    let closed = false
    const closing = listener.close().then(() => {
      closed = true
    })
    await t.rejects(transport.connect(listener.port), 'no new connection')
    t.equal(closed, false, 'the answer holds it open')
    stream?.write(Buffer.from('last words'))
    stream?.end()
    t.equal(await client.chunk(), 'last words')
    t.equal(await client.chunk(), '')
    if (transport.complete) t.equal(await client.rest(), '', 'the connection is closed after the answer')
    await closing
  })
}
