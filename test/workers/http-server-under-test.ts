/** The API suite's requests over a real connection: `node:http` or `node:https` as the client. */

import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Readable } from 'node:stream'
import type { ServerUnderTest, TestRequest, TestWatch, WatchEvent } from '../api/server-under-test.ts'
import { credential } from '../support/in-process-server.ts'

interface HttpTarget {
  readonly scheme: 'http' | 'https'
  readonly port: number
  /** PEM text; needed for https. */
  readonly ca?: string
}

interface HttpServerUnderTest extends ServerUnderTest {
  close(): void
}

export function overHttp(target: HttpTarget): HttpServerUnderTest {
  const agent =
    target.scheme === 'https'
      ? new HttpsAgent({ keepAlive: true, ca: target.ca ?? '' })
      : new HttpAgent({ keepAlive: true })

  function send(given: TestRequest): Promise<{ request: ClientRequest; answer: IncomingMessage }> {
    const { method, target: path, headers = {}, body, as = 'admin' } = given
    const isObject = typeof body === 'object' && !Buffer.isBuffer(body)
    const bytes = isObject ? JSON.stringify(body) : body
    const options = {
      agent,
      method,
      path,
      host: '127.0.0.1',
      port: target.port,
      headers: {
        ...credential(as),
        ...(isObject ? { 'content-type': 'application/json' } : {}),
        ...(bytes === undefined ? {} : { 'content-length': String(Buffer.byteLength(bytes)) }),
        ...headers,
      },
    }
    return new Promise((resolve, reject) => {
      const request = target.scheme === 'https' ? requestHttps(options) : requestHttp(options)
      request.once('response', (answer) => resolve({ request, answer }))
      request.once('error', reject)
      request.end(bytes)
    })
  }

  return {
    async request(given) {
      const { answer } = await send(given)
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(Buffer.from(chunk))
      return { status: answer.statusCode ?? 0, headers: headersOf(answer), body: Buffer.concat(chunks) }
    },
    async watch(given) {
      const { request, answer } = await send(given)
      return watchOf(request, answer)
    },
    close: () => agent.destroy(),
  }
}

function headersOf(answer: IncomingMessage): Readonly<Record<string, string | readonly string[]>> {
  return Object.fromEntries(
    Object.entries(answer.headersDistinct).map(([name, values = []]) => {
      const [only] = values
      return [name, only !== undefined && values.length === 1 ? only : values]
    }),
  )
}

function watchOf(request: ClientRequest, answer: IncomingMessage): TestWatch {
  return {
    status: answer.statusCode ?? 0,
    headers: headersOf(answer),
    ...readWatch(answer),
    close: () => request.destroy(),
  }
}

/** Takes the lines of an answer one by one. */
export function readWatch(answer: Readable): Pick<TestWatch, 'next'> {
  let text = ''
  let over = false
  let wake = (): void => {}
  answer.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8')
    wake()
  })
  answer.on('error', () => {}) // the client went away itself
  answer.once('close', () => {
    over = true
    wake()
  })
  return {
    async next() {
      for (;;) {
        const end = text.indexOf('\n')
        if (end >= 0) {
          const event: WatchEvent = JSON.parse(text.slice(0, end))
          text = text.slice(end + 1)
          return event
        }
        if (over) return undefined
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
