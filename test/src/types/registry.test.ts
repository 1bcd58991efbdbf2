/** What is served, as one table. */

import t from 'tap'
import { createNames } from '../../../src/names/names.ts'
import { createTypeRegistry } from '../../../src/types/registry.ts'
import type { ResourceType, Subresource } from '../../../src/types/resource.ts'
import { allGates, everything, names, typeOf, types } from './types.ts'

/**
 * Group versions in the order of discovery; under each its resources: plural, kind, scope, then what is not usual.
 * Usual are all verbs, and get, patch and update of a subresource that has the kind of its resource.
 */
const table = `
v1
  bindings Binding namespaced verbs=create
  componentstatuses ComponentStatus cluster short=cs verbs=get,list
  configmaps ConfigMap namespaced short=cm
  endpoints Endpoints namespaced short=ep
  events Event namespaced short=ev
  limitranges LimitRange namespaced short=limits
  namespaces Namespace cluster short=ns verbs=create,delete,get,list,patch,update,watch /finalize:update /status
  nodes Node cluster short=no /proxy:create,delete,get,patch,update=NodeProxyOptions /status
  persistentvolumeclaims PersistentVolumeClaim namespaced short=pvc /status
  persistentvolumes PersistentVolume cluster short=pv /status
  pods Pod namespaced short=po categories=all /attach:create,get=PodAttachOptions /binding:create=Binding /ephemeralcontainers /eviction:create=Eviction /exec:create,get=PodExecOptions /log:get /portforward:create,get=PodPortForwardOptions /proxy:create,delete,get,patch,update=PodProxyOptions /status
  podtemplates PodTemplate namespaced
  replicationcontrollers ReplicationController namespaced short=rc categories=all /scale /status
  resourcequotas ResourceQuota namespaced short=quota /status
  secrets Secret namespaced
  serviceaccounts ServiceAccount namespaced short=sa /token:create=TokenRequest
  services Service namespaced short=svc categories=all /proxy:create,delete,get,patch,update=ServiceProxyOptions /status
apiregistration.{groups}/v1
  apiservices APIService cluster categories=api-extensions /status
apps/v1
  controllerrevisions ControllerRevision namespaced
  daemonsets DaemonSet namespaced short=ds categories=all /status
  deployments Deployment namespaced short=deploy categories=all /scale /status
  replicasets ReplicaSet namespaced short=rs categories=all /scale /status
  statefulsets StatefulSet namespaced short=sts categories=all /scale /status
events.{groups}/v1
  events Event namespaced short=ev
authentication.{groups}/v1
  selfsubjectreviews SelfSubjectReview cluster verbs=create
  tokenreviews TokenReview cluster verbs=create
authentication.{groups}/v1beta1
  selfsubjectreviews SelfSubjectReview cluster verbs=create
authentication.{groups}/v1alpha1
  selfsubjectreviews SelfSubjectReview cluster verbs=create
authorization.{groups}/v1
  localsubjectaccessreviews LocalSubjectAccessReview namespaced verbs=create
  selfsubjectaccessreviews SelfSubjectAccessReview cluster verbs=create
  selfsubjectrulesreviews SelfSubjectRulesReview cluster verbs=create
  subjectaccessreviews SubjectAccessReview cluster verbs=create
autoscaling/v2
  horizontalpodautoscalers HorizontalPodAutoscaler namespaced short=hpa categories=all /status
autoscaling/v1
  horizontalpodautoscalers HorizontalPodAutoscaler namespaced short=hpa categories=all /status
batch/v1
  cronjobs CronJob namespaced short=cj categories=all /status
  jobs Job namespaced categories=all /status
certificates.{groups}/v1
  certificatesigningrequests CertificateSigningRequest cluster short=csr /approval /status
certificates.{groups}/v1alpha1
  clustertrustbundles ClusterTrustBundle cluster
networking.{groups}/v1
  ingressclasses IngressClass cluster
  ingresses Ingress namespaced short=ing /status
  networkpolicies NetworkPolicy namespaced short=netpol
networking.{groups}/v1alpha1
  ipaddresses IPAddress cluster short=ip
  servicecidrs ServiceCIDR cluster /status
policy/v1
  poddisruptionbudgets PodDisruptionBudget namespaced short=pdb /status
rbac.authorization.{groups}/v1
  clusterrolebindings ClusterRoleBinding cluster
  clusterroles ClusterRole cluster
  rolebindings RoleBinding namespaced
  roles Role namespaced
storage.{groups}/v1
  csidrivers CSIDriver cluster
  csinodes CSINode cluster
  csistoragecapacities CSIStorageCapacity namespaced
  storageclasses StorageClass cluster short=sc
  volumeattachments VolumeAttachment cluster /status
storage.{groups}/v1alpha1
  volumeattributesclasses VolumeAttributesClass cluster short=vac
admissionregistration.{groups}/v1
  mutatingwebhookconfigurations MutatingWebhookConfiguration cluster categories=api-extensions
  validatingadmissionpolicies ValidatingAdmissionPolicy cluster categories=api-extensions /status
  validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding cluster categories=api-extensions
  validatingwebhookconfigurations ValidatingWebhookConfiguration cluster categories=api-extensions
admissionregistration.{groups}/v1beta1
  validatingadmissionpolicies ValidatingAdmissionPolicy cluster categories=api-extensions /status
  validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding cluster categories=api-extensions
admissionregistration.{groups}/v1alpha1
  validatingadmissionpolicies ValidatingAdmissionPolicy cluster categories=api-extensions /status
  validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding cluster categories=api-extensions
apiextensions.{groups}/v1
  customresourcedefinitions CustomResourceDefinition cluster short=crd,crds categories=api-extensions /status
scheduling.{groups}/v1
  priorityclasses PriorityClass cluster short=pc
coordination.{groups}/v1
  leases Lease namespaced
node.{groups}/v1
  runtimeclasses RuntimeClass cluster
discovery.{groups}/v1
  endpointslices EndpointSlice namespaced
flowcontrol.apiserver.{groups}/v1
  flowschemas FlowSchema cluster /status
  prioritylevelconfigurations PriorityLevelConfiguration cluster /status
flowcontrol.apiserver.{groups}/v1beta3
  flowschemas FlowSchema cluster /status
  prioritylevelconfigurations PriorityLevelConfiguration cluster /status
internal.apiserver.{groups}/v1alpha1
  storageversions StorageVersion cluster /status
resource.{groups}/v1alpha2
  podschedulingcontexts PodSchedulingContext namespaced /status
  resourceclaimparameters ResourceClaimParameters namespaced
  resourceclaims ResourceClaim namespaced /status
  resourceclaimtemplates ResourceClaimTemplate namespaced
  resourceclasses ResourceClass cluster
  resourceclassparameters ResourceClassParameters namespaced
  resourceslices ResourceSlice cluster
storagemigration.{groups}/v1alpha1
  storageversionmigrations StorageVersionMigration cluster /status
`

