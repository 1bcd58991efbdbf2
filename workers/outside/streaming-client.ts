/** The client for answers that are passed on while they come: logs of containers, which may last for days. */

import type { IncomingMessage } from 'node:http'
import { request as openRequest } from 'node:https'
import type {
  HttpClientOptions,
  HttpFailure,
  StreamedAnswer,
  StreamingClient,
} from '../../src/outside/outside.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import { createAgent } from './agent.ts'
import { codeOf, headersOf } from './answer.ts'

const idleSocketsMax = 4

export function createStreamingClient(options: HttpClientOptions): Result<StreamingClient, string> {
  // Each answer has a connection to itself for as long as it lasts: flow control bounds how many there are.
  const made = createAgent(options, { maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: idleSocketsMax })
  if (!made.ok) return made
  const agent = made.value
  const open = new Set<{ destroy(): unknown }>()
  return ok({
    open: ({ url, headers = {}, connectMs }) =>
      new Promise((resolve) => {
        const { host } = new URL(url)
        const sent = openRequest(url, { agent, headers })
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
          else socket.once('secureConnect', () => clearTimeout(late))
        })
        sent.once('error', (error) =>
          settle(failure('Unreachable', `${host} cannot be reached: ${codeOf(error)}`)),
        )
        sent.once('response', (answer) => settle(ok(streamed(answer))))
        sent.end()
      }),
    close() {
      for (const sent of open) sent.destroy()
      agent.destroy()
    },
  })
}

function streamed(answer: IncomingMessage): StreamedAnswer {
  return {
    status: answer.statusCode ?? 0,
    headers: headersOf(answer),
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
