/** The built-in controllers that this server has and that were asked for. */

import { createBootstrapSigner } from '../controllers/bootstrap-signer.ts'
import type { ControllerFactory } from '../controllers/controller.ts'
import { garbageCollectorOf } from '../controllers/garbage-collector/garbage-collector.ts'
import { createNamespaceController } from '../controllers/namespace-controller.ts'
import { createAggregationController } from '../controllers/rbac/aggregation-controller.ts'
import { createRootCaPublisher } from '../controllers/root-ca-publisher.ts'
import type { ControllerName } from '../controllers/selection.ts'
import { createServiceAccountController } from '../controllers/service-account-controller.ts'
import { createServiceAccountTokens } from '../controllers/service-account-tokens.ts'
import { createTokenCleaner } from '../controllers/token-cleaner.ts'
import type { ServerOptions } from '../server.ts'
import type { ServiceAccounts } from './service-accounts.ts'

export interface ControllerParts {
  readonly options: ServerOptions
  readonly selected: ReadonlySet<ControllerName>
  readonly serviceAccounts: ServiceAccounts | undefined
}

/** Those that want what this server was not given (a CA, a key) are left out. */
export function controllersOf({
  options,
  selected,
  serviceAccounts,
}: ControllerParts): readonly ControllerFactory[] {
  const { rootCa } = options
  const all: readonly (readonly [ControllerName, ControllerFactory | undefined])[] = [
    ['namespace', createNamespaceController],
    ['clusterrole-aggregation', createAggregationController],
    ['serviceaccount', createServiceAccountController],
    ['garbagecollector', garbageCollectorOf(options.store)],
    ['root-ca-cert-publisher', rootCa === undefined ? undefined : createRootCaPublisher(rootCa)],
    [
      'serviceaccount-token',
      rootCa === undefined || serviceAccounts === undefined
        ? undefined
        : createServiceAccountTokens({ sign: serviceAccounts.signLegacy, rootCa }),
    ],
    ['bootstrapsigner', createBootstrapSigner],
    ['tokencleaner', createTokenCleaner],
  ]
  return all.flatMap(([name, create]) => (create !== undefined && selected.has(name) ? [create] : []))
}
