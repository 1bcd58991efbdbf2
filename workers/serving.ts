/** The API server with its listeners: what a worker process runs, and the embedding entry point too. */

import { nodeAgentProblem } from '../src/connect/node-agents.ts'
import { createApiServer } from '../src/create-server.ts'
import { createNames } from '../src/names/names.ts'
import type { Exchange, Handler } from '../src/pipeline/exchange.ts'
import { fail, ok, type Result } from '../store/contract.ts'
import { noKeeper, openAudit } from './audit/open.ts'
import { openExternalAccessOf } from './external-access.ts'
import type { Listener } from './http/listener.ts'
import { destroyAll, listenAll, type ServingFailure } from './listeners.ts'
import type { Renewable } from './renewal.ts'
import {
  outsideOfMachine,
  type ServingParts,
  type ServingSettings,
  serverOptions,
} from './serving-settings.ts'

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
  /** The file of the audit log has been put aside: it is open no more when this returns. */
  reopenAuditLog(): void
  /** `/readyz` fails from now on; everything else goes on. */
  drain(): void
  /** Accepts nothing more, ends watches, finishes what is in flight within `graceMs`, then drops what is left. */
  stop(graceMs: number): Promise<void>
}

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
  const { auditKeeper: keeper = noKeeper } = parts
  const audit = await openAudit({ settings: settings.audit, keeper, names, log })
  const handshakeErrors = (): number =>
    listeners.reduce((sum, listener) => sum + listener.handshakeErrors(), 0)
  const agents = await nodeAgentProblem(settings.api.nodeAgents, outsideOfMachine)
  const created = createServer()
  if (!created.ok) {
    await destroyAll(listeners)
    return fail({ code: 'CannotServe', message: created.failure.message })
  }
  const server = created.value

  function createServer(): ReturnType<typeof createApiServer> {
    if (!external.ok) return fail({ message: external.failure })
    if (!audit.ok) return fail({ message: audit.failure })
    if (agents !== undefined) return fail({ message: agents })
    const opened = { external: external.value, audit: audit.value?.log, current: () => current }
    return createApiServer({ ...serverOptions(settings, { ...parts, ...opened }, port), handshakeErrors })
  }

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
    reopenAuditLog: () => audit.ok && audit.value?.reopen(),
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
