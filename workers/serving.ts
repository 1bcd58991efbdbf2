/** The API server with its listeners: what a worker process runs, and the embedding entry point too. */

import { randomBytes } from 'node:crypto'
import type { ServiceAccountOptions } from '../src/authn/service-account/options.ts'
import type { AbacPolicy } from '../src/authz/abac/policy.ts'
import type { ExternalAccess } from '../src/config/external-access.ts'
import type { AuthenticationTrust } from '../src/controllers/authentication-trust.ts'
import type { CsrSigningOptions } from '../src/controllers/csr-signing.ts'
import { createApiServer } from '../src/create-server.ts'
import { createNames } from '../src/names/names.ts'
import type { Log } from '../src/observe/log.ts'
import type { Exchange, Handler } from '../src/pipeline/exchange.ts'
import type { BuildInfo, ServerOptions, StaticToken } from '../src/server.ts'
import { systemClock } from '../store/clock.ts'
import { fail, ok, type Result, type Store } from '../store/contract.ts'
import { openExternalAccessOf } from './external-access.ts'
import type { ApiConfig } from './flags/config.ts'
import { describeListenFailure, type Listener, type ListenFailure } from './http/listener.ts'
import { listenNode } from './http/node.ts'
import type { TlsMaterial } from './http/tls-material.ts'
import { listenUws } from './http/uws.ts'
import { loadUws } from './http/uws-library.ts'
import type { Renewable } from './renewal.ts'

export interface ServingSettings {
  readonly api: ApiConfig
  readonly build: BuildInfo
  readonly staticTokens: readonly StaticToken[]
  readonly abacPolicies: readonly AbacPolicy[]
  readonly serviceAccounts: ServiceAccountOptions
  /** PEM text. */
  readonly rootCa: string
  /** undefined = nobody signs certificate requests. */
  readonly clusterSigning: CsrSigningOptions | undefined
  readonly secure: {
    readonly host: string
    readonly port: number
    readonly tls: TlsMaterial
    /** Absent = as the flags are by default. */
    readonly http2?: { readonly streamsMax: number }
  }
  /** undefined = no plaintext. */
  readonly plain: { readonly host: string; readonly port: number } | undefined
  /** Discovery names it, with the port of the TLS listener. */
  readonly advertiseHost: string
  /** Take part in the election of the built-in controllers. */
  readonly controllers: boolean
  /** Who this server is in that election. */
  readonly controllerIdentity: string
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
  /** Takes the place of the certificates and CAs so far, without a connection lost. */
  renew(all: Renewable): void
  /** `/readyz` fails from now on; everything else goes on. */
  drain(): void
  /** Accepts nothing more, ends watches, finishes what is in flight within `graceMs`, then drops what is left. */
  stop(graceMs: number): Promise<void>
}

/** `message` is for people. */
export type ServingFailure = { readonly code: 'CannotServe'; readonly message: string }

