/**
 * Which plugins run: those that are on by default, and what `--enable-admission-plugins` and
 * `--disable-admission-plugins` make of them. Pure.
 *
 * Source: specification, "What the service does", 5 and 6.
 */

import { fail, ok, type Result } from '../../store/contract.ts'

/** All there are, in the order in which they run. */
export const pluginNames = [
  'AlwaysAdmit',
  'NamespaceLifecycle',
  'LimitRanger',
  'ServiceAccount',
  'NodeRestriction',
  'TaintNodesByCondition',
  'AlwaysPullImages',
  'PodSecurity',
  'Priority',
  'DefaultTolerationSeconds',
  'DefaultStorageClass',
  'StorageObjectInUseProtection',
  'OwnerReferencesPermissionEnforcement',
  'PersistentVolumeClaimResize',
  'RuntimeClass',
  'CertificateApproval',
  'CertificateSigning',
  'ClusterTrustBundleAttest',
  'CertificateSubjectRestriction',
  'DefaultIngressClass',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
  'AlwaysDeny',
] as const

export type PluginName = (typeof pluginNames)[number]

const offByDefault: ReadonlySet<string> = new Set([
  'AlwaysAdmit',
  'AlwaysPullImages',
  'OwnerReferencesPermissionEnforcement',
  'NodeRestriction',
  'AlwaysDeny',
])

/** As the flags give them. */
export interface PluginChoice {
  readonly enable?: readonly string[]
  readonly disable?: readonly string[]
}

/** In their order. The failure is a sentence for the administrator. */
export function selectPlugins({
  enable = [],
  disable = [],
}: PluginChoice): Result<readonly PluginName[], string> {
  const all: ReadonlySet<string> = new Set(pluginNames)
  for (const [flag, given] of [
    ['enable', enable],
    ['disable', disable],
  ] as const) {
    const unknown = given.find((name) => !all.has(name))
    if (unknown !== undefined) {
      return fail(
        `--${flag}-admission-plugins: the plugin ${JSON.stringify(unknown)} is unknown; there are ${pluginNames.join(', ')}`,
      )
    }
  }
  const both = enable.filter((name) => disable.includes(name))
  if (both.length > 0)
    return fail(`${both.join(', ')} is in both --enable-admission-plugins and --disable-admission-plugins`)
  return ok(
    pluginNames.filter(
      (name) => enable.includes(name) || !(offByDefault.has(name) || disable.includes(name)),
    ),
  )
}
