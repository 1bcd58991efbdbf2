/** Who a member is: decided once, for a new data directory; afterwards the directory says it. */
import { createHash, randomBytes } from 'node:crypto'
import { type Clock, fail, ok, type Result } from '../contract.ts'
import {
  isLoopback,
  memberNamePattern,
  type NamedAddress,
  parseAddress,
  parseInitialCluster,
} from '../peers/address.ts'
import type { JoinOptions } from '../peers/join.ts'
import type { PeerTls } from '../peers/sockets.ts'
import { configurationOf, emptyConfiguration } from '../raft/configuration.ts'
import { type MemberId, memberId } from '../raft/types.ts'
import type { Identity } from './data-directory.ts'
import { decodeContext, type Membership } from './membership.ts'
import type { Timing } from './replica-parts.ts'

export interface ReplicationOptions {
  /** Of this member in its cluster. */
  readonly name: string
  /** `a=host:port,b=host:port`, this member included. A directory with data does not look at it, but for this member's address. */
  readonly initialCluster: string
  /** `existing`: the cluster runs, and this member was added to it. Default `new`. */
  readonly initialClusterState?: 'new' | 'existing'
  /** Where to listen for the others; default this member's address in the initial cluster. */
  readonly listenAddress?: string
  /** Absent: plaintext, for addresses on the loopback only. */
  readonly tls?: PeerTls
  readonly timing?: Partial<Omit<Timing, 'ticks'>>
  /** Of ticks and connections; default the member's clock. */
  readonly clock?: Clock
  /** Connections to members that were refused, lost or not made: for the log. */
  readonly onPeerProblem?: (reason: string) => void
}

export interface MemberPlan {
  readonly id: MemberId
  readonly identity: Identity
  /** The identity is not on disk as it is. */
  readonly changed: boolean
  /** For a directory that has none stored. */
  readonly membership: Membership
  /** This member's address; empty for one that is alone. */
  readonly address: string
}

type AskToJoin = (options: JoinOptions) => Promise<{ readonly ok: boolean; readonly text: string }>

/** The settings of the cluster make no sense, or the cluster refuses. `message` is for the operator. */
export type PlanFailure = { readonly code: 'BadCluster'; readonly message: string }

/**
 * Decides who the member of a data directory is: by `found`, its stored identity, or, for a new one, by `wanted` and
 * the settings of the cluster. `replication` undefined: it is alone. `askToJoin`: peers/join.ts.
 */
export async function planMember(
  found: Identity | undefined,
  wanted: Identity,
  replication: (ReplicationOptions & { readonly clock: Clock }) | undefined,
  askToJoin: AskToJoin,
): Promise<Result<MemberPlan, PlanFailure>> {
  if (replication === undefined) return ok(planAlone(found, wanted))
  const checked = checkOptions(replication)
  if (!checked.ok) return checked
  const { cluster, own } = checked.value
  if (found !== undefined) return planRestart(found, own)
  if (replication.initialClusterState === 'existing')
    return planJoin(wanted, cluster, own, replication, askToJoin)
  const members = cluster.map((member, i) => ({ ...member, id: memberId(i + 1) }))
  const id = members.find(({ name }) => name === own.name)?.id ?? memberId(1)
  return ok({
    id,
    identity: { ...wanted, clusterId: clusterIdOf(cluster, wanted.dialect), memberId: id, name: own.name },
    changed: true,
    membership: {
      configuration: configurationOf(members.map((m) => m.id)),
      members,
      nextId: members.length + 1,
    },
    address: own.address,
  })
}

function planAlone(found: Identity | undefined, wanted: Identity): MemberPlan {
  const id = memberId(found?.memberId ?? 1)
  const name = found?.name ?? 'default'
  const members = [{ id, name, address: '' }]
  const membership = { configuration: configurationOf([id]), members, nextId: id + 1 }
  return { id, identity: found ?? wanted, changed: found === undefined, membership, address: '' }
}

function planRestart(found: Identity, own: NamedAddress): Result<MemberPlan, PlanFailure> {
  if (found.name !== undefined && found.name !== own.name) {
    return bad(`the data directory belongs to member ${found.name}, not ${own.name}`)
  }
  const alone = planAlone(found, found)
  // A member that was alone so far gets what it needs to be known by others.
  const clusterId = found.clusterId ?? randomBytes(8).toString('hex')
  const identity = { ...found, clusterId, memberId: alone.id, name: own.name }
  const changed = found.clusterId === undefined || found.name === undefined
  const membership = { ...alone.membership, members: [{ id: alone.id, ...own }] }
  return ok({ ...alone, identity, changed, membership, address: own.address })
}

async function planJoin(
  wanted: Identity,
  cluster: readonly NamedAddress[],
  own: NamedAddress,
  { tls, clock }: ReplicationOptions & { readonly clock: Clock },
  askToJoin: AskToJoin,
): Promise<Result<MemberPlan, PlanFailure>> {
  const addresses = cluster.filter(({ name }) => name !== own.name).map(({ address }) => address)
  const answer = await askToJoin({ addresses, name: own.name, tls, clock })
  if (!answer.ok) return bad(`cannot join the cluster: ${answer.text}`)
  const fields: unknown = JSON.parse(answer.text)
  const { dialect, clusterId } = {
    ...(fields as { readonly dialect?: unknown; readonly clusterId?: unknown }),
  }
  if (dialect !== wanted.dialect || typeof clusterId !== 'string') {
    return bad(`the cluster speaks dialect ${String(dialect)}, not ${wanted.dialect}`)
  }
  const { members, nextId } = decodeContext(fields)
  const record = members.find(({ name }) => name === own.name)
  if (record === undefined) return bad(`the cluster knows no member ${own.name}`)
  return ok({
    id: record.id,
    identity: { ...wanted, clusterId, memberId: record.id, name: own.name },
    changed: true,
    membership: { configuration: emptyConfiguration, members, nextId },
    address: own.address,
  })
}

interface CheckedOptions {
  readonly cluster: readonly NamedAddress[]
  readonly own: NamedAddress
}

function checkOptions({
  name,
  initialCluster,
  listenAddress,
  tls,
}: ReplicationOptions): Result<CheckedOptions, PlanFailure> {
  if (!memberNamePattern.test(name)) return bad(`${JSON.stringify(name)} is no name for a member`)
  const cluster = parseInitialCluster(initialCluster)
  if (!cluster.ok) return bad(`initial cluster: ${cluster.failure}`)
  const own = cluster.value.find((member) => member.name === name)
  if (own === undefined) return bad(`member ${name} is not in the initial cluster ${initialCluster}`)
  for (const text of [listenAddress ?? own.address, ...cluster.value.map(({ address }) => address)]) {
    const address = parseAddress(text)
    if (!address.ok) return bad(`listen address: ${address.failure}`)
    if (tls === undefined && !isLoopback(address.value)) {
      return bad(`members at ${text} need certificates: plaintext is for addresses on this machine only`)
    }
  }
  return ok({ cluster: cluster.value, own })
}

function bad(message: string): Result<never, PlanFailure> {
  return fail({ code: 'BadCluster', message })
}

/** The same for all members of an initial cluster, and no other. */
function clusterIdOf(cluster: readonly NamedAddress[], dialect: string): string {
  const text = [dialect, ...cluster.map(({ name, address }) => `${name}=${address}`)].join('\n')
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
