/**
 * A bare Node HTTPS server doing nothing else: the floor that Node sets under the server's figures, measured in the
 * same run and the same way. No storage, no checks, no resource: get, create and patch answer a fixed 1 KiB; a list
 * sends bytes made at start; a created object goes to the watchers by `res.write`.
 *
 * Over HTTP/2 it serves watches, by node:http2 alone.
 *
 * What a scenario needs in order to check its counts is kept: list sizes, chunks, and the label's bucket of a watch.
 */

import { webcrypto } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { performServerHandshake, type ServerHttp2Stream } from 'node:http2'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import 'reflect-metadata'
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509'

const dayMs = 86_400_000

interface Baseline {
  /** `https://127.0.0.1:<port>` */
  readonly url: string
  /** PEM of the certificate, which signs itself. */
  readonly ca: string
  close(): Promise<void>
}

export interface BaselineOptions {
  /** Objects in a list. */
  readonly listObjects: number
  /** JSON bytes of each. */
  readonly listItemBytes: number
  /** A write is answered when its body has been kept; absent = nothing is. See `floor.ts`. */
  readonly keep?: (body: Buffer) => Promise<unknown>
  /** Events go to the sockets of watches as chunks that are made once, past Node's HTTP. */
  readonly framedEvents?: boolean
}

interface Watching {
  readonly response: { write(event: Buffer): unknown }
  /** Absent where the transport frames. */
  readonly socket?: Socket | null
  /** Only events of this bucket; absent = all. */
  readonly bucket: string | undefined
}

/** Starts the server on a free port of the loopback address. */
export async function startBaseline(options: BaselineOptions): Promise<Baseline> {
  const { cert, key } = await selfSigned()
  const watching = new Set<Watching>()
  const answers = createAnswers(options)
  const server = createServer({ cert, key, ALPNProtocols: ['h2', 'http/1.1'] }, (request, response) => {
    handle(request, response, { answers, watching, options })
  })
  serveHttp2(server, watching)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `https://127.0.0.1:${address.port}`,
    ca: cert,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Connections that agree on HTTP/2 are for watches alone; all others go on as before. */
function serveHttp2(server: Server, watching: Set<Watching>): void {
  const overHttp1 = server.listeners('secureConnection')
  server.removeAllListeners('secureConnection')
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol !== 'h2') {
      for (const listener of overHttp1) listener.call(server, socket)
      return
    }
    const session = performServerHandshake(socket)
    session.on('error', () => {}) // 'close' follows
    session.on('stream', (stream: ServerHttp2Stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/json' })
      const entry = { response: stream, bucket: undefined }
      watching.add(entry)
      stream.on('error', () => {})
      stream.on('close', () => watching.delete(entry))
    })
  })
}

interface Answers {
  readonly object: Buffer
  readonly created: Buffer
  list(query: URLSearchParams): Buffer
}

interface Serving {
  readonly answers: Answers
  readonly watching: Set<Watching>
  readonly options: BaselineOptions
}

function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { answers, watching, options }: Serving,
): void {
  const { keep, framedEvents = false } = options
  const url = request.url ?? '/'
  if (request.method === 'GET') {
    const queryAt = url.indexOf('?')
    const isItem = /\/configmaps\/./.test(url) || !url.includes('/configmaps')
    if (isItem) {
      answer(response, 200, answers.object)
      return
    }
    const query = new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt + 1))
    if (query.has('watch')) watch(response, bucketOf(query), watching)
    else answer(response, 200, answers.list(query))
    return
  }
  if (request.method === 'PATCH' && request.headers['content-type'] === 'application/apply-patch+yaml') {
    request.resume()
    answer(response, 415, Buffer.from('{"kind":"Status","code":415}'))
    return
  }
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => {
    const done = (): void => answer(response, request.method === 'POST' ? 201 : 200, answers.created)
    if (keep === undefined) done()
    else keep(Buffer.concat(pieces)).then(done, (error: Error) => response.destroy(error))
    if (watching.size > 0 && request.method === 'POST') publish(Buffer.concat(pieces), watching, framedEvents)
  })
}

function answer(response: ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
}

function watch(response: ServerResponse, bucket: string | undefined, watching: Set<Watching>): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.flushHeaders()
  const entry = { response, bucket, socket: response.socket }
  watching.add(entry)
  response.on('close', () => watching.delete(entry))
}

function publish(object: Buffer, watching: ReadonlySet<Watching>, framed: boolean): void {
  const event = Buffer.concat([Buffer.from('{"type":"ADDED","object":'), object, Buffer.from('}\n')])
  const marker = '"bench-bucket":"'
  const at = object.indexOf(marker) + marker.length
  const bucket = object.toString('latin1', at, at + 3)
  const chunk = Buffer.concat([Buffer.from(`${event.length.toString(16)}\r\n`), event, Buffer.from('\r\n')])
  for (const { response, socket, bucket: asked } of watching) {
    if (asked !== undefined && asked !== bucket) continue
    if (framed && socket !== null && socket !== undefined) socket.write(chunk)
    else response.write(event)
  }
}

function bucketOf(query: URLSearchParams): string | undefined {
  return query.get('labelSelector')?.split('=')[1]
}

function createAnswers({ listObjects, listItemBytes }: BaselineOptions): Answers {
  const prefix = '{"metadata":{"name":"baseline","resourceVersion":"1"},"payload":"'
  const object = Buffer.from(`${prefix}${'x'.repeat(1024 - prefix.length - 2)}"}`)
  const item = `${prefix}${'x'.repeat(Math.max(0, listItemBytes - prefix.length - 2))}"}`
  const made = new Map<string, Buffer>()
  const make = (count: number, next: string) => {
    const id = `${count} ${next}`
    const known = made.get(id)
    if (known !== undefined) return known
    const metadata = `{"resourceVersion":"1"${next === '' ? '' : `,"continue":"${next}"`}}`
    const items = Array.from({ length: count }, () => item).join(',')
    const list = Buffer.from(
      `{"kind":"ConfigMapList","apiVersion":"v1","metadata":${metadata},"items":[${items}]}`,
    )
    made.set(id, list)
    return list
  }
  return {
    object,
    created: object,
    list(query) {
      if (query.has('labelSelector')) return make(Math.ceil(listObjects / 100), '')
      const limit = Number(query.get('limit') ?? listObjects)
      const from = Number(query.get('continue') ?? 0)
      const to = Math.min(listObjects, from + limit)
      return make(to - from, to < listObjects ? String(to) : '')
    },
  }
}

async function selfSigned(): Promise<{ readonly cert: string; readonly key: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: '01',
      name: 'CN=bench-baseline',
      notBefore: new Date(Date.now() - dayMs),
      notAfter: new Date(Date.now() + dayMs),
      keys,
      signingAlgorithm: algorithm,
      extensions: [new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
    },
    webcrypto,
  )
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  return {
    cert: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
  }
}

/** As a child: prints one line of JSON (`url`, `ca`) when it listens, and ends with its input. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [listObjects, listItemBytes] = process.argv.slice(2).map(Number)
  const { url, ca } = await startBaseline({
    listObjects: listObjects ?? 10_000,
    listItemBytes: listItemBytes ?? 1200,
  })
  process.stdout.write(`${JSON.stringify({ url, ca })}\n`)
  process.stdin.resume().on('end', () => process.exit(0))
}
