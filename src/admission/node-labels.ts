/** Labels that a node may give itself: none of the system's, but those that it has always set. Pure. */

import type { Names } from '../names/names.ts'

type Labels = Readonly<Record<string, string>>

/** Names of labels that differ and that a node may not touch, sorted. */
export function forbiddenNodeLabels(labels: Labels, old: Labels, names: Names): readonly string[] {
  const changed = [...new Set([...Object.keys(labels), ...Object.keys(old)])].filter(
    (key) => labels[key] !== old[key],
  )
  const restricted = names.expand('node-restriction.{labels}')
  const own: ReadonlySet<string> = new Set(ownLabels.map(names.expand))
  const ownDomains = ownLabelDomains.map(names.expand)
  const systemDomains = [names.labelDomain, names.groupDomain]
  return changed
    .filter((key) => {
      const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : ''
      if (isWithin(domain, restricted)) return true
      const isSystem = systemDomains.some((one) => isWithin(domain, one))
      return isSystem && !own.has(key) && !ownDomains.some((one) => isWithin(domain, one))
    })
    .sort()
}

const ownLabels = [
  '{labels}/hostname',
  '{labels}/os',
  '{labels}/arch',
  'topology.{labels}/zone',
  'topology.{labels}/region',
  'failure-domain.beta.{labels}/zone',
  'failure-domain.beta.{labels}/region',
  'node.{labels}/instance-type',
  'beta.{labels}/instance-type',
  'beta.{labels}/os',
  'beta.{labels}/arch',
  'node.{labels}/windows-build',
]

const ownLabelDomains = ['kubelet.{labels}', 'node.{labels}']

/** The domain itself, or one below it. */
function isWithin(domain: string, of: string): boolean {
  return domain === of || domain.endsWith(`.${of}`)
}
