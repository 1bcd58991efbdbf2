/**
 * One address for several servers: passes TCP connections on to one that is ready, TLS and all. Small, for one machine;
 * in production any balancer that passes TLS through does the same.
 *
 *     up ──1 bad probe, or no connection──▶ shunned: new connections go elsewhere
 *      ▲                                       │ 2nd bad probe in a row
 *      └────────────── good probe ◀──────── down: its connections are ended, so that clients come again
 */

import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { type Clock, ok, type Result } from '../../store/contract.ts'
import { describeListenFailure, listenFailureOf } from '../http/listener.ts'
import { cannotStart, type StartFailure } from '../start-failure.ts'

export interface Backend {
  readonly name: string
  readonly host: string
  readonly port: number
}

interface BalancerOptions {
  readonly host: string
  /** 0 = one that is free. */
  readonly port: number
  readonly backends: readonly Backend[]
  readonly clock: Clock
  /** Whether a backend should get connections; bounded in time by itself, never rejects. */
  probe(backend: Backend): Promise<boolean>
  /** A backend went up or down. */
  onChange?(name: string, isUp: boolean): void
}

export interface Balancer {
  readonly port: number
  isUp(name: string): boolean
  close(): Promise<void>
}

const probePauseMs = 500
/** Bad probes in a row after which connections are ended, too. */
const badProbesMax = 2
/** Somebody who accepts nothing in this time is passed over. */
const connectMs = 2000

interface Place {
  readonly backend: Backend
  readonly sockets: Set<Socket>
  badProbes: number
  isUp: boolean
}

/** Listens and passes connections to nodes that are ready; fails when the port is taken. */
export async function startBalancer(options: BalancerOptions): Promise<Result<Balancer, StartFailure>> {
  const places = options.backends.map(
    (backend): Place => ({ backend, sockets: new Set(), badProbes: badProbesMax, isUp: false }),
  )
  const clients = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    clients.add(client)
    client.on('close', () => clients.delete(client))
    client.on('error', () => client.destroy())
    pass(client, inOrder(places), options.clock)
  })
  const listening = await listen(server, options)
  if (!listening.ok) return listening
  let closed = false

  async function probe(place: Place): Promise<void> {
    const good = await options.probe(place.backend)
    if (closed) return
    place.badProbes = good ? 0 : place.badProbes + 1
    if (good !== place.isUp && (good || place.badProbes >= badProbesMax)) {
      place.isUp = good
      options.onChange?.(place.backend.name, good)
    }
    if (place.badProbes >= badProbesMax) for (const socket of place.sockets) socket.destroy()
    options.clock.after(probePauseMs, () => void probe(place))
  }

  for (const place of places) void probe(place)
  return ok({
    port: listening.value,
    isUp: (name) => places.some(({ backend, isUp }) => backend.name === name && isUp),
    async close() {
      closed = true
      const ended = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const client of clients) client.destroy()
      for (const { sockets } of places) for (const socket of sockets) socket.destroy()
      await ended
    },
  })
}

function listen(server: Server, { host, port }: BalancerOptions): Promise<Result<number, StartFailure>> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const failure = listenFailureOf(error, host, port)
      if (failure === undefined) reject(error)
      else resolve(cannotStart(describeListenFailure(failure)))
    })
    server.listen({ host, port }, () => {
      // A TCP server that listens has an address of this form.
      resolve(ok((server.address() as AddressInfo).port))
    })
  })
}

/** The good ones first, each with the fewest connections first. A bad one is better than none. */
function inOrder(places: readonly Place[]): readonly Place[] {
  return [...places].sort((a, b) => a.badProbes - b.badProbes || a.sockets.size - b.sockets.size)
}

/** Tries one after the other; a client that finds none is dropped. */
function pass(client: Socket, [place, ...others]: readonly Place[], clock: Clock): void {
  if (place === undefined || client.destroyed) {
    client.destroy()
    return
  }
  const { host, port } = place.backend
  const upstream = connect({ host, port, allowHalfOpen: true })
  let connected = false
  const tooLate = clock.after(connectMs, () => upstream.destroy())
  place.sockets.add(upstream)
  client.once('close', () => upstream.destroy())
  upstream.on('error', () => upstream.destroy())
  upstream.once('connect', () => {
    connected = true
    tooLate.cancel()
    client.setNoDelay(true)
    upstream.setNoDelay(true)
    client.pipe(upstream)
    upstream.pipe(client)
    client.resume()
  })
  upstream.once('close', () => {
    place.sockets.delete(upstream)
    tooLate.cancel()
    if (connected) {
      client.destroySoon()
      return
    }
    place.badProbes = Math.max(place.badProbes, 1)
    pass(client, others, clock)
  })
}
