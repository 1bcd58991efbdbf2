/**
 * Controllers that run in one process at a time, whichever of those that share a store holds the lease
 * `<prefix>-controller-manager`.
 */

import type { User } from '../pipeline/user.ts'
import type { Machinery } from '../registry/machinery.ts'
import type { ControllerFactory, Routes } from './controller.ts'
import { createElection, defaultTiming, type Election, type ElectionTiming } from './election/election.ts'
import { fencedRoutes } from './election/fence.ts'
import { createLeaseKeeper } from './election/lease-keeper.ts'

interface ElectedOptions {
  readonly machinery: Machinery
  readonly routes: Routes
  /** Who holds the lease. See `ServerOptions.identity`. */
  readonly identity: string
  readonly controllers: readonly ControllerFactory[]
  readonly timing?: ElectionTiming
}

/** Undefined where this server has no leases: then nothing can be elected, and nothing runs. */
export function createElectedControllers(options: ElectedOptions): Election | undefined {
  const { machinery, routes, identity, controllers, timing = defaultTiming } = options
  const { names, clock, log, identifiers } = machinery
  const leases = routes.route(names.expand('coordination.{groups}'), 'v1', 'leases')
  if (leases === undefined) {
    log.warn('no controllers run: leases are not served', {})
    return undefined
  }
  const name = names.expand('{prefix}-controller-manager')
  const user: User = {
    name: `system:${name}`,
    uid: '',
    groups: ['system:authenticated'],
    extra: new Map(),
  }
  const lease = { namespace: names.systemNamespace, name }
  const { leaseDurationMs } = timing
  const election = createElection({
    clock,
    log,
    timing,
    random: identifiers.fraction,
    keeper: createLeaseKeeper({ machinery, leases, lease, identity, user, leaseDurationMs }),
    lead() {
      let ended = false
      const ownRoutes = fencedRoutes(routes, () => !ended && election.isLeading)
      const running = controllers.map((create) => create(machinery, ownRoutes))
      for (const controller of running) controller.start()
      return () => {
        ended = true
        for (const controller of running) controller.close()
      }
    },
  })
  return election
}
