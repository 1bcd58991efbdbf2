/** The flags that make a server a member of a cluster: complete, without contradiction, and safe. */

import { isLoopback, type PeerAddress, parseAddress, parseInitialCluster } from '../../store/peers/address.ts'
import type { FlagName, FlagValues } from './table.ts'

export interface ReplicationConfig {
  readonly name: string
  readonly initialCluster: string
  readonly initialClusterState: 'new' | 'existing'
  readonly listenAddress: string | undefined
  /** undefined: plaintext, on the loopback alone. */
  readonly peerFiles: PeerFiles | undefined
}

export interface PeerFiles {
  readonly certificate: string
  readonly privateKey: string
  readonly trustedCa: string
}

const peerFileFlags = ['peer-cert-file', 'peer-key-file', 'peer-trusted-ca-file'] as const
const groupFlags: readonly FlagName[] = ['name', 'peer-bind-address', ...peerFileFlags]
/** What all nodes of a cluster must agree on, or one client could not use them all. */
const sharedFlags = ['tls-cert-file', 'client-ca-file', 'service-account-signing-key-file'] as const

/** Only of values without contradiction. */
export function replicationConfig(values: FlagValues): ReplicationConfig | undefined {
  const { name, 'initial-cluster': initialCluster, 'initial-cluster-state': state } = values
  if (name === undefined || initialCluster === undefined) return undefined
  return {
    name,
    initialCluster,
    initialClusterState: state ?? 'new',
    listenAddress: values['peer-bind-address'],
    peerFiles: peerFiles(values),
  }
}

/** Where the member listens for the others; undefined for addresses that make no sense. */
export function peerListenAddress({
  name,
  initialCluster,
  listenAddress,
}: ReplicationConfig): PeerAddress | undefined {
  const cluster = parseInitialCluster(initialCluster)
  const own = cluster.ok ? cluster.value.find((member) => member.name === name)?.address : undefined
  const address = parseAddress(listenAddress ?? own ?? '')
  return address.ok ? address.value : undefined
}

function peerFiles(values: FlagValues): PeerFiles | undefined {
  const [certificate, privateKey, trustedCa] = peerFileFlags.map((flag) => values[flag])
  if (certificate === undefined || privateKey === undefined || trustedCa === undefined) return undefined
  return { certificate, privateKey, trustedCa }
}

/** A sentence that names what was found and what is expected. */
export function clusterContradiction(values: FlagValues): string | undefined {
  const { 'initial-cluster': initialCluster, name } = values
  if (initialCluster === undefined) {
    const given = groupFlags.find((flag) => values[flag] !== undefined)
    if (given !== undefined)
      return `--${given} needs --initial-cluster: the members, as a=host:port,b=host:port`
    return values['initial-cluster-state'] === 'existing'
      ? '--initial-cluster-state existing needs --initial-cluster: the members, as a=host:port,b=host:port'
      : undefined
  }
  const cluster = parseInitialCluster(initialCluster)
  if (!cluster.ok) return `--initial-cluster: ${cluster.failure}`
  const members = cluster.value
  const names = members.map((member) => member.name).join(', ')
  if (name === undefined) return `--initial-cluster needs --name: which of ${names} this server is`
  if (members.every((member) => member.name !== name)) {
    return `--name ${name} is none of the members in --initial-cluster: ${names}`
  }
  if (values['initial-cluster-state'] === 'existing' && members.length === 1) {
    return '--initial-cluster-state existing needs --initial-cluster to name a running member, too'
  }
  return (
    peerContradiction(
      values,
      members.map(({ address }) => address),
    ) ?? (members.length > 1 ? sharedContradiction(values) : undefined)
  )
}

function peerContradiction(values: FlagValues, addresses: readonly string[]): string | undefined {
  const given = peerFileFlags.filter((flag) => values[flag] !== undefined)
  const missing = peerFileFlags.filter((flag) => values[flag] === undefined)
  if (given.length > 0 && missing.length > 0) return `--${given[0]} needs ${flagList(missing)}`
  const listen = values['peer-bind-address']
  if (listen !== undefined && !parseAddress(listen).ok)
    return `--peer-bind-address ${listen} is not host:port`
  if (given.length > 0) return undefined
  const open = [...addresses, ...(listen === undefined ? [] : [listen])].find((text) => {
    const address = parseAddress(text)
    return address.ok && !isLoopback(address.value)
  })
  if (open === undefined) return undefined
  return `a member at ${open} needs ${flagList(missing)}: plaintext between members is for the loopback alone. "cluster-apiserver certs" makes such files`
}

function sharedContradiction(values: FlagValues): string | undefined {
  const missing = sharedFlags.filter((flag) => values[flag] === undefined)
  if (missing.length === 0) return undefined
  return `several members need ${flagList(missing)}, with the same authority and key for all, or a client could not use them all. "cluster-apiserver certs" makes such files`
}

function flagList(flags: readonly string[]): string {
  const names = flags.map((flag) => `--${flag}`)
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}
