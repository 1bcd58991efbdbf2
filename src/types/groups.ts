/** The groups in the order of discovery: what comes first wins when a client asks for a kind without a group. */
export const groupOrder: readonly string[] = [
  '',
  'apiregistration.{groups}',
  'apps',
  'events.{groups}',
  'authentication.{groups}',
  'authorization.{groups}',
  'autoscaling',
  'batch',
  'certificates.{groups}',
  'networking.{groups}',
  'policy',
  'rbac.authorization.{groups}',
  'storage.{groups}',
  'admissionregistration.{groups}',
  'apiextensions.{groups}',
  'scheduling.{groups}',
  'coordination.{groups}',
  'node.{groups}',
  'discovery.{groups}',
  'flowcontrol.apiserver.{groups}',
  'internal.apiserver.{groups}',
  'resource.{groups}',
  'storagemigration.{groups}',
]

const versionForm = /^v(\d+)(?:(alpha|beta)(\d+))?$/

/** Stability first, then numbers, the newest first: v2, v1, v1beta3, v1beta1, v1alpha2. Negative: `a` comes first. */
export function compareVersions(a: string, b: string): number {
  const [majorA, stabilityA, minorA] = parts(a)
  const [majorB, stabilityB, minorB] = parts(b)
  return stabilityB - stabilityA || majorB - majorA || minorB - minorA || (a < b ? -1 : a > b ? 1 : 0)
}

function parts(version: string): [number, number, number] {
  const match = versionForm.exec(version)
  if (match === null) return [0, 0, 0]
  const [, major, stability, minor] = match
  return [Number(major), stability === undefined ? 3 : stability === 'beta' ? 2 : 1, Number(minor ?? 0)]
}