const allVerbs = 'create,delete,deletecollection,get,list,patch,update,watch'

function describe(type: ResourceType): string {
  const verbs = [...type.verbs].join(',')
  return [
    type.plural,
    type.kind,
    type.namespaced ? 'namespaced' : 'cluster',
    ...(type.shortNames.length > 0 ? [`short=${type.shortNames.join(',')}`] : []),
    ...(type.categories.length > 0 ? [`categories=${type.categories.join(',')}`] : []),
    ...(verbs === allVerbs ? [] : [`verbs=${verbs}`]),
    ...[...type.subresources.values()].map((subresource) => describeSubresource(type, subresource)),
  ].join(' ')
}

function describeSubresource(type: ResourceType, { name, verbs, kind }: Subresource): string {
  const listed = [...verbs].join(',')
  const usual = listed === 'get,patch,update'
  return `/${name}${usual ? '' : `:${listed}`}${kind.kind === type.kind || name === 'scale' ? '' : `=${kind.kind}`}`
}

t.test('every resource with its names, verbs and subresources', (t) => {
  const lines: string[] = []
  let version = ''
  for (const type of types(everything, allGates).resources) {
    if (type.apiVersion !== version) lines.push(type.apiVersion)
    version = type.apiVersion
    lines.push(`  ${describe(type)}`)
  }
  t.strictSame(lines, names.expand(table).trim().split('\n'))
  t.end()
})

t.test('without settings stable versions are served, and beta ones of old', (t) => {
  const served = types()
  t.strictSame(
    served.groups.map(({ group, versions }) => `${group}: ${versions.join(' ')}`),
    [
      ': v1',
      'apiregistration.k8s.io: v1',
      'apps: v1',
      'events.k8s.io: v1',
      'authentication.k8s.io: v1',
      'authorization.k8s.io: v1',
      'autoscaling: v2 v1',
      'batch: v1',
      'certificates.k8s.io: v1',
      'networking.k8s.io: v1',
      'policy: v1',
      'rbac.authorization.k8s.io: v1',
      'storage.k8s.io: v1',
      'admissionregistration.k8s.io: v1',
      'apiextensions.k8s.io: v1',
      'scheduling.k8s.io: v1',
      'coordination.k8s.io: v1',
      'node.k8s.io: v1',
      'discovery.k8s.io: v1',
      'flowcontrol.apiserver.k8s.io: v1 v1beta3',
    ],
  )
  t.end()
})

