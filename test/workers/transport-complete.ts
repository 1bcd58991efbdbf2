/** What only a complete HTTP/1.1 server does. */

import type { ResponseStream } from '../../src/pipeline/exchange.ts'
import { sharedChunk } from '../../src/storage/shared-chunk.ts'
import { eventually } from '../support/eventually.ts'
import { type Chapter, describe, plain, reply, type Test } from './transport-chapter.ts'

export function completeChapter(t: Test, { serve }: Chapter): void {
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
