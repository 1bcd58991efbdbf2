/** The objects that make up the service of the API servers. */

import type { JsonObject, JsonValue } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import type { ApiObject } from '../../types/object.ts'
import { itemsIn, specOf } from '../../types/validation/read.ts'
import type { ServerAddress } from './server-lease.ts'

export interface Described {
  readonly group: string
  readonly plural: string
  /** Without apiVersion and kind: for when there is none. */
  readonly object: JsonObject & { readonly metadata: Metadata }
  /** What is there, as it should be; undefined = it is. */
  settled(object: ApiObject): ApiObject | undefined
}

type Metadata = {
  readonly namespace: string
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
}

interface Self {
  readonly clusterIP: string | undefined
  /** IP addresses. */
  readonly servers: readonly ServerAddress[]
}

const servicePort = 443

export function describeSelf(names: Names, { clusterIP, servers }: Self): readonly Described[] {
  const metadata = { namespace: 'default', name: names.product }
  const sorted = [...servers].sort((a, b) => (a.host < b.host ? -1 : a.host > b.host ? 1 : a.port - b.port))
  const targetPort = sorted[0]?.port
  return [
    serviceOf(
      { ...metadata, labels: { component: 'apiserver', provider: names.product } },
      clusterIP,
      targetPort,
    ),
    ...(sorted.length === 0 ? [] : [endpointsOf(names, metadata, sorted), sliceOf(names, metadata, sorted)]),
  ]
}

function serviceOf(metadata: Metadata, clusterIP: string | undefined, target: number | undefined): Described {
  const port = {
    name: 'https',
    protocol: 'TCP',
    port: servicePort,
    ...(target === undefined ? {} : { targetPort: target }),
  }
  const spec = {
    type: 'ClusterIP',
    sessionAffinity: 'None',
    ports: [port],
    ...(clusterIP === undefined ? {} : { clusterIP, clusterIPs: [clusterIP] }),
  }
  return {
    group: '',
    plural: 'services',
    object: { metadata, spec },
    settled(service) {
      const [first, ...rest] = itemsIn(specOf(service), 'ports')
      const isRight =
        rest.length === 0 &&
        first?.['port'] === servicePort &&
        first['name'] === port.name &&
        (target === undefined || first['targetPort'] === target)
      return isRight ? undefined : { ...service, spec: { ...specOf(service), ports: [port] } }
    },
  }
}

function endpointsOf(names: Names, metadata: Metadata, servers: readonly ServerAddress[]): Described {
  const labels = { [names.expand('endpointslice.{labels}/skip-mirror')]: 'true' }
  const subsets = [...groupByPort(servers)].map(([port, hosts]) => ({
    addresses: hosts.map((ip) => ({ ip })),
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  }))
  return {
    group: '',
    plural: 'endpoints',
    object: { metadata: { ...metadata, labels }, subsets },
    settled: settledBy(labels, { subsets }),
  }
}

/** Slices hold one family and one set of ports: those of the first server, as all of a cluster usually have. */
function sliceOf(names: Names, metadata: Metadata, servers: readonly ServerAddress[]): Described {
  const [first] = servers
  const isV6 = first?.host.includes(':') === true
  const inside = servers.filter(({ host, port }) => port === first?.port && host.includes(':') === isV6)
  const labels = { [names.expand('{labels}/service-name')]: metadata.name }
  const parts = {
    endpoints: inside.map(({ host }) => ({ addresses: [host], conditions: { ready: true } })),
    ports: [{ name: 'https', protocol: 'TCP', port: first?.port ?? 0 }],
  }
  return {
    group: names.expand('discovery.{groups}'),
    plural: 'endpointslices',
    object: { metadata: { ...metadata, labels }, addressType: isV6 ? 'IPv6' : 'IPv4', ...parts },
    settled: settledBy(labels, parts),
  }
}

function groupByPort(servers: readonly ServerAddress[]): ReadonlyMap<number, readonly string[]> {
  const hosts = new Map<number, string[]>()
  for (const { host, port } of servers) hosts.set(port, [...(hosts.get(port) ?? []), host])
  return hosts
}

/** Sets these members, and the labels beside those that are there. */
function settledBy(labels: Record<string, string>, members: Readonly<Record<string, JsonValue>>) {
  return (object: ApiObject): ApiObject | undefined => {
    const hasLabels = Object.entries(labels).every(
      ([name, value]) => object.metadata.labels?.[name] === value,
    )
    const hasMembers = Object.entries(members).every(
      ([name, value]) => JSON.stringify(object[name]) === JSON.stringify(value),
    )
    if (hasLabels && hasMembers) return undefined
    const metadata = { ...object.metadata, labels: { ...object.metadata.labels, ...labels } }
    return { ...object, metadata, ...members }
  }
}
