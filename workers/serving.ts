/** The API server with its listeners: what a worker process runs, and the embedding entry point too. */

import { randomBytes } from 'node:crypto'
import { createNames } from '../src/names/names.ts'
import type { Log } from '../src/observe/log.ts'
import { type BuildInfo, createApiServer, type StaticToken } from '../src/server.ts'
import { systemClock } from '../store/clock.ts'
import { fail, ok, type Result, type Store } from '../store/contract.ts'
import type { ApiConfig } from './flags/config.ts'
import { describeListenFailure, type Listener, type ListenFailure } from './http/listener.ts'
import { listenNode, type TlsMaterial } from './http/node.ts'
import { listenUws } from './http/uws.ts'
import { loadUws } from './http/uws-library.ts'

export interface ServingSettings {
  readonly api: ApiConfig
  readonly build: BuildInfo
  readonly staticTokens: readonly StaticToken[]
  readonly secure: { readonly host: string; readonly port: number; readonly tls: TlsMaterial }
  /** undefined = no plaintext. */
  readonly plain: { readonly host: string; readonly port: number } | undefined
  readonly advertiseAddress: { readonly host: string; readonly port: number }
  /** Run the built-in controllers here. */
  readonly controllers: boolean
}

export interface ServingParts {
  readonly store: Store
  readonly log: Log
  /** Absent = the metrics of this process alone. */
  readonly collectMetrics?: () => Promise<string>
}

export interface ListenerInfo {
  readonly transport: Listener['transport']
  readonly scheme: Listener['scheme']
  readonly host: string
  readonly port: number
}

export interface Serving {
  readonly listeners: readonly ListenerInfo[]
  /** Why the plaintext listener is not the fast one; undefined = it is, or there is none. */
  readonly plainNote: string | undefined
  metricsText(): Promise<string>
  /** `/readyz` fails from now on; everything else goes on. */
  drain(): void
  /** Accepts nothing more, ends watches, finishes what is in flight within `graceMs`, then drops what is left. */
  stop(graceMs: number): Promise<void>
}

/** `message` is for people. */
export type ServingFailure = { readonly code: 'CannotServe'; readonly message: string }

export async function startServing(
  settings: ServingSettings,
  { store, log, collectMetrics }: ServingParts,
): Promise<Result<Serving, ServingFailure>> {
  const { api, build, staticTokens, advertiseAddress, controllers } = settings
  const created = createApiServer({
    store,
    log,
    build,
    staticTokens,
    advertiseAddress,
    controllers,
    names: createNames(api.dialect),
    clock: systemClock,
    randomBytes,
    runtimeConfig: api.runtimeConfig,
    featureGates: api.featureGates,
    eventTtlMs: api.eventTtlMs,
    minRequestTimeoutMs: api.minRequestTimeoutMs,
    requestTimeoutMs: api.requestTimeoutMs,
    livezGracePeriodMs: api.livezGracePeriodMs,
    ...(collectMetrics === undefined ? {} : { collectMetrics }),
  })
  if (!created.ok) return fail({ code: 'CannotServe', message: created.failure.message })
  const server = created.value
  const onHandlerError = (error: unknown): void =>
    log.error('a request met a bug', {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  const handling = { handler: server.handler, onHandlerError }
  const { secure, plain } = settings
  const uws = plain === undefined ? undefined : loadUws()
  const attempts: Promise<Result<Listener, ListenFailure>>[] = [listenNode({ ...secure, ...handling })]
  if (plain !== undefined) {
    attempts.push(
      uws?.type === 'loaded'
        ? listenUws({ library: uws.library, ...plain, ...handling })
        : listenNode({ ...plain, ...handling }),
    )
  }
  const [results] = await Promise.all([Promise.all(attempts), server.start()])
  const listeners = results.flatMap((result) => (result.ok ? [result.value] : []))
  const refused = results.find((result) => !result.ok)
  if (refused !== undefined && !refused.ok) {
    for (const listener of listeners) listener.destroy()
    await Promise.all([server.close(), ...listeners.map((listener) => listener.close())])
    return fail({ code: 'CannotServe', message: describeListenFailure(refused.failure) })
  }
  return ok({
    listeners: listeners.map(({ transport, scheme, host, port }) => ({ transport, scheme, host, port })),
    plainNote: uws?.type === 'absent' ? uws.reason : undefined,
    metricsText: () => server.metricsText(),
    drain: () => server.drain(),
    async stop(graceMs) {
      server.drain()
      const closed = listeners.map((listener) => listener.close())
      await within(graceMs, server.close())
      // What has been answered may still be on its way.
      await within(Math.min(graceMs, lastBytesMs), Promise.all(closed))
      for (const listener of listeners) listener.destroy()
    },
  })
}

const lastBytesMs = 2_000

/** Settles with `work`, or after `ms`; the timer keeps nothing alive afterwards. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const abort = new AbortController()
  const timeUp = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    abort.signal.addEventListener('abort', () => clearTimeout(timer))
  })
  try {
    await Promise.race([work, timeUp])
  } finally {
    abort.abort()
  }
}
