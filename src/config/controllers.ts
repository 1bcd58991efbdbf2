/** The built-in controllers that this server has and that were asked for. */

import type { Authorizer } from '../authz/authorizer.ts'
import { createBootstrapSigner } from '../controllers/bootstrap-signer.ts'
import type { ControllerFactory } from '../controllers/controller.ts'
import { createCsrApproving } from '../controllers/csr-approving.ts'
import { createCsrCleaner } from '../controllers/csr-cleaner.ts'
import { createCsrSigning } from '../controllers/csr-signing.ts'
import { garbageCollectorOf } from '../controllers/garbage-collector/garbage-collector.ts'
import { createLegacyTokenCleaner } from '../controllers/legacy-token-cleaner.ts'
import { createNamespaceController } from '../controllers/namespace-controller.ts'
import { createPolicyStatusController } from '../controllers/policy-status.ts'
import { createAggregationController } from '../controllers/rbac/aggregation-controller.ts'
import { createResourceQuotaController } from '../controllers/resource-quota.ts'
import { createRootCaPublisher } from '../controllers/root-ca-publisher.ts'
import type { ControllerName } from '../controllers/selection.ts'
import { createServiceAccountController } from '../controllers/service-account-controller.ts'
import { createServiceAccountTokens } from '../controllers/service-account-tokens.ts'
import { createTokenCleaner } from '../controllers/token-cleaner.ts'
import type { ServerOptions } from '../server.ts'
import type { ServiceAccounts } from './service-accounts.ts'

interface ControllerParts {
  readonly options: ServerOptions
  readonly selected: ReadonlySet<ControllerName>
  readonly serviceAccounts: ServiceAccounts | undefined
  readonly authorizer: Authorizer
}

const yearMs = 365 * 86_400_000

/** Those that want what this server was not given (a CA, a key) are left out. */
export function controllersOf({
  options,
  selected,
  serviceAccounts,
  authorizer,
}: ControllerParts): readonly ControllerFactory[] {
  const { rootCa, clusterSigning, randomBytes } = options
  const all: readonly (readonly [ControllerName, ControllerFactory | undefined])[] = [
    ['namespace', createNamespaceController],
    ['clusterrole-aggregation', createAggregationController],
    ['serviceaccount', createServiceAccountController],
    ['resourcequota', createResourceQuotaController],
    ['garbagecollector', garbageCollectorOf(options.store)],
    ['root-ca-cert-publisher', rootCa === undefined ? undefined : createRootCaPublisher(rootCa)],
    [
      'serviceaccount-token',
      rootCa === undefined || serviceAccounts === undefined
        ? undefined
        : createServiceAccountTokens({ sign: serviceAccounts.signLegacy, rootCa }),
    ],
    ['csrsigning', clusterSigning === undefined ? undefined : createCsrSigning(clusterSigning, randomBytes)],
    ['csrapproving', createCsrApproving(authorizer)],
    ['csrcleaner', createCsrCleaner],
    ['legacy-service-account-token-cleaner', createLegacyTokenCleaner(options.legacyTokenIdleMs ?? yearMs)],
    ['bootstrapsigner', createBootstrapSigner],
    ['tokencleaner', createTokenCleaner],
    ['validatingadmissionpolicy-status', createPolicyStatusController],
  ]
  return all.flatMap(([name, create]) => (create !== undefined && selected.has(name) ? [create] : []))
}
