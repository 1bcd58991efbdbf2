/** The client for answers that are passed on while they come: logs of containers and what is behind proxies. */

import { Agent as HttpAgent, type IncomingMessage, request as openHttp } from 'node:http'
import { request as openHttps } from 'node:https'
import type { Duplex } from 'node:stream'
import type {
  HttpClientOptions,
  HttpFailure,
  StreamedAnswer,
  StreamingClient,
} from '../../src/outside/outside.ts'
import type { Headers } from '../../src/pipeline/exchange.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import { createAgent } from './agent.ts'
import { codeOf } from './answer.ts'

/** Each answer has a connection to itself for as long as it lasts: flow control bounds how many there are. */
const sockets = { maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 4 }

export function createStreamingClient(options: HttpClientOptions): Result<StreamingClient, string> {
  const made = createAgent(options, sockets)
  if (!made.ok) return made
  const secureAgent = made.value
  const plainAgent = new HttpAgent({ keepAlive: true, ...sockets })
  const open = new Set<{ destroy(): unknown }>()
  return ok({
    open: ({ method, url, headers = {}, body, connectMs }) =>
      new Promise((resolve) => {
        const { host, protocol } = new URL(url)
        const secure = protocol === 'https:'
        const settings = { method, headers: headers as Record<string, string | string[]> }
        const sent = secure
          ? openHttps(url, { ...settings, agent: secureAgent })
          : openHttp(url, { ...settings, agent: plainAgent })
        const late = setTimeout(() => {
          settle(failure('Timeout', `${host} cannot be reached within ${connectMs} ms`))
          sent.destroy()
        }, connectMs)
        const settle = (answer: Result<StreamedAnswer, HttpFailure>): void => {
          clearTimeout(late)
          resolve(answer)
        }
        open.add(sent)
        sent.once('close', () => open.delete(sent))
        sent.once('socket', (socket) => {
          if (!socket.connecting) clearTimeout(late)
          else socket.once(secure ? 'secureConnect' : 'connect', () => clearTimeout(late))
        })
        sent.once('error', (error) =>
          settle(failure('Unreachable', `${host} cannot be reached: ${codeOf(error)}`)),
        )
        sent.once('response', (answer) => settle(ok(streamed(answer))))
        sent.once('upgrade', (answer: IncomingMessage, socket: Duplex, first: Buffer) => {
          open.add(socket)
          socket.once('close', () => open.delete(socket))
          if (first.length > 0) socket.unshift(first)
          settle(ok({ ...streamed(answer), connection: socket, abort: () => socket.destroy() }))
        })
        sent.end(body)
      }),
    close() {
      for (const each of open) each.destroy()
      secureAgent.destroy()
      plainAgent.destroy()
    },
  })
}

function streamed(answer: IncomingMessage): StreamedAnswer {
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headersDistinct as Headers,
    body: untilItEnds(answer),
    abort: () => answer.destroy(),
  }
}

async function* untilItEnds(answer: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of answer) yield chunk
  } catch {
    // Whoever reads has what came; there is no more.
  }
}

function failure(code: HttpFailure['code'], message: string): Result<never, HttpFailure> {
  return fail({ code, message })
}
