/** How answers leave: whole, in pieces at the client's pace, compressed. */

import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { send } from '../../../src/pipeline/answer.ts'
import type {
  Exchange,
  Headers,
  LentChunk,
  ResponseStream,
  SharedChunk,
} from '../../../src/pipeline/exchange.ts'
import { createRandom } from '../../support/random.ts'

interface Client {
  readonly exchange: Exchange
  readonly received: () => Buffer
  readonly headers: () => Headers
  readonly waiting: () => boolean
  drain(): void
  disconnect(): void
  ended: boolean
}

/** Takes `perDrain` writes, then nothing until it is drained. */
function slowClient(perDrain: number, request: Readonly<Record<string, string>> = {}): Client {
  const parts: Buffer[] = []
  let sent: Headers = {}
  let room = perDrain
  let onDrain = () => {}
  let onClose = () => {}
  const stream: ResponseStream = {
    get bufferedBytes() {
      return room > 0 ? 0 : 1
    },
    write(chunk: SharedChunk | Buffer) {
      parts.push(Buffer.isBuffer(chunk) ? chunk : chunk.payload)
      return --room > 0
    },
    onDrain(action) {
      onDrain = action
    },
    end() {
      client.ended = true
    },
    abort() {},
  }
  const client: Client = {
    ended: false,
    received: () => Buffer.concat(parts),
    headers: () => sent,
    waiting: () => room <= 0,
    drain() {
      room = perDrain
      onDrain()
    },
    disconnect: () => onClose(),
    exchange: {
      method: 'GET',
      path: '/',
      query: '',
      secure: true,
      remoteAddress: '',
      peerCertificate: undefined,
      proxyCertificate: undefined,
      header: (name) => request[name],
      headerValues: () => [],
      headerNames: () => [],
      readBody: () => Promise.resolve({ ok: true, value: Buffer.alloc(0) }),
      respond(_, headers, body) {
        sent = headers
        parts.push(body)
        client.ended = true
      },
      stream(_, headers) {
        sent = headers
        return stream
      },
      onClose(action) {
        onClose = action
      },
    },
  }
  return client
}

const options = { headers: { 'Audit-Id': 'x' }, compression: true }

function piecesOf(count: number): Buffer[] {
  const random = createRandom(7)
  return Array.from({ length: count }, () => Buffer.from(`${random.next()} `.repeat(2000)))
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

t.test('pieces wait for the client, and arrive whole', async (t) => {
  const client = slowClient(2)
  const pieces = piecesOf(9)
  let made = 0
  function* lazily() {
    for (const piece of pieces) {
      made++
      yield piece
    }
  }
  const sending = send(
    client.exchange,
    { type: 'pieces', code: 200, contentType: 'application/json', pieces: lazily() },
    options,
  )
  await turn()
  t.ok(client.waiting())
  t.ok(made <= 3, `${made} pieces were made for a client that took 2`)
  while (!client.ended) {
    client.drain()
    await turn()
  }
  t.equal(await sending, Buffer.concat(pieces).length)
  t.ok(client.received().equals(Buffer.concat(pieces)))
  t.match(client.headers(), { 'Audit-Id': 'x', 'Content-Type': 'application/json' })
})

t.test('a client that goes away ends the making of pieces', async (t) => {
  const client = slowClient(2)
  const sending = send(
    client.exchange,
    { type: 'pieces', code: 200, contentType: 'application/json', pieces: piecesOf(9) },
    options,
  )
  await turn()
  client.disconnect()
  t.ok((await sending) < Buffer.concat(piecesOf(9)).length)
  t.notOk(client.ended)
})

t.test('one piece alone is sent whole', async (t) => {
  const client = slowClient(2)
  const answer = { type: 'pieces', code: 200, contentType: 'x/y', pieces: [Buffer.from('all')] } as const
  t.equal(await send(client.exchange, answer, options), 3)
  t.equal(client.received().toString(), 'all')
})

t.test('pieces are compressed on their way', async (t) => {
  const client = slowClient(1, { 'accept-encoding': 'gzip, deflate' })
  const pieces = piecesOf(9)
  const sending = send(
    client.exchange,
    { type: 'pieces', code: 200, contentType: 'application/json', pieces },
    options,
  )
  while (!client.ended) {
    client.drain()
    await turn()
  }
  const bytes = await sending
  t.equal(client.headers()['Content-Encoding'], 'gzip')
  t.equal(bytes, client.received().length)
  t.ok(gunzipSync(client.received()).equals(Buffer.concat(pieces)))
})

t.test('the gate turns compression off', async (t) => {
  const client = slowClient(1, { 'accept-encoding': 'gzip' })
  const body = Buffer.alloc(200_000, 'x')
  const answer = { type: 'body', code: 200, contentType: 'x/y', body } as const
  await send(client.exchange, answer, { ...options, compression: false })
  t.equal(client.headers()['Content-Encoding'], undefined)
  t.equal(client.received().length, body.length)
})

/** Pieces that say in which order they leave and are given back. */
function lentPieces(count: number, log: string[]): readonly LentChunk[] {
  return Array.from({ length: count }, (_, at) => {
    const payload = Buffer.from(`piece ${at}`)
    return { payload, http1: () => payload, release: () => log.push(`release ${at}`) }
  })
}

t.test(
  'lent pieces are given back when nothing waits any more, the last ones when the answer is over',
  async (t) => {
    const log: string[] = []
    const client = slowClient(2)
    const pieces = lentPieces(5, log)
    const sending = send(
      client.exchange,
      { type: 'pieces', code: 200, contentType: 'application/json', pieces },
      options,
    )
    await turn()
    t.strictSame(log, ['release 0'], 'the second waits in the stream')
    client.drain()
    await turn()
    t.strictSame(log, ['release 0', 'release 1', 'release 2'])
    client.drain()
    await sending
    t.ok(client.ended)
    t.strictSame(log.slice(3), ['release 3', 'release 4'])
    client.disconnect()
    t.equal(log.length, 5, 'once each')
  },
)

t.test('a lent piece that is the whole answer is given back when that is over', async (t) => {
  const log: string[] = []
  const client = slowClient(2)
  await send(
    client.exchange,
    { type: 'pieces', code: 200, contentType: 'x/y', pieces: lentPieces(1, log) },
    options,
  )
  t.strictSame(log, [])
  client.disconnect()
  t.strictSame(log, ['release 0'])
})

t.test('what waits for a client that goes away is not given back while it may be sent', async (t) => {
  const log: string[] = []
  const client = slowClient(1)
  const sending = send(
    client.exchange,
    { type: 'pieces', code: 200, contentType: 'x/y', pieces: lentPieces(3, log) },
    options,
  )
  await turn()
  client.disconnect()
  await sending
  t.strictSame(log, [])
})
