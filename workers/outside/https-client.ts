/** The one client for services that access control asks: bounded in time and size, on one origin, with its own CA. */

import type { IncomingMessage } from 'node:http'
import { type Agent, request as openRequest } from 'node:https'
import type {
  HttpAnswer,
  HttpClient,
  HttpClientOptions,
  HttpFailure,
  HttpRequest,
} from '../../src/outside/outside.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import { createAgent } from './agent.ts'
import { codeOf, errorCode, headersOf } from './answer.ts'

const redirectsMax = 3
const socketsMax = 64
const idleSocketsMax = 4

export function createHttpsClient(options: HttpClientOptions): Result<HttpClient, string> {
  const made = createAgent(options, { maxSockets: socketsMax, maxFreeSockets: idleSocketsMax })
  if (!made.ok) return made
  const agent = made.value
  const underWay = new Set<AbortController>()
  return ok({
    async request(request) {
      const abort = new AbortController()
      underWay.add(abort)
      let late = false
      const timer = setTimeout(() => {
        late = true
        abort.abort()
      }, request.timeoutMs)
      try {
        return await follow(request, { agent, signal: abort.signal, isLate: () => late })
      } finally {
        clearTimeout(timer)
        underWay.delete(abort)
      }
    },
    close() {
      for (const abort of underWay) abort.abort()
      agent.destroy()
    },
  })
}

interface Way {
  readonly agent: Agent
  readonly signal: AbortSignal
  /** The signal came because the time was up. */
  readonly isLate: () => boolean
}

type Answered = Result<HttpAnswer, HttpFailure>

async function follow(request: HttpRequest, way: Way): Promise<Answered> {
  let url = new URL(request.url)
  if (Object.values(request.headers ?? {}).some((value) => !/^[\t\x20-\x7e]*$/.test(value)))
    return failure('Unreachable', url, 'is not asked: a header holds what no header can carry')
  let redirects = 0
  let stale = false
  for (;;) {
    if (url.protocol !== 'https:') return failure('Redirected', url, 'is not asked: it is not https')
    const { answer, reused } = await ask(url, request, way)
    // A connection that the service had given up while it was idle says nothing about the service.
    if (!answer.ok && answer.failure.code === 'Reset' && reused && !stale) {
      stale = true
      continue
    }
    if (!answer.ok || !isRedirect(answer.value.status)) return answer
    const next = redirectTarget(answer.value, url)
    const followed = request.method === 'GET' && redirects < redirectsMax && next?.origin === url.origin
    if (next === undefined || !followed)
      return failure('Redirected', url, `answered ${answer.value.status}, a redirect that is not followed`)
    url = next
    redirects++
  }
}

interface Asked {
  readonly answer: Answered
  /** Over a connection that had served before. */
  readonly reused: boolean
}

function ask(url: URL, request: HttpRequest, { agent, signal, isLate }: Way): Promise<Asked> {
  const { method, headers = {}, body, answerBytesMax } = request
  return new Promise((resolve) => {
    const settle = (answer: Answered): void => resolve({ answer, reused: sent.reusedSocket })
    const broken = (error: unknown): void => {
      if (isLate()) settle(failure('Timeout', url, `did not answer within ${request.timeoutMs} ms`))
      else if (isReset(error)) settle(failure('Reset', url, 'dropped the connection'))
      else settle(failure('Unreachable', url, `cannot be reached: ${codeOf(error)}`))
    }
    const length = body === undefined ? {} : { 'content-length': body.length }
    const sent = openRequest(
      url,
      { method, agent, signal, headers: { ...headers, accept: 'application/json', ...length } },
      (answer) => {
        answer.on('error', broken)
        collect(answer, answerBytesMax, (bytes) => {
          if (bytes === undefined) {
            settle(failure('TooLarge', url, `answered with more than ${answerBytesMax} bytes`))
            sent.destroy()
          } else settle(ok({ status: answer.statusCode ?? 0, headers: headersOf(answer), body: bytes }))
        })
      },
    )
    sent.on('error', broken)
    sent.end(body)
  })
}

/** Undefined = too long. A broken answer never gets here. */
function collect(answer: IncomingMessage, bytesMax: number, done: (bytes: Buffer | undefined) => void): void {
  const chunks: Buffer[] = []
  let bytes = 0
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > bytesMax) done(undefined)
    else chunks.push(chunk)
  })
  answer.on('end', () => done(Buffer.concat(chunks)))
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304
}

function redirectTarget(answer: HttpAnswer, from: URL): URL | undefined {
  try {
    return new URL(answer.headers.get('location') ?? '', from)
  } catch {
    return undefined
  }
}

function failure(code: HttpFailure['code'], { host }: URL, what: string): Answered {
  return fail({ code, message: `${host} ${what}` })
}

function isReset(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(errorCode(error))
}
