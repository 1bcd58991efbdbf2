/** Streamed answers: order, backpressure, ends. */

import { PieceWriter } from '../../src/codec/pieces.ts'
import { send } from '../../src/pipeline/answer.ts'
import type { LentChunk, ResponseStream, SharedChunk } from '../../src/pipeline/exchange.ts'
import { sharedChunk } from '../../src/storage/shared-chunk.ts'
import { eventually } from '../support/eventually.ts'
import { type Chapter, json, plain, reply, type Test } from './transport-chapter.ts'

export function streamChapter(t: Test, { serve }: Chapter): void {
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

  t.test(
    'streams: what is alone in its turn need not wait, and keeps its place among what waits',
    async (t) => {
      let stream: ResponseStream | undefined
      const { connect } = await serve(t, (exchange) => {
        stream = exchange.stream(200, plain)
      })
      const client = await connect()
      client.ask('GET', '/')
      await eventually('the stream', () => stream !== undefined)
      let expected = ''
      const write = (text: string, alone: boolean): void => {
        expected += text
        stream?.write(sharedChunk(Buffer.from(text)), alone)
      }
      for (let round = 0; round < 20; round++) {
        write(`${round} alone;`, true)
        write(`${round} waits;`, false)
        write(`${round} not alone after all;`, true)
        write(`${round} ${'large '.repeat(30_000)};`, round % 2 === 0)
        await new Promise((resolve) => setImmediate(resolve))
      }
      stream?.end()
      const { body } = await client.answer()
      t.ok(body === expected, `${body.length} bytes of ${expected.length}`)
    },
  )

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

  t.test(
    'streams: pieces in lent memory, to slow readers and some that leave: each list is its own',
    async (t) => {
      const { connect } = await serve(t, (exchange) => {
        const pieces = lentPieces(exchange.path)
        void send(exchange, { type: 'pieces', code: 200, contentType: 'text/plain', pieces }, sendPlain)
      })
      for (let round = 0; round < 3; round++) {
        const clients = await Promise.all(Array.from({ length: 12 }, () => connect()))
        clients.forEach((client, at) => {
          client.ask('GET', `/${round}/${at}`)
          if (at % 3 === 1) client.socket.pause()
        })
        const [leaves, leavesLater] = clients
        await leaves?.until('\r\n\r\n')
        leaves?.socket.destroy()
        const bodyOf = async (at: number): Promise<string> => (await clients[at]?.answer())?.body ?? ''
        for (const at of [2, 3, 5, 6, 8, 9, 11]) t.ok((await bodyOf(at)) === listText(`/${round}/${at}`))
        leavesLater?.socket.destroy()
        for (const at of [4, 7, 10]) {
          clients[at]?.socket.resume()
          t.ok((await bodyOf(at)) === listText(`/${round}/${at}`))
        }
      }
    },
  )

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
}

const sendPlain = { headers: {}, compression: false }

const itemsEach = 300

/** Items that tell whose they are. */
function itemText(list: string, at: number): string {
  return `${list}#${at};`.repeat(100 + at)
}

function listText(list: string): string {
  return Array.from({ length: itemsEach }, (_, at) => itemText(list, at)).join('')
}

function* lentPieces(list: string): Iterable<LentChunk | SharedChunk> {
  const writer = new PieceWriter()
  for (let at = 0; at < itemsEach; at++) {
    const item = Buffer.from(itemText(list, at))
    if (!writer.fits(item.length)) yield writer.cut()
    writer.add(item)
  }
  yield writer.cut()
}