/** Resolves when all listeners are open; a failure leaves none open. */
export async function startServing(
  settings: ServingSettings,
  parts: ServingParts,
): Promise<Result<Serving, ServingFailure>> {
  const { log } = parts
  const gate = createGate()
  const onHandlerError = (error: unknown): void =>
    log.error('a request met a bug', {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  const listening = await listenAll(settings, { handler: gate.handler, onHandlerError })
  if (!listening.ok) return listening
  const { listeners, plainNote } = listening.value
  const port = listeners[0]?.port ?? settings.secure.port
  const names = createNames(settings.api.dialect)
  let current: Renewable = { tls: settings.secure.tls, clusterSigning: settings.clusterSigning }
  const external = await openExternalAccessOf({ settings, names, log, port })
  const created = external.ok
    ? createApiServer(
        serverOptions(settings, { ...parts, external: external.value, current: () => current }, port),
      )
    : fail({ message: external.failure })
  if (!created.ok) {
    await destroyAll(listeners)
    return fail({ code: 'CannotServe', message: created.failure.message })
  }
  const server = created.value
  gate.open(server.handler)
  await server.start()
  return ok({
    listeners: listeners.map(({ transport, scheme, host, port }) => ({ transport, scheme, host, port })),
    plainNote,
    metricsText: () => server.metricsText(),
    renew(all) {
      current = all
      for (const listener of listeners) listener.setTls(all.tls)
    },
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

/** Requests that come before there is a server wait for it: the server wants to know the port first. */
function createGate(): { readonly handler: Handler; open(handler: Handler): void } {
  let inner: Handler | undefined
  const waiting: Exchange[] = []
  return {
    handler(exchange) {
      if (inner === undefined) waiting.push(exchange)
      else inner(exchange)
    },
    open(handler) {
      inner = handler
      for (const exchange of waiting.splice(0)) handler(exchange)
    },
  }
}

function serverOptions(
  settings: ServingSettings,
  {
    store,
    log,
    collectMetrics,
    external,
    current,
  }: ServingParts & { readonly external: ExternalAccess | undefined; readonly current: () => Renewable },
  port: number,
): ServerOptions {
  const {
    api,
    build,
    staticTokens,
    abacPolicies,
    serviceAccounts,
    rootCa,
    clusterSigning,
    advertiseHost,
    controllers,
  } = settings
  return {
    store,
    log,
    build,
    staticTokens,
    abacPolicies,
    serviceAccounts,
    rootCa,
    ...(clusterSigning === undefined
      ? {}
      : { clusterSigning: () => current().clusterSigning ?? clusterSigning }),
    bootstrapTokens: api.bootstrapTokens,
    legacyTokenIdleMs: api.legacyTokenIdleMs,
    selectedControllers: api.controllers,
    authorizationModes: api.authorizationModes,
    anonymousAuth: api.anonymousAuth,
    controllers,
    identity: settings.controllerIdentity,
    advertiseAddress: { host: advertiseHost, port },
    names: createNames(api.dialect),
    clock: systemClock,
    randomBytes,
    runtimeConfig: api.runtimeConfig,
    featureGates: api.featureGates,
    showHiddenMetrics: api.showHiddenMetrics,
    admissionPlugins: api.admissionPlugins,
    eventTtlMs: api.eventTtlMs,
    services: api.services,
    minRequestTimeoutMs: api.minRequestTimeoutMs,
    requestTimeoutMs: api.requestTimeoutMs,
    livezGracePeriodMs: api.livezGracePeriodMs,
    flowControl: api.flowControl,
    trust: () => trustOf(api, current().tls),
    ...(external === undefined ? {} : { external }),
    ...(collectMetrics === undefined ? {} : { collectMetrics }),
  }
}

function trustOf({ external }: ApiConfig, { clientCa, proxyCa }: TlsMaterial): AuthenticationTrust {
  const { requestHeader } = external
  return {
    clientCa,
    requestHeader:
      requestHeader === undefined || proxyCa === undefined ? undefined : { ...requestHeader, ca: proxyCa },
  }
}

interface Handling {
  readonly handler: Handler
  readonly onHandlerError: (error: unknown) => void
}

interface Listening {
  /** TLS first. */
  readonly listeners: readonly Listener[]
  readonly plainNote: string | undefined
}

/** All of them, or none. */
async function listenAll(
  { secure, plain }: ServingSettings,
  handling: Handling,
): Promise<Result<Listening, ServingFailure>> {
  const uws = plain === undefined ? undefined : loadUws()
  const attempts: Promise<Result<Listener, ListenFailure>>[] = [listenNode({ ...secure, ...handling })]
  if (plain !== undefined) {
    attempts.push(
      uws?.type === 'loaded'
        ? listenUws({ library: uws.library, ...plain, ...handling })
        : listenNode({ ...plain, ...handling }),
    )
  }
  const results = await Promise.all(attempts)
  const listeners = results.flatMap((result) => (result.ok ? [result.value] : []))
  const refused = results.find((result) => !result.ok)
  if (refused === undefined || refused.ok) {
    return ok({ listeners, plainNote: uws?.type === 'absent' ? uws.reason : undefined })
  }
  await destroyAll(listeners)
  return fail({ code: 'CannotServe', message: describeListenFailure(refused.failure) })
}

async function destroyAll(listeners: readonly Listener[]): Promise<void> {
  for (const listener of listeners) listener.destroy()
  await Promise.all(listeners.map((listener) => listener.close()))
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
