/** Requests, answers and bodies. */

import { eventually } from '../support/eventually.ts'
import { type Chapter, describe, plain, reply, type Test } from './transport-chapter.ts'

export function requestChapter(t: Test, { serve }: Chapter): void {
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
      seen.push('asked')
      exchange.onClose(() => seen.push('closed'))
      const body = await exchange.readBody(1000)
      seen.push(body.ok ? 'read' : body.failure.code)
      reply(exchange, 'nobody hears this')
    })
    const client = await connect()
    client.send('POST / HTTP/1.1', 'host: test', 'content-length: 100', '', 'x')
    await eventually('the request to be there', () => seen.length === 1)
    client.socket.destroy()
    await eventually('both to be told', () => seen.length === 3)
    t.same([...seen].sort(), ['Aborted', 'asked', 'closed'])
  })
}
