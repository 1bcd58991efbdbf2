/** The admission plugins of one server, built by name and put in their order. */

import type { Clock } from '../../store/contract.ts'
import { type Admission, type AdmissionPlugin, createAdmission } from '../admission/admission.ts'
import { createLookups } from '../admission/lookup.ts'
import { AdmissionMetrics } from '../admission/metrics.ts'
import { createNamespaceLifecycle } from '../admission/namespace-lifecycle.ts'
import { alwaysAdmit, alwaysDeny } from '../admission/plugins/always.ts'
import { alwaysPullImages } from '../admission/plugins/always-pull-images.ts'
import { certificateRequestCheck } from '../admission/plugins/certificate-request-check.ts'
import { createCertificateSubjectRestriction } from '../admission/plugins/certificate-subject-restriction.ts'
import {
  createCertificateApproval,
  createCertificateSigning,
  createClusterTrustBundleAttest,
} from '../admission/plugins/certificates.ts'
import { createDefaultIngressClass, createDefaultStorageClass } from '../admission/plugins/default-class.ts'
import { createDefaultTolerationSeconds } from '../admission/plugins/default-toleration-seconds.ts'
import { createLimitRanger } from '../admission/plugins/limit-ranger.ts'
import { createNodeRestriction } from '../admission/plugins/node-restriction.ts'
import { createOwnerReferencesPermissionEnforcement } from '../admission/plugins/owner-references-permission-enforcement.ts'
import { createPersistentVolumeClaimResize } from '../admission/plugins/persistent-volume-claim-resize.ts'
import { createPodSecurity } from '../admission/plugins/pod-security.ts'
import { createPriority } from '../admission/plugins/priority.ts'
import { createResourceQuota, type QuotaLedger } from '../admission/plugins/resource-quota.ts'
import { createRuntimeClass } from '../admission/plugins/runtime-class.ts'
import { createServiceAccount } from '../admission/plugins/service-account.ts'
import { createStorageObjectInUseProtection } from '../admission/plugins/storage-object-in-use-protection.ts'
import { createTaintNodesByCondition } from '../admission/plugins/taint-nodes-by-condition.ts'
import { createValidatingAdmissionPolicy } from '../admission/policies/plugin.ts'
import { policyExpressionCheck } from '../admission/policies/policy-check.ts'
import type { PluginName } from '../admission/selection.ts'
import { webhookConditionCheck } from '../admission/webhooks/condition-check.ts'
import { createMutatingWebhooks, createValidatingWebhooks } from '../admission/webhooks/plugins.ts'
import type { Authorizer } from '../authz/authorizer.ts'
import type { Names } from '../names/names.ts'
import type { Log } from '../observe/log.ts'
import type { Outside } from '../outside/outside.ts'
import type { Identifiers } from '../pipeline/identifiers.ts'
import { createQuotaIndex, type QuotaIndex } from '../quota/quota-index.ts'
import type { ObjectSchema } from '../registry/machinery.ts'
import type { Storage } from '../storage/contract.ts'
import type { TypeRegistry } from '../types/resource.ts'
import { createPolicies } from './policies.ts'
import { createWebhooks } from './webhooks.ts'

interface AdmissionParts {
  readonly names: Names
  readonly clock: Clock
  readonly log: Log
  readonly identifiers: Identifiers
  readonly types: TypeRegistry
  readonly storage: Storage
  readonly schema: ObjectSchema
  readonly authorizer: Authorizer
  readonly outside: () => Promise<Outside>
  readonly ledger: QuotaLedger
  /** In their order. */
  readonly plugins: readonly PluginName[]
  /** What runs behind them, whatever the administrator chose. */
  readonly always: readonly AdmissionPlugin[]
}

/** What admission follows through the API runs between `start` and `close`: only for plugins that are on. */
interface RunningAdmission {
  readonly admission: Admission
  metricsText(): string
  start(): void
  close(): void
}

export function createChain(parts: AdmissionParts): RunningAdmission {
  const { names, clock, identifiers, types, storage, authorizer, plugins, always } = parts
  const namespaces = types.resource('', 'v1', 'namespaces')
  if (namespaces?.storage === undefined) throw new TypeError('the core group serves no namespaces')
  const stored = storage.resource(namespaces.storage)
  const lookups = createLookups(types, storage)
  const metrics = new AdmissionMetrics(() => clock.monotonicMs())
  const webhooks = createWebhooks({ ...parts, lookups })
  const policies = createPolicies({ ...parts, lookups })
  const quotas = createQuotas(parts)
  const create: Readonly<Record<PluginName, () => AdmissionPlugin>> = {
    AlwaysAdmit: () => alwaysAdmit,
    NamespaceLifecycle: () => createNamespaceLifecycle(names, stored, clock),
    LimitRanger: () => createLimitRanger({ names, lookups, clock }),
    ServiceAccount: () => createServiceAccount({ names, lookups, clock, identifiers }),
    NodeRestriction: () => createNodeRestriction(names, lookups),
    TaintNodesByCondition: () => createTaintNodesByCondition(names),
    AlwaysPullImages: () => alwaysPullImages,
    PodSecurity: () => createPodSecurity(names, lookups),
    Priority: () => createPriority(lookups),
    DefaultTolerationSeconds: () => createDefaultTolerationSeconds(names),
    DefaultStorageClass: () => createDefaultStorageClass(names, lookups),
    StorageObjectInUseProtection: () => createStorageObjectInUseProtection(names),
    OwnerReferencesPermissionEnforcement: () => createOwnerReferencesPermissionEnforcement(types, authorizer),
    PersistentVolumeClaimResize: () => createPersistentVolumeClaimResize(names, lookups),
    RuntimeClass: () => createRuntimeClass(lookups),
    CertificateApproval: () => createCertificateApproval(names, authorizer),
    CertificateSigning: () => createCertificateSigning(names, authorizer),
    ClusterTrustBundleAttest: () => createClusterTrustBundleAttest(names, authorizer),
    CertificateSubjectRestriction: () => createCertificateSubjectRestriction(names),
    DefaultIngressClass: () => createDefaultIngressClass(names, lookups),
    MutatingAdmissionWebhook: () => createMutatingWebhooks(webhooks),
    ValidatingAdmissionPolicy: () => createValidatingAdmissionPolicy(policies),
    ValidatingAdmissionWebhook: () => createValidatingWebhooks(webhooks),
    ResourceQuota: () => createResourceQuota({ ...parts, index: quotas }),
    AlwaysDeny: () => alwaysDeny,
  }
  const admission = createAdmission(
    [
      certificateRequestCheck,
      webhookConditionCheck,
      policyExpressionCheck,
      ...plugins.map((name) => create[name]()),
      ...always,
    ],
    metrics,
  )
  const isOn = (...any: readonly PluginName[]): boolean => any.some((name) => plugins.includes(name))
  const followed = [
    ...(isOn('MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook') ? [webhooks] : []),
    ...(isOn('ValidatingAdmissionPolicy') ? [policies] : []),
    ...(isOn('ResourceQuota') && quotas !== undefined ? [quotas] : []),
  ]
  return {
    admission,
    metricsText: () => metrics.text() + webhooks.metricsText() + policies.metricsText(),
    start() {
      for (const one of followed) one.start()
    },
    close() {
      for (const one of followed) one.close()
    },
  }
}

/** Undefined = quotas are not served. */
function createQuotas({ types, storage, clock, log }: AdmissionParts): QuotaIndex | undefined {
  const identity = types.resource('', 'v1', 'resourcequotas')?.storage
  return identity === undefined
    ? undefined
    : createQuotaIndex({ storage: storage.resource(identity), clock, log })
}
