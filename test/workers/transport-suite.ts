/** What every transport must do, whatever its library: each test talks to it byte by byte. */

import type { Socket } from 'node:net'
import type { Test as TapTest } from 'tap'
import type { Exchange, Handler, ResponseStream } from '../../src/pipeline/exchange.ts'
import { sharedChunk } from '../../src/storage/shared-chunk.ts'
import type { Listener } from '../../workers/http/listener.ts'
import { eventually } from '../support/eventually.ts'
import { RawClient } from './raw-client.ts'

export interface TransportUnderTest {
  listen(handler: Handler): Promise<Listener>
  connect(port: number): Promise<Socket>
  /** Knows `Expect: 100-continue`, pipelined streams, HTTP/1.0 and heads of 100 KiB: Node does, the other is for loopback. */
  readonly complete: boolean
}

type Test = Pick<TapTest, 'test' | 'teardown'>

interface Fixture {
  readonly listener: Listener
  connect(): Promise<RawClient>
}

const json = { 'Content-Type': 'application/json' }
const plain = { 'content-type': 'text/plain' }

function reply(exchange: Exchange, text: string, status = 200): void {
  exchange.respond(status, plain, Buffer.from(text))
}

/** What the handler saw, as text. */
function describe(exchange: Exchange): string {
  return `${exchange.method} ${exchange.path} ?${exchange.query}`
}

