/**
 * Which versions of resources are on their way out, and which have gone: what clients are warned of, and told when they ask
 * for what is no longer served.
 *
 * Source: specification, "Deprecation rules", "Removed API versions by release".
 */

import type { Names } from '../names/names.ts'

export interface Deprecation {
  /** Text of the `Warning` header. */
  readonly warning: string
  /** `1.32`; '' = no release is set. */
  readonly removedRelease: string
}

export interface Lifecycle {
  deprecation(group: string, version: string, kind: string): Deprecation | undefined
  /** What became of a version of a resource; of all resources of the version with ''. Undefined = it was never served. */
  removal(group: string, version: string, plural: string): string | undefined
}

/** Of what is served; releases are minor versions. */
interface DeprecatedKinds {
  readonly group: string
  readonly version: string
  readonly kinds: string
  readonly since: number
  readonly removed?: number
  /** Version of the same group. */
  readonly use?: string
}

const deprecatedKinds: readonly DeprecatedKinds[] = [
  { group: '', version: 'v1', kinds: 'ComponentStatus', since: 19 },
  {
    group: 'flowcontrol.apiserver.{groups}',
    version: 'v1beta3',
    kinds: 'FlowSchema PriorityLevelConfiguration',
    since: 29,
    removed: 32,
    use: 'v1',
  },
  {
    group: 'authentication.{groups}',
    version: 'v1alpha1',
    kinds: 'SelfSubjectReview',
    since: 29,
    removed: 32,
  },
  {
    group: 'authentication.{groups}',
    version: 'v1beta1',
    kinds: 'SelfSubjectReview',
    since: 30,
    removed: 33,
  },
  {
    group: 'certificates.{groups}',
    version: 'v1alpha1',
    kinds: 'ClusterTrustBundle',
    since: 29,
    removed: 32,
  },
  {
    group: 'networking.{groups}',
    version: 'v1alpha1',
    kinds: 'IPAddress ServiceCIDR',
    since: 30,
    removed: 33,
  },
]

/** No longer served: group version, plurals, release, group version to use instead ('' = nothing took its place). */
type Removed = readonly [from: string, plurals: string, release: number, use: string]

const flowcontrol = 'flowcontrol.apiserver.{groups}'

const removed: readonly Removed[] = [
  [`${flowcontrol}/v1beta2`, 'flowschemas prioritylevelconfigurations', 29, `${flowcontrol}/v1`],
  [`${flowcontrol}/v1beta1`, 'flowschemas prioritylevelconfigurations', 26, `${flowcontrol}/v1`],
  ['storage.{groups}/v1beta1', 'csistoragecapacities', 27, 'storage.{groups}/v1'],
  ['autoscaling/v2beta2', 'horizontalpodautoscalers', 26, 'autoscaling/v2'],
  ['autoscaling/v2beta1', 'horizontalpodautoscalers', 25, 'autoscaling/v2'],
  ['batch/v1beta1', 'cronjobs', 25, 'batch/v1'],
  ['discovery.{groups}/v1beta1', 'endpointslices', 25, 'discovery.{groups}/v1'],
  ['events.{groups}/v1beta1', 'events', 25, 'events.{groups}/v1'],
  ['policy/v1beta1', 'poddisruptionbudgets', 25, 'policy/v1'],
  ['policy/v1beta1', 'podsecuritypolicies', 25, ''],
  ['node.{groups}/v1beta1', 'runtimeclasses', 25, 'node.{groups}/v1'],
  [
    'admissionregistration.{groups}/v1beta1',
    'mutatingwebhookconfigurations validatingwebhookconfigurations',
    22,
    'admissionregistration.{groups}/v1',
  ],
  ['apiextensions.{groups}/v1beta1', 'customresourcedefinitions', 22, 'apiextensions.{groups}/v1'],
  ['apiregistration.{groups}/v1beta1', 'apiservices', 22, 'apiregistration.{groups}/v1'],
  ['authentication.{groups}/v1beta1', 'tokenreviews', 22, 'authentication.{groups}/v1'],
  [
    'authorization.{groups}/v1beta1',
    'localsubjectaccessreviews selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews',
    22,
    'authorization.{groups}/v1',
  ],
  ['certificates.{groups}/v1beta1', 'certificatesigningrequests', 22, 'certificates.{groups}/v1'],
  ['coordination.{groups}/v1beta1', 'leases', 22, 'coordination.{groups}/v1'],
  ['extensions/v1beta1', 'ingresses', 22, 'networking.{groups}/v1'],
  ['networking.{groups}/v1beta1', 'ingresses ingressclasses', 22, 'networking.{groups}/v1'],
  [
    'rbac.authorization.{groups}/v1beta1',
    'clusterrolebindings clusterroles rolebindings roles',
    22,
    'rbac.authorization.{groups}/v1',
  ],
  ['scheduling.{groups}/v1beta1', 'priorityclasses', 22, 'scheduling.{groups}/v1'],
  [
    'storage.{groups}/v1beta1',
    'csidrivers csinodes storageclasses volumeattachments',
    22,
    'storage.{groups}/v1',
  ],
  ['extensions/v1beta1', 'networkpolicies', 16, 'networking.{groups}/v1'],
  ['extensions/v1beta1', 'daemonsets deployments replicasets', 16, 'apps/v1'],
  ['extensions/v1beta1', 'podsecuritypolicies', 16, ''],
  ['apps/v1beta2', 'daemonsets deployments replicasets statefulsets', 16, 'apps/v1'],
  ['apps/v1beta1', 'deployments statefulsets', 16, 'apps/v1'],
]

export function createLifecycle({ expand }: Names): Lifecycle {
  const deprecations = new Map<string, Deprecation>()
  for (const row of deprecatedKinds) {
    const group = expand(row.group)
    for (const kind of row.kinds.split(' '))
      deprecations.set(`${group}/${row.version}/${kind}`, deprecationOf({ ...row, group }, kind))
  }
  const gone = removed.map(([from, plurals, release, use]) => ({
    from: expand(from),
    plurals: new Set(plurals.split(' ')),
    release,
    use: expand(use),
  }))
  return {
    deprecation: (group, version, kind) => deprecations.get(`${group}/${version}/${kind}`),
    removal(group, version, plural) {
      const asked = `${group}/${version}`
      const rows = gone.filter(
        ({ from, plurals }) => from === asked && (plural === '' || plurals.has(plural)),
      )
      const [first] = rows
      if (first === undefined) return undefined
      const what = plural === '' ? `${group}/${version}` : `${plural} of ${group}/${version}`
      const since = Math.max(...rows.map(({ release }) => release))
      const instead = [...new Set(rows.map(({ use }) => use))].filter((use) => use !== '')
      const advice = instead.length === 0 ? 'nothing took their place' : `use ${instead.join(', ')}`
      return `${what} ${plural === '' ? 'is' : 'are'} no longer served since v1.${since}; ${advice}`
    },
  }
}

/** The words that clients of this API know. */
function deprecationOf({ group, version, since, removed, use }: DeprecatedKinds, kind: string): Deprecation {
  const named = (one: string): string => `${group === '' ? one : `${group}/${one}`} ${kind}`
  const end = removed === undefined ? '' : `, unavailable in v1.${removed}+`
  const instead = use === undefined ? '' : `; use ${named(use)}`
  return {
    warning: `${named(version)} is deprecated in v1.${since}+${end}${instead}`,
    removedRelease: removed === undefined ? '' : `1.${removed}`,
  }
}
