/** How the tests of tokens ask: as the administrator, or with a token in hand. */

import type { Test } from 'tap'
import type { ServerOptions } from '../../../src/server.ts'
import type { Clock } from '../../../store/contract.ts'
import { adminToken, type InProcessServer, startInProcess } from '../../support/in-process-server.ts'
import { liveClock } from '../../support/live-clock.ts'

interface Told {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: { readonly [field: string]: never } & { readonly message?: string }
}

export interface TokenClient {
  readonly server: InProcessServer
  /** `line` is method and target. `token` absent = the administrator's; '' = none. */
  ask(line: string, body?: object, token?: string): Promise<Told>
  /** Asks, and fails the test for another answer than 2xx. */
  must(line: string, body?: object): Promise<Told['body']>
  /** Moves the clock that the server reads. */
  later(seconds: number): void
}

/** @param aheadSeconds how far the server's clock is in the future */
export async function tokenClient(
  t: Test,
  options: Partial<ServerOptions>,
  aheadSeconds = 0,
): Promise<TokenClient> {
  let shiftMs = aheadSeconds * 1000
  const clock: Clock = { ...liveClock, wallMs: () => liveClock.wallMs() + shiftMs }
  const server = await startInProcess({ options: { clock, ...options } })
  t.teardown(() => server.close())

  async function ask(line: string, body?: object, token: string = adminToken): Promise<Told> {
    const [method = '', target = ''] = line.split(' ')
    const answer = await server.request({
      method,
      target,
      as: 'anonymous',
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}),
      },
      ...(body === undefined ? {} : { body }),
    })
    const text = answer.body.toString()
    return {
      status: answer.status,
      headers: answer.headers,
      body: text.startsWith('{') ? JSON.parse(text) : {},
    }
  }

  return {
    server,
    ask,
    async must(line, body) {
      const { status, body: told } = await ask(line, body)
      if (status > 299) throw new Error(`${line}: ${status} ${told.message ?? ''}`)
      return told
    },
    later(seconds) {
      shiftMs += seconds * 1000
    },
  }
}
