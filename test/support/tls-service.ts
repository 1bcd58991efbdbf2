/** HTTPS services of a test, certified by a CA of the test's own, and the client that the server asks them with. */

import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Outside } from '../../src/outside/outside.ts'
import { fail, ok } from '../../store/contract.ts'
import { createHttpsClient } from '../../workers/outside/https-client.ts'
import { createStreamingClient } from '../../workers/outside/streaming-client.ts'
import { createIssuer, type Issuer, type KeyPair } from '../../workers/pki/issue.ts'

export interface TestAuthority {
  readonly issuer: Issuer
  readonly ca: KeyPair
  /** For localhost and 127.0.0.1. */
  readonly serving: KeyPair
}

const dayMs = 86_400_000

export function validNow(): { fromMs: number; untilMs: number } {
  return { fromMs: Date.now() - dayMs, untilMs: Date.now() + dayMs }
}

export async function createTestAuthority(name = 'test-ca'): Promise<TestAuthority> {
  const issuer = await createIssuer(randomBytes)
  const ca = await issuer.authority(name, validNow())
  return { issuer, ca, serving: await issuer.serving(ca, ['localhost', '127.0.0.1'], validNow()) }
}

export type ServiceHandler = (request: IncomingMessage, response: ServerResponse, body: string) => void

export interface TlsService {
  readonly url: string
  /** Takes its place from now on. */
  handle(handler: ServiceHandler): void
  /** Requests so far, as `GET /path`. */
  readonly seen: readonly string[]
  /** Goes away; the port stays its own for `restart`. */
  stop(): Promise<void>
  restart(): Promise<void>
}

interface Teardown {
  teardown(action: () => unknown): void
}

interface TlsServiceOptions {
  /** Asks for a client certificate of this CA. */
  readonly clientCa?: string
}

export async function startTlsService(
  t: Teardown,
  { serving }: TestAuthority,
  first: ServiceHandler,
  options: TlsServiceOptions = {},
): Promise<TlsService> {
  let handler = first
  let server: Server
  const seen: string[] = []
  const open = (port: number): Promise<number> =>
    new Promise((resolve, reject) => {
      server = createServer(
        {
          cert: serving.certificate,
          key: serving.privateKey,
          ...(options.clientCa === undefined
            ? {}
            : { ca: options.clientCa, requestCert: true, rejectUnauthorized: true }),
        },
        (request, response) => {
          seen.push(`${request.method} ${request.url}`)
          let body = ''
          request.on('data', (chunk: Buffer) => {
            body += chunk.toString()
          })
          request.on('end', () => handler(request, response, body))
        },
      )
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => {
        const address = server.address()
        resolve(typeof address === 'object' && address !== null ? address.port : 0)
      })
    })
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  const port = await open(0)
  t.teardown(close)
  return {
    url: `https://localhost:${port}`,
    seen,
    handle(next) {
      handler = next
    },
    stop: close,
    async restart() {
      await open(port)
    },
  }
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

/** Real connections, and files that are values: write into the map to change one. */
export function outsideWith(files: ReadonlyMap<string, string> = new Map()): Outside {
  return {
    httpClient: createHttpsClient,
    streamingClient: createStreamingClient,
    async readFile(path) {
      const text = files.get(path)
      return text === undefined ? fail('does not exist') : ok(text)
    },
  }
}