t.test('runtime configuration', (t) => {
  const table: [settings: Record<string, boolean>, resource: string, served: boolean][] = [
    [{}, 'networking.k8s.io v1alpha1 ipaddresses', false],
    [{ 'api/alpha': true }, 'networking.k8s.io v1alpha1 ipaddresses', true],
    [{ 'api/beta': true }, 'networking.k8s.io v1alpha1 ipaddresses', false],
    [{ 'api/all': true }, 'networking.k8s.io v1alpha1 ipaddresses', true],
    [{ 'networking.k8s.io/v1alpha1': true }, 'networking.k8s.io v1alpha1 servicecidrs', true],
    [{ 'networking.k8s.io/v1alpha1/ipaddresses': true }, 'networking.k8s.io v1alpha1 ipaddresses', true],
    [{ 'networking.k8s.io/v1alpha1/ipaddresses': true }, 'networking.k8s.io v1alpha1 servicecidrs', false],
    [{ 'apps/v1': false }, 'apps v1 deployments', false],
    [{ 'apps/v1': false, 'apps/v1/deployments': true }, 'apps v1 deployments', true],
    [{ 'apps/v1/deployments': false }, 'apps v1 deployments', false],
    [{ 'apps/v1/deployments': false }, 'apps v1 daemonsets', true],
    [{ 'api/all': false }, 'apps v1 deployments', false],
    [{ 'api/all': false, 'api/ga': true }, 'apps v1 deployments', true],
    [{ 'api/beta': false }, 'flowcontrol.apiserver.k8s.io v1beta3 flowschemas', false],
    [{ 'flowcontrol.apiserver.k8s.io/v1beta3': false }, 'flowcontrol.apiserver.k8s.io v1 flowschemas', true],
    [{ v1: false }, ' v1 pods', false],
    [{ 'api/v1': false }, ' v1 pods', false],
    [{ 'v1/componentstatuses': false }, ' v1 componentstatuses', false],
    [{ 'v1/componentstatuses': false }, ' v1 pods', true],
    [{ 'api/ga': false }, 'apps v1 deployments', false],
    [{ 'api/ga': false }, 'flowcontrol.apiserver.k8s.io v1beta3 flowschemas', true],
    [{ 'api/ga': false, 'apps/v1': true }, 'apps v1 deployments', true],
    [{ 'api/beta': true }, 'authentication.k8s.io v1beta1 selfsubjectreviews', true],
    [{ 'api/beta': true }, 'admissionregistration.k8s.io v1beta1 validatingadmissionpolicies', true],
    [{ 'api/all': true, 'api/beta': false }, 'authentication.k8s.io v1beta1 selfsubjectreviews', false],
    [{ 'api/all': true, 'api/beta': false }, 'networking.k8s.io v1alpha1 ipaddresses', true],
    [{ 'api/all': false, v1: true }, ' v1 pods', true],
    [
      { 'api/all': true, 'networking.k8s.io/v1alpha1': false },
      'networking.k8s.io v1alpha1 ipaddresses',
      false,
    ],
    [{ 'api/alpha': true }, 'certificates.k8s.io v1alpha1 clustertrustbundles', false],
  ]
  for (const [settings, resource, served] of table) {
    const [group = '', version = '', plural = ''] = resource.split(' ')
    const registry = types(new Map(Object.entries(settings)))
    t.equal(
      registry.resource(group, version, plural) !== undefined,
      served,
      `${JSON.stringify(settings)} ${resource}`,
    )
  }
  const gated = types(everything, new Map([['ClusterTrustBundle', true]]))
  t.ok(gated.resource('certificates.k8s.io', 'v1alpha1', 'clustertrustbundles'), 'a gate besides the version')
  t.end()
})

t.test('a setting that means nothing is an error that names it', (t) => {
  for (const key of ['apps/v2', 'nonsense', 'apps/v1/pods', 'apps', 'rbac.authorization.cluster.io/v1']) {
    const created = createTypeRegistry({
      names,
      runtimeConfig: new Map([[key, true]]),
      featureGates: new Map(),
    })
    t.match(created, {
      ok: false,
      failure: { message: `runtime-config: unknown group version or resource "${key}"` },
    })
  }
  t.end()
})

t.test('each dialect has its groups; keys in the store are the same', (t) => {
  const created = createTypeRegistry({
    names: createNames('cluster'),
    runtimeConfig: new Map(),
    featureGates: new Map(),
  })
  if (!created.ok) throw new Error(created.failure.message)
  const own = created.value.resource('rbac.authorization.cluster.io', 'v1', 'roles')
  const other = types().resource('rbac.authorization.k8s.io', 'v1', 'roles')
  t.equal(own?.apiVersion, 'rbac.authorization.cluster.io/v1')
  t.equal(own?.storage?.prefix, 'rbac.authorization/roles')
  t.equal(other?.storage?.prefix, own?.storage?.prefix)
  t.end()
})

