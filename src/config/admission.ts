/** The admission plugins of one server, built by name and put in their order. */

import type { Clock } from '../../store/contract.ts'
import {
  type Admission,
  type AdmissionObserver,
  type AdmissionPlugin,
  createAdmission,
} from '../admission/admission.ts'
import type { Lookups } from '../admission/lookup.ts'
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
import { createResourceQuota, type ResourceQuotaParts } from '../admission/plugins/resource-quota.ts'
import { createRuntimeClass } from '../admission/plugins/runtime-class.ts'
import { createServiceAccount } from '../admission/plugins/service-account.ts'
import { createStorageObjectInUseProtection } from '../admission/plugins/storage-object-in-use-protection.ts'
import { createTaintNodesByCondition } from '../admission/plugins/taint-nodes-by-condition.ts'
import { createValidatingAdmissionPolicy, type PolicyPluginParts } from '../admission/policies/plugin.ts'
import { policyExpressionCheck } from '../admission/policies/policy-check.ts'
import type { PluginName } from '../admission/selection.ts'
import { webhookConditionCheck } from '../admission/webhooks/condition-check.ts'
import {
  createMutatingWebhooks,
  createValidatingWebhooks,
  type WebhookParts,
} from '../admission/webhooks/plugins.ts'
import type { Authorizer } from '../authz/authorizer.ts'
import type { Names } from '../names/names.ts'
import type { Identifiers } from '../pipeline/identifiers.ts'
import type { Storage } from '../storage/contract.ts'
import type { TypeRegistry } from '../types/resource.ts'

interface AdmissionParts {
  readonly names: Names
  readonly clock: Clock
  readonly identifiers: Identifiers
  readonly types: TypeRegistry
  readonly storage: Storage
  readonly lookups: Lookups
  readonly authorizer: Authorizer
  /** In their order. */
  readonly plugins: readonly PluginName[]
  readonly webhooks: WebhookParts
  readonly policies: PolicyPluginParts
  readonly quotas: Pick<ResourceQuotaParts, 'index' | 'ledger'>
  /** What runs behind them, whatever the administrator chose. */
  readonly always: readonly AdmissionPlugin[]
  readonly observer: AdmissionObserver
}

export function createChain(parts: AdmissionParts): Admission {
  const {
    names,
    clock,
    identifiers,
    types,
    storage,
    lookups,
    authorizer,
    plugins,
    always,
    webhooks,
    policies,
    quotas,
  } = parts
  const namespaces = types.resource('', 'v1', 'namespaces')
  if (namespaces?.storage === undefined) throw new TypeError('the core group serves no namespaces')
  const stored = storage.resource(namespaces.storage)
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
    ResourceQuota: () => createResourceQuota({ names, clock, ...quotas }),
    AlwaysDeny: () => alwaysDeny,
  }
  return createAdmission(
    [
      certificateRequestCheck,
      webhookConditionCheck,
      policyExpressionCheck,
      ...plugins.map((name) => create[name]()),
      ...always,
    ],
    parts.observer,
  )
}
