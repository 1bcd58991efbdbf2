/** The API server in this process, over a store in memory: the fastest server under test. */

import { randomBytes } from 'node:crypto'
import { createApiServer } from '../../src/create-server.ts'
import { createNames, type DialectName } from '../../src/names/names.ts'
import { silentLog } from '../../src/observe/log.ts'
import { defaultServiceRanges } from '../../src/registry/services/settings.ts'
import type { ApiServer, ServerOptions } from '../../src/server.ts'
import type { Store } from '../../store/contract.ts'
import type { Body, ServerUnderTest, TestRequest, TestWatch, WatchEvent } from '../api/server-under-test.ts'
import { exchangeWith, type FakeExchange } from './fake-exchange.ts'
import { liveClock } from './live-clock.ts'
import { createMemoryStore } from './memory-store.ts'

export const adminToken = 'admin-token-of-the-tests'
export const userToken = 'user-token-of-the-tests'

export interface InProcessServer extends ServerUnderTest {
  readonly api: ApiServer
  readonly store: Store
  close(): Promise<void>
}

export interface InProcessOptions {
  readonly dialect?: DialectName
  readonly store?: Store
  readonly options?: Partial<ServerOptions>
}

export async function startInProcess(given: InProcessOptions = {}): Promise<InProcessServer> {
  const store = given.store ?? createMemoryStore()
  const created = createApiServer({
    store,
    names: createNames(given.dialect ?? 'kubernetes'),
    clock: liveClock,
    randomBytes,
    log: silentLog,
    build: {
      major: '1',
      minor: '30',
      gitVersion: 'v1.30.0',
      gitCommit: 'none',
      buildDate: '2026-01-01T00:00:00Z',
    },
    runtimeConfig: new Map(),
    featureGates: new Map(),
    staticTokens: [
      { token: adminToken, user: { name: 'admin', uid: '', groups: ['system:masters'] } },
      { token: userToken, user: { name: 'jane', uid: '', groups: ['developers'] } },
    ],
    eventTtlMs: 3_600_000,
    services: defaultServiceRanges(),
    minRequestTimeoutMs: 1_800_000,
    requestTimeoutMs: 60_000,
    livezGracePeriodMs: 0,
    advertiseAddress: { host: '192.0.2.10', port: 6443 },
    outside: async () => (await import('./tls-service.ts')).outsideWith(),
    ...given.options,
  })
  if (!created.ok) throw new Error(created.failure.message)
  const api = created.value
  await api.start()

  return {
    api,
    store,
    async request(request) {
      const { status, headers, body } = await send(api, request).answered
      return { status, headers, body }
    },
    watch: (request) => openWatch(send(api, request)),
    async close() {
      await api.close()
      await store.close()
    },
  }
}

function send(
  api: ApiServer,
  { method, target, headers = {}, body, as = 'admin' }: TestRequest,
): FakeExchange {
  const bytes = bytesOf(body)
  return exchangeWith(api.handler, {
    method,
    target,
    headers: {
      ...credential(as),
      ...(isObject(body) ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(bytes === undefined ? {} : { body: bytes }),
  })
}

/** What a request sends to be from this one. */
export function credential(as: 'admin' | 'anonymous' | 'user'): Readonly<Record<string, string>> {
  switch (as) {
    case 'admin':
      return { authorization: `Bearer ${adminToken}` }
    case 'user':
      return { authorization: `Bearer ${userToken}` }
    case 'anonymous':
      return {}
  }
}

function isObject(body: Body | undefined): boolean {
  return typeof body === 'object' && !Buffer.isBuffer(body)
}

function bytesOf(body: Body | undefined): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

async function openWatch(fake: FakeExchange): Promise<TestWatch> {
  const { status, headers } = await fake.started
  let over = false
  let read = 0
  let wake: () => void = () => {}
  fake.onProgress(() => wake())
  void fake.answered.then(() => {
    over = true
    wake()
  })
  return {
    status,
    headers,
    async next() {
      for (;;) {
        const text = fake.text()
        const end = text.indexOf('\n', read)
        if (end >= 0) {
          const event: WatchEvent = JSON.parse(text.slice(read, end))
          read = end + 1
          return event
        }
        if (over) return undefined
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    close: () => fake.disconnect(),
  }
}