t.test('versions of one resource share a place and one stored form', (t) => {
  const registry = types(everything)
  const table: [served: string, kind: string, prefix: string, stored: string][] = [
    ['v1', 'Pod', 'core/pods', 'v1'],
    ['v1', 'Event', 'core/events', 'v1'],
    ['events.k8s.io/v1', 'Event', 'core/events', 'v1'],
    ['autoscaling/v1', 'HorizontalPodAutoscaler', 'autoscaling/horizontalpodautoscalers', 'v2'],
    ['autoscaling/v2', 'HorizontalPodAutoscaler', 'autoscaling/horizontalpodautoscalers', 'v2'],
    ['flowcontrol.apiserver.k8s.io/v1beta3', 'FlowSchema', 'flowcontrol.apiserver/flowschemas', 'v1'],
    [
      'admissionregistration.k8s.io/v1alpha1',
      'ValidatingAdmissionPolicy',
      'admissionregistration/validatingadmissionpolicies',
      'v1',
    ],
    [
      'admissionregistration.k8s.io/v1beta1',
      'ValidatingAdmissionPolicyBinding',
      'admissionregistration/validatingadmissionpolicybindings',
      'v1',
    ],
    ['storage.k8s.io/v1', 'StorageClass', 'storage/storageclasses', 'v1'],
  ]
  for (const [apiVersion, kind, prefix, stored] of table) {
    const type = typeOf(registry, apiVersion, kind)
    t.equal(type.storage?.prefix, prefix)
    t.equal(type.storage?.version.version, stored, `${apiVersion} ${kind}`)
    t.equal(type.isStorageVersion, type.message === type.storageMessage)
  }
  t.equal(
    typeOf(registry, 'authentication.k8s.io/v1', 'TokenReview').storage,
    undefined,
    'reviews are not stored',
  )
  t.equal(typeOf(registry, 'v1', 'ComponentStatus').storage, undefined)
  t.equal(typeOf(registry, 'v1', 'Binding').storage, undefined)
  t.end()
})

t.test('storage version hashes as clients know them', (t) => {
  const registry = types()
  for (const [apiVersion, kind, hash] of [
    ['v1', 'Pod', 'xPOwRZ+Yhw8='],
    ['v1', 'ConfigMap', 'qFsyl6wFWjQ='],
    ['apps/v1', 'Deployment', '8aSe+NMegvE='],
    ['events.k8s.io/v1', 'Event', 'r2yiGXH7wu8='],
    ['autoscaling/v1', 'HorizontalPodAutoscaler', 'qwQve8ut294='],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'jfWCUB31mvA='],
    ['discovery.k8s.io/v1', 'EndpointSlice', 'Nx3SIv6I0mE='],
    ['admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', 'P/h9c6yIbaY='],
    ['flowcontrol.apiserver.k8s.io/v1beta3', 'FlowSchema', 'GJVAJZSZBIw='],
  ] as const) {
    t.equal(typeOf(registry, apiVersion, kind).storageVersionHash, hash, kind)
  }
  t.equal(typeOf(registry, 'v1', 'Binding').storageVersionHash, undefined)
  t.end()
})

t.test('what a type lets its clients do', (t) => {
  const registry = types(everything)
  const kinds = (choose: (type: ResourceType) => boolean): string[] =>
    [
      ...new Set(
        registry.resources
          .filter((type) => type.storage !== undefined && choose(type))
          .map(({ kind }) => kind),
      ),
    ].sort()
  t.strictSame(
    kinds(({ strategy }) => strategy.createOnUpdate),
    [
      'ClusterRole',
      'ClusterRoleBinding',
      'Endpoints',
      'Event',
      'Lease',
      'LimitRange',
      'Role',
      'RoleBinding',
      'RuntimeClass',
      'Service',
    ],
  )
  t.strictSame(
    kinds(({ strategy }) => strategy.nameFormat === 'pathSegment'),
    ['APIService', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  )
  t.strictSame(
    kinds(({ strategy }) => strategy.nameFormat === 'label'),
    ['Namespace', 'Service'],
  )
  t.ok(kinds(({ strategy }) => strategy.generation).includes('Deployment'))
  t.notOk(kinds(({ strategy }) => strategy.generation).includes('Pod'))
  t.notOk(kinds(({ strategy }) => strategy.unconditionalUpdate).includes('Lease'))
  t.ok(kinds(({ strategy }) => strategy.unconditionalUpdate).includes('ConfigMap'))
  t.end()
})