export function transportSuite(t: Test, transport: TransportUnderTest): void {
  async function serve(t: Test, handler: Handler): Promise<Fixture> {
    const listener = await transport.listen(handler)
    const clients: RawClient[] = []
    t.teardown(async () => {
      for (const client of clients) client.socket.destroy()
      listener.destroy()
      await listener.close()
    })
    return {
      listener,
      async connect() {
        const client = new RawClient(await transport.connect(listener.port))
        clients.push(client)
        return client
      },
    }
  }

  t.test('requests: methods, targets and headers arrive as sent', async (t) => {
    const { connect } = await serve(t, (exchange) =>
      reply(
        exchange,
        [
          describe(exchange),
          exchange.header('x-one'),
          exchange.header('x-two'),
          exchange.header('absent'),
          exchange.header('constructor'),
          exchange.headerValues('x-two').join('|'),
          exchange.headerNames().filter((name) => name.startsWith('x-')),
          exchange.remoteAddress.includes('127.0.0.1'),
        ].join(' ; '),
      ),
    )
    const client = await connect()
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      client.ask(method, '/a%2Fb/c%20d?x=1&y=%3F?', 'X-One: 1', 'x-two: a', 'X-TWO: b')
      const { status, body } = await client.answer(method)
      t.equal(status, 200)
      t.equal(body, `${method} /a%2Fb/c%20d ?x=1&y=%3F? ; 1 ; a, b ;  ;  ; a|b ; x-one,x-two ; true`)
    }
    client.ask('GET', '/no-query')
    t.match((await client.answer()).body, /^GET \/no-query \? ; /, 'no query')
  })

  t.test('answers: status, headers, lists of header values, length and date', async (t) => {
    const { connect } = await serve(t, (exchange) =>
      exchange.respond(
        Number(exchange.path.slice(1)),
        { ...plain, warning: ['299 - "a"', '299 - "b"'] },
        Buffer.from('text'),
      ),
    )
    const client = await connect()
    for (const status of [200, 201, 404, 409, 410, 422, 429, 500, 504]) {
      client.ask('GET', `/${status}`)
      const answer = await client.answer()
      t.match(answer, { status, body: 'text' })
      t.equal(answer.headers.get('content-type'), 'text/plain')
      t.equal(answer.headers.get('content-length'), '4')
      t.ok(Date.parse(answer.headers.get('date') ?? ''), 'a date')
      t.ok(answer.headers.get('warning'), 'the header with two values')
    }
  })

  t.test('HEAD: the head of the answer without its body, and the connection goes on', async (t) => {
    const { connect } = await serve(t, (exchange) => {
      if (exchange.path === '/whole') return reply(exchange, 'twelve bytes')
      const stream = exchange.stream(200, plain)
      stream.write(Buffer.from('not sent'))
      stream.end()
    })
    const client = await connect()
    client.ask('HEAD', '/whole')
    const whole = await client.answer('HEAD')
    t.equal(whole.headers.get('content-length'), '12')
    client.ask('HEAD', '/stream')
    t.equal((await client.answer('HEAD')).status, 200)
    client.ask('GET', '/whole')
    t.equal((await client.answer()).body, 'twelve bytes')
  })

  t.test('bodies: by length, in chunks, empty, in pieces', async (t) => {
    const { connect } = await serve(t, async (exchange) => {
      const body = await exchange.readBody(1000)
      reply(exchange, body.ok ? `${body.value.length}:${body.value.toString()}` : body.failure.code)
    })
    const client = await connect()
    client.send('POST / HTTP/1.1', 'host: test', 'content-length: 5', '', 'hello')
    t.equal((await client.answer()).body, '5:hello', 'by length')
    client.send('POST / HTTP/1.1', 'host: test', 'content-length: 0', '', '')
    t.equal((await client.answer()).body, '0:', 'of no bytes')
    client.ask('POST', '/')
    t.equal((await client.answer()).body, '0:', 'none at all')
    client.send(
      'POST / HTTP/1.1',
      'host: test',
      'transfer-encoding: chunked',
      '',
      '3',
      'abc',
      '4',
      'defg',
      '0',
      '',
      '',
    )
    t.equal((await client.answer()).body, '7:abcdefg', 'in chunks')
    client.send('POST / HTTP/1.1', 'host: test', 'content-length: 6', '', 'abc')
    client.socket.write('def')
    t.equal((await client.answer()).body, '6:abcdef', 'in pieces')
  })

  t.test('bodies: one that is asked for late is still there', async (t) => {
    const { connect } = await serve(t, (exchange) => {
      setImmediate(async () => {
        const body = await exchange.readBody(1000)
        reply(exchange, body.ok ? body.value.toString() : body.failure.code)
      })
    })
    const client = await connect()
    client.send('POST / HTTP/1.1', 'host: test', 'content-length: 4', '', 'late')
    t.equal((await client.answer()).body, 'late')
  })

  t.test('bodies: over the limit', async (t) => {
    const { connect } = await serve(t, async (exchange) => {
      const body = await exchange.readBody(1000)
      reply(exchange, body.ok ? 'read' : body.failure.code, body.ok ? 200 : 413)
    })
    const declared = await connect()
    declared.send('POST / HTTP/1.1', 'host: test', 'content-length: 1001', '', 'x'.repeat(1001))
    t.match(await declared.answer(), { status: 413, body: 'TooLarge' }, 'as declared')
    const exact = await connect()
    exact.send('POST / HTTP/1.1', 'host: test', 'content-length: 1000', '', 'x'.repeat(1000))
    t.match(await exact.answer(), { status: 200, body: 'read' }, 'the limit itself is fine')
    const chunked = await connect()
    chunked.send('POST / HTTP/1.1', 'host: test', 'transfer-encoding: chunked', '', '')
    chunked.send('400', 'x'.repeat(1024), '400', 'x'.repeat(1024), '')
    t.match(await chunked.answer(), { status: 413, body: 'TooLarge' }, 'as found, before the end of the body')
    chunked.send('0', '', '')
    t.equal(await chunked.rest(), '', 'and the connection is closed')
  })

  t.test('bodies: a client that leaves in the middle', async (t) => {
    const seen: string[] = []
    const { connect } = await serve(t, async (exchange) => {
      exchange.onClose(() => seen.push('closed'))
      const body = await exchange.readBody(1000)
      seen.push(body.ok ? 'read' : body.failure.code)
      reply(exchange, 'nobody hears this')
    })
    const client = await connect()
    client.send('POST / HTTP/1.1', 'host: test', 'content-length: 100', '', 'x')
    await eventually('the request to be there', () => client.socket.bytesWritten > 0)
    client.socket.destroy()
    await eventually('both to be told', () => seen.length === 2)
    t.same([...seen].sort(), ['Aborted', 'closed'])
  })

  t.test('streams: chunks arrive one by one, and the connection goes on after the end', async (t) => {
    let stream: ResponseStream | undefined
    const { connect } = await serve(t, (exchange) => {
      if (exchange.path === '/plain') return reply(exchange, 'plain')
      stream = exchange.stream(200, { 'content-type': 'application/json' })
    })
    const client = await connect()
    for (let round = 0; round < 3; round++) {
      client.ask('GET', '/stream')
      const head = await client.until('\r\n\r\n')
      t.match(
        head,
        /^HTTP\/1.1 200 OK\r\n[\s\S]*transfer-encoding: chunked/i,
        'the head comes before any chunk',
      )
      stream?.write(sharedChunk(Buffer.from('first')))
      t.equal(await client.chunk(), 'first')
      stream?.write(Buffer.from('second'))
      t.equal(await client.chunk(), 'second')
      stream?.end()
      stream?.write(Buffer.from('too late'))
      t.equal(await client.chunk(), '')
      client.ask('GET', '/plain')
      t.equal((await client.answer()).body, 'plain')
    }
  })

  t.test('streams: the frames of one turn, shared by many clients, keep their order', async (t) => {
    const streams: ResponseStream[] = []
    const { connect } = await serve(t, (exchange) => {
      streams.push(exchange.stream(200, plain))
    })
    const clients = await Promise.all(Array.from({ length: 20 }, () => connect()))
    for (const client of clients) client.ask('GET', '/')
    await eventually('all streams', () => streams.length === clients.length)
    const frames = Array.from({ length: 50 }, (_, at) => sharedChunk(Buffer.from(`frame ${at};`)))
    const [own] = streams
    for (const stream of streams) for (const frame of frames) stream.write(frame)
    own?.write(Buffer.from('own'))
    for (const stream of streams) stream.end()
    const bodies = await Promise.all(clients.map(async (client) => (await client.answer()).body))
    const shared = frames.map((frame) => frame.payload.toString()).join('')
    t.equal(bodies.filter((body) => body === shared).length, 19)
    t.equal(bodies.filter((body) => body === `${shared}own`).length, 1)
  })

  t.test('streams: a slow reader is paused, told when it may go on, and gets every byte', async (t) => {
    const chunk = Buffer.alloc(100_000, 'x')
    const chunksWanted = 100
    const state = { pauses: 0, drains: 0, bufferedMax: 0, chunks: 0 }
    const { connect } = await serve(t, (exchange) => {
      const stream = exchange.stream(200, plain)
      const pump = (): void => {
        while (state.chunks < chunksWanted) {
          state.chunks++
          const more = stream.write(sharedChunk(chunk))
          state.bufferedMax = Math.max(state.bufferedMax, stream.bufferedBytes)
          if (!more) {
            state.pauses++
            return
          }
        }
        stream.end()
      }
      stream.onDrain(() => {
        state.drains++
        pump()
      })
      pump()
    })
    const client = await connect()
    client.socket.pause()
    client.ask('GET', '/')
    await eventually(
      'the stream to be paused',
      () => state.pauses === state.drains + 1 && state.bufferedMax > 0,
    )
    t.ok(state.chunks < chunksWanted, `paused after ${state.chunks} chunks`)
    client.socket.resume()
    const { body } = await client.answer()
    t.equal(body.length, chunk.length * chunksWanted)
    t.equal(state.pauses, state.drains, 'one drain for each pause')
    t.ok(state.bufferedMax < 400_000, `never more than ${state.bufferedMax} bytes waited`)
  })

  t.test('streams: small frames into a slow reader pile up visibly, and leave when it reads', async (t) => {
    let stream: ResponseStream | undefined
    const { connect } = await serve(t, (exchange) => {
      stream = exchange.stream(200, json)
    })
    const client = await connect()
    client.socket.pause()
    client.ask('GET', '/')
    await eventually('the stream', () => stream !== undefined)
    const frame = sharedChunk(Buffer.alloc(1000, 'y'))
    let sent = 0
    await eventually('a backlog', () => {
      for (let i = 0; i < 1000; i++) stream?.write(frame)
      sent += 1000
      return (stream?.bufferedBytes ?? 0) > 1_000_000
    })
    client.socket.resume()
    await eventually('the backlog to leave', () => stream?.bufferedBytes === 0)
    stream?.end()
    t.equal((await client.answer()).body.length, sent * 1000)
  })

  t.test('streams: abort breaks the body off', async (t) => {
    let stream: ResponseStream | undefined
    let closed = 0
    const { connect } = await serve(t, (exchange) => {
      exchange.onClose(() => closed++)
      stream = exchange.stream(200, plain)
      stream.write(Buffer.from('part'))
    })
    const client = await connect()
    client.ask('GET', '/')
    await client.until('\r\n\r\n')
    t.equal(await client.chunk(), 'part')
    stream?.abort()
    t.notMatch(await client.rest(), '0', 'no last chunk')
    await eventually('the close to be seen', () => closed === 1)
    stream?.write(Buffer.from('after'))
    stream?.end()
    t.equal(stream?.bufferedBytes, 0)
  })

  t.test('streams: a client that leaves is noticed once', async (t) => {
    const seen: string[] = []
    let stream: ResponseStream | undefined
    const { connect } = await serve(t, (exchange) => {
      stream = exchange.stream(200, json)
      exchange.onClose(() => seen.push('closed'))
    })
    for (const leave of ['destroy', 'end'] as const) {
      const client = await connect()
      client.ask('GET', '/')
      await client.until('\r\n\r\n')
      client.socket[leave]()
      await eventually(`${leave} to be seen`, () => seen.length === 1)
      t.equal(stream?.write(Buffer.from('into the void')), true)
      stream?.end()
      t.same(seen.splice(0), ['closed'])
    }
  })

  t.test('onClose runs after an answer too, and at once when it is over', async (t) => {
    const seen: string[] = []
    let last: Exchange | undefined
    const { connect } = await serve(t, (exchange) => {
      last = exchange
      exchange.onClose(() => seen.push('over'))
      reply(exchange, 'x')
    })
    const client = await connect()
    client.ask('GET', '/')
    await client.answer()
    await eventually('the end of the exchange', () => seen.length === 1)
    last?.onClose(() => seen.push('late'))
    await eventually('the late listener', () => seen.length === 2)
    t.same(seen, ['over', 'late'])
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

  if (transport.complete) completeSuite(t, serve)
}

function completeSuite(t: Test, serve: (t: Test, handler: Handler) => Promise<Fixture>): void {
  t.test('pipelined streams wait for their turn', async (t) => {
    const streams: ResponseStream[] = []
    const { connect } = await serve(t, (exchange) => {
      const stream = exchange.stream(200, plain)
      streams.push(stream)
      stream.write(sharedChunk(Buffer.from(exchange.path)))
    })
    const client = await connect()
    client.ask('GET', '/1')
    client.ask('GET', '/2')
    await eventually('both', () => streams.length === 2)
    streams[1]?.end()
    streams[0]?.write(Buffer.from(' more'))
    streams[0]?.end()
    t.equal((await client.answer()).body, '/1 more')
    t.equal((await client.answer()).body, '/2')
  })

  t.test('HTTP/1.0: a raw body that ends with the connection', async (t) => {
    const { connect } = await serve(t, (exchange) => {
      const stream = exchange.stream(200, plain)
      stream.write(sharedChunk(Buffer.from('old ')))
      stream.write(Buffer.from('client'))
      stream.end()
    })
    const client = await connect()
    client.send('GET / HTTP/1.0', '', '')
    const { headers, body } = await client.answer()
    t.equal(headers.has('transfer-encoding'), false)
    t.equal(body, 'old client')
  })

  t.test('Expect: 100-continue is asked for when the body is read, not before', async (t) => {
    const { connect } = await serve(t, async (exchange) => {
      const body = await exchange.readBody(10)
      reply(exchange, body.ok ? body.value.toString() : 'too large', body.ok ? 200 : 413)
    })
    const small = await connect()
    small.ask('POST', '/', 'content-length: 5', 'expect: 100-continue')
    t.equal((await small.answer()).status, 100)
    small.send('hello')
    t.equal((await small.answer()).body, 'hello')
    const large = await connect()
    large.ask('POST', '/', 'content-length: 5000000', 'expect: 100-continue')
    t.equal((await large.answer()).status, 413, 'refused without the body')
  })

  t.test('targets: absolute form, and what is none', async (t) => {
    const { connect } = await serve(t, (exchange) => reply(exchange, describe(exchange)))
    const client = await connect()
    client.ask('GET', 'http://elsewhere:80/a?b')
    t.equal((await client.answer()).body, 'GET /a ?b')
    client.ask('GET', 'https://elsewhere')
    t.equal((await client.answer()).body, 'GET / ?')
    client.ask('OPTIONS', '*')
    const { status, body } = await client.answer()
    t.equal(status, 400)
    t.match(JSON.parse(body), { kind: 'Status', reason: 'BadRequest' })
  })

  t.test('a head of 100 KiB is read, a larger one refused with 431', async (t) => {
    const { connect } = await serve(t, (exchange) =>
      reply(exchange, String(exchange.header('x-long')?.length)),
    )
    const client = await connect()
    client.ask('GET', '/', `x-long: ${'x'.repeat(100_000)}`)
    t.equal((await client.answer()).body, '100000')
    client.ask('GET', '/', `x-long: ${'x'.repeat(200_000)}`)
    t.equal((await client.answer()).status, 431)
  })

  t.test('a handler that throws is answered 500, and the process lives', async (t) => {
    const { connect } = await serve(t, (exchange) => {
      if (exchange.path === '/bug') throw new Error('bug')
      reply(exchange, 'fine')
    })
    const client = await connect()
    client.ask('GET', '/bug')
    t.match(JSON.parse((await client.answer()).body), { kind: 'Status', code: 500 })
    client.ask('GET', '/')
    t.equal((await client.answer()).body, 'fine')
  })
}
