/**
 * The service under which clients inside of a cluster find its API servers: `kubernetes` in the namespace `default`, with
 * the first address of the services' range, and endpoints that are the servers that live.
 *
 *     every 10 s: renew own lease ─▶ living servers ─▶ service, endpoints, slice as they should be
 *     stop: release the lease, leave the endpoints
 *
 * Every server runs it; all write the same, and only where something differs.
 */

import { isIP } from 'node:net'
import type { Timer } from '../../../store/contract.ts'
import { parseAddress } from '../../ip.ts'
import type { Machinery, ResourceRoute } from '../../registry/machinery.ts'
import { selfAddress } from '../../registry/services/ranges.ts'
import type { Range } from '../../types/validation/ip.ts'
import { systemUser } from '../bootstrap.ts'
import type { Routes } from '../controller.ts'
import { changeOwn, createOwn } from '../own-writes.ts'
import { type Described, describeSelf } from './objects.ts'
import { createServerLease, renewMs, type ServerAddress } from './server-lease.ts'

interface SelfService {
  start(): void
  /** Tells the others that this server goes; after it nothing is written. */
  leave(): Promise<void>
  close(): void
}

interface SelfServiceOptions {
  readonly address: ServerAddress
  /** Where services get their addresses; its first one is this service's. */
  readonly range: Range | undefined
}

const retryMs = 1000
const manager = 'apiserver'

export function createSelfService(
  { address, range }: SelfServiceOptions,
  machinery: Machinery,
  routes: Routes,
): SelfService {
  const { clock, log, names } = machinery
  const leases = routes.route(names.expand('coordination.{groups}'), 'v1', 'leases')
  const lease = leases === undefined ? undefined : createServerLease(machinery, leases, address)
  const clusterIP = range === undefined ? undefined : selfAddress(range)
  let timer: Timer | undefined
  let leaving = false
  let running: Promise<void> = Promise.resolve()

  /** Undefined = all is as it should be. */
  async function reconcile(isThere: (one: ServerAddress) => boolean): Promise<string | undefined> {
    const living = (await lease?.living()) ?? [address]
    if (typeof living === 'string') return living
    // Nobody else can go where only this machine is reached.
    const servers = living.filter((one) => isThere(one) && isReachable(one))
    for (const described of describeSelf(names, { clusterIP, servers })) {
      const route = routes.route(described.group, 'v1', described.plural)
      const problem = route === undefined ? undefined : await ensure(route, described)
      if (problem !== undefined) return problem
    }
    return undefined
  }

  async function ensure(route: ResourceRoute, { object, settled }: Described): Promise<string | undefined> {
    const write = { route, machinery, user: systemUser, manager }
    const found = await route.storage.cached(object.metadata)
    if (!found.ok) return found.failure.code
    if (found.value === undefined) {
      const { apiVersion, kind } = route.type
      const made = await createOwn(write, { apiVersion, kind, ...object })
      return made.ok || made.failure.reason === 'AlreadyExists' ? undefined : made.failure.message
    }
    const changed = await changeOwn(write, object.metadata, (old) => settled({ ...old }))
    return changed.ok ? undefined : changed.failure.message
  }

  async function round(): Promise<void> {
    const problem = await attempt().catch((error: unknown) => String(error))
    if (leaving) return
    if (problem !== undefined) log.warn('the service of the API servers is not up to date', { problem })
    timer = clock.after(problem === undefined ? renewMs : retryMs, run)
  }

  async function attempt(): Promise<string | undefined> {
    return (await lease?.renew()) ?? (await reconcile(() => true))
  }

  function run(): void {
    running = round()
  }

  return {
    start: run,
    async leave() {
      if (leaving) return
      leaving = true
      timer?.cancel()
      await running
      await lease?.release().catch(() => undefined)
      const isOther = ({ host, port }: ServerAddress): boolean =>
        host !== address.host || port !== address.port
      const problem = await reconcile(isOther).catch((error: unknown) => String(error))
      if (problem !== undefined) log.warn('could not leave the service of the API servers', { problem })
    },
    close() {
      leaving = true
      timer?.cancel()
    },
  }
}

function isReachable({ host }: ServerAddress): boolean {
  const address = parseAddress(host)
  if (address === undefined || isIP(host) === 0) return false
  return address.family === 'IPv4' ? address.value >> 24n !== 127n : address.value > 1n
}
