/** The API suite's requests as streams of one HTTP/2 connection. */

import { type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2'
import type { ServerUnderTest, TestRequest } from '../api/server-under-test.ts'
import { credential } from '../support/in-process-server.ts'
import { readWatch } from './http-server-under-test.ts'

interface Http2ServerUnderTest extends ServerUnderTest {
  close(): void
}

interface Asked {
  readonly stream: ClientHttp2Stream
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
}

export function overHttp2({
  port,
  ca,
}: {
  readonly port: number
  readonly ca: string
}): Http2ServerUnderTest {
  const session = connect(`https://127.0.0.1:${port}`, { ca })

  function send({ method, target, headers = {}, body, as = 'admin' }: TestRequest): Promise<Asked> {
    const isObject = typeof body === 'object' && !Buffer.isBuffer(body)
    const bytes = isObject ? JSON.stringify(body) : body
    const stream = session.request(
      {
        ...credential(as),
        ...(isObject ? { 'content-type': 'application/json' } : {}),
        ...(bytes === undefined ? {} : { 'content-length': String(Buffer.byteLength(bytes)) }),
        ...headers,
        ':method': method,
        ':path': target,
      },
      { endStream: bytes === undefined },
    )
    if (bytes !== undefined) stream.end(bytes)
    return new Promise((resolve, reject) => {
      stream.once('response', (head) =>
        resolve({ stream, status: head[':status'] ?? 0, headers: headersOf(head) }),
      )
      stream.once('error', reject)
    })
  }

  return {
    async request(given) {
      const { stream, status, headers } = await send(given)
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(Buffer.from(chunk))
      return { status, headers, body: Buffer.concat(chunks) }
    },
    async watch(given) {
      const { stream, status, headers } = await send(given)
      return { status, headers, ...readWatch(stream), close: () => stream.close() }
    },
    close: () => session.close(),
  }
}

function headersOf(head: IncomingHttpHeaders): Readonly<Record<string, string | readonly string[]>> {
  const headers: Record<string, string | readonly string[]> = {}
  for (const [name, value] of Object.entries(head)) {
    if (value !== undefined && !name.startsWith(':')) headers[name] = value
  }
  return headers
}
