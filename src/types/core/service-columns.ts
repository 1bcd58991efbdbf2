/** Columns of services and of their endpoints. */

import type { JsonObject } from '../../json.ts'
import { ageColumn, firstOf, loadBalancerAddresses, nameColumn } from '../columns/common.ts'
import { labelsText } from '../columns/labels.ts'
import { numberAt, objectsAt, textAt, textOr, textsAt } from '../columns/read.ts'
import { type Row, type TableColumns, tableOf, text, wide } from '../columns/table.ts'

function externalAddresses({ spec, status }: Row): string {
  const external = textsAt(spec, 'externalIPs')
  switch (textAt(spec, 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return textOr(external.join(','), '<none>')
    case 'LoadBalancer':
      return textOr([...loadBalancerAddresses(status), ...external].join(','), '<pending>')
    case 'ExternalName':
      return textAt(spec, 'externalName')
    default:
      return '<unknown>'
  }
}

function portText(port: JsonObject): string {
  const nodePort = numberAt(port, 'nodePort')
  const numbers = nodePort > 0 ? `${numberAt(port, 'port')}:${nodePort}` : `${numberAt(port, 'port')}`
  return `${numbers}/${textAt(port, 'protocol')}`
}

export const serviceColumns: TableColumns = tableOf([
  nameColumn,
  text('Type', 'How the service is reached.', ({ spec }) => textAt(spec, 'type')),
  text(
    'Cluster-IP',
    'First address within the cluster.',
    ({ spec }) => textsAt(spec, 'clusterIPs')[0] ?? '<none>',
  ),
  text('External-IP', 'Addresses seen from outside.', externalAddresses),
  text('Port(s)', 'Ports of the service, and of the nodes for it.', ({ spec }) =>
    textOr(objectsAt(spec, 'ports').map(portText).join(','), '<none>'),
  ),
  ageColumn,
  wide(text('Selector', 'Labels of the pods behind it.', ({ spec }) => labelsText(spec['selector']))),
])

const endpointsShownMax = 3

/** A subset without ports has bare addresses: a service that is only a name. */
function endpointTexts(subset: JsonObject): readonly string[] {
  const addresses = objectsAt(subset, 'addresses').map((address) => textAt(address, 'ip'))
  const ports = objectsAt(subset, 'ports').map((port) => numberAt(port, 'port'))
  if (ports.length === 0) return addresses
  return ports.flatMap((port) =>
    addresses.map((ip) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
  )
}

export const endpointsColumns: TableColumns = tableOf([
  nameColumn,
  text('Endpoints', 'Addresses and ports that are ready.', ({ object }) => {
    const subsets = objectsAt(object, 'subsets')
    if (subsets.length === 0) return '<none>'
    const all = subsets.flatMap(endpointTexts)
    return firstOf(all, endpointsShownMax, all.length, ',')
  }),
  ageColumn,
])
