/** What a server does for itself, beside what it is asked: its own objects, and the controllers. */

import { createAuthenticationTrustController } from '../controllers/authentication-trust.ts'
import { createBootstrap } from '../controllers/bootstrap.ts'
import { createBootstrapObjects } from '../controllers/bootstrap-objects.ts'
import { createDefinitionsController } from '../controllers/definitions/definitions-controller.ts'
import { createElectedControllers } from '../controllers/elected.ts'
import { createFlowKeeper } from '../controllers/flow-keeper.ts'
import { createLegacyTokenUse } from '../controllers/legacy-token-use.ts'
import { ensureDefaultPolicy } from '../controllers/rbac/default-policy.ts'
import type { ControllerName } from '../controllers/selection.ts'
import { createSelfService } from '../controllers/self-service/self-service.ts'
import type { Machinery } from '../registry/machinery.ts'
import type { Router } from '../registry/router.ts'
import type { ServerOptions } from '../server.ts'
import type { Access } from './access.ts'
import { controllersOf } from './controllers.ts'

interface DutiesParts {
  readonly options: ServerOptions
  readonly machinery: Machinery
  readonly router: Router
  readonly access: Access
  readonly selected: ReadonlySet<ControllerName>
}

interface Duties {
  /** Makes the system's own objects, then `ready`, then the controllers. */
  start(ready: () => void): Promise<void>
  /** Clients look elsewhere from now on. */
  leave(): void
  /** Resolves when nobody has to wait for a lease of this server to run out. */
  close(): Promise<void>
}

export function createDuties({ options, machinery, router, access, selected }: DutiesParts): Duties {
  const { names, identifiers } = machinery
  const isController = options.controllers ?? true
  const bootstrap = createBootstrap(machinery, router, [
    () => (isController ? ensureDefaultPolicy(machinery, router, options.featureGates) : undefined),
    access.ready,
  ])
  access.serviceAccounts?.uses.onSecretUsed(createLegacyTokenUse(machinery, router))
  const selfService = createSelfService(
    { address: options.advertiseAddress, range: options.services.addresses[0] },
    machinery,
    router,
  )
  /** Whoever else does it too. */
  const unelected = [
    createBootstrapObjects(machinery, router),
    createFlowKeeper(machinery, router),
    selfService,
    ...(options.trust === undefined
      ? []
      : [createAuthenticationTrustController(options.trust, machinery, router)]),
  ]
  const elected = isController
    ? createElectedControllers({
        machinery,
        routes: router,
        identity: options.identity ?? `${names.product}-apiserver_${identifiers.uuid()}`,
        controllers: [createDefinitionsController, ...controllersOf({ options, selected, ...access })],
      })
    : undefined
  let bootstrapped = false
  return {
    start: (ready) =>
      bootstrap.run(() => {
        bootstrapped = true
        ready()
        if (isController) for (const controller of unelected) controller.start()
        elected?.start()
      }),
    leave() {
      if (isController && bootstrapped) void selfService.leave()
    },
    async close() {
      bootstrap.close()
      for (const controller of unelected) controller.close()
      await elected?.close()
    },
  }
}
