/** Groups of real members on the loopback, in one process, for the tests of replication. */

import { join } from 'node:path'
import type { Test } from 'tap'
import { systemClock } from '../../store/clock.ts'
import type { Clock } from '../../store/contract.ts'
import type { ClusterRequest, MemberStatus, MemberView } from '../../store/member/cluster-messages.ts'
import { type Member, type MemberOptions, openMember } from '../../store/member/open.ts'
import type { ReplicationOptions } from '../../store/member/plan.ts'
import { freePorts } from '../../workers/cluster/free-ports.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from './support.ts'

interface GroupOptions {
  readonly names: readonly string[]
  /** Of the data; ticks and connections run in real time. */
  readonly clock?: Clock
  readonly member?: Partial<MemberOptions>
  readonly replication?: Partial<ReplicationOptions>
  /** Where members find each other, when it is not where they listen. */
  readonly addressOf?: (name: string, port: number) => string
}

/** An election in a quarter to half a second. */
export const quickTiming = { tickMs: 10, electionTicks: 16, heartbeatTicks: 2 }

export class Group {
  readonly folder: string
  readonly members = new Map<string, Member>()
  readonly ports: ReadonlyMap<string, number>
  /** What members said about connections. */
  readonly problems: string[] = []
  readonly #options: GroupOptions

  constructor(folder: string, ports: ReadonlyMap<string, number>, options: GroupOptions) {
    this.folder = folder
    this.ports = ports
    this.#options = options
  }

  get initialCluster(): string {
    return this.#options.names.map((name) => `${name}=${this.address(name)}`).join(',')
  }

  address(name: string): string {
    const port = this.ports.get(name) ?? 0
    return this.#options.addressOf?.(name, port) ?? `127.0.0.1:${port}`
  }

  dataDir(name: string): string {
    return join(this.folder, name)
  }

  optionsOf(name: string, replication: Partial<ReplicationOptions> = {}): MemberOptions {
    return {
      dataDir: this.dataDir(name),
      clock: this.#options.clock ?? systemClock,
      ...this.#options.member,
      replication: {
        name,
        initialCluster: this.initialCluster,
        listenAddress: `127.0.0.1:${this.ports.get(name) ?? 0}`,
        clock: systemClock,
        timing: quickTiming,
        onPeerProblem: (reason) => this.problems.push(`${name}: ${reason}`),
        ...this.#options.replication,
        ...replication,
      },
    }
  }

  async start(name: string, replication: Partial<ReplicationOptions> = {}): Promise<Member> {
    const opened = await openMember(this.optionsOf(name, replication))
    if (!opened.ok) throw new Error(`${name}: ${JSON.stringify(opened.failure)}`)
    this.members.set(name, opened.value)
    return opened.value
  }

  async stop(name: string): Promise<void> {
    const member = this.members.get(name)
    this.members.delete(name)
    await member?.close()
  }

  member(name: string): Member {
    const member = this.members.get(name)
    if (member === undefined) throw new Error(`${name} does not run`)
    return member
  }

  async status(name: string): Promise<MemberStatus> {
    // What the method answers.
    return (await ask(this.member(name), { method: 'status' })) as MemberStatus
  }

  async list(name: string): Promise<readonly MemberView[]> {
    return (await ask(this.member(name), { method: 'list' })) as readonly MemberView[]
  }

  /** The member that leads now, once there is one. */
  async leader(): Promise<string> {
    let leader: string | undefined
    await eventually('a leader', async () => {
      for (const name of this.members.keys()) {
        if ((await this.status(name)).role === 'leader') leader = name
      }
      return leader !== undefined
    })
    return leader ?? ''
  }

  async follower(): Promise<string> {
    const leader = await this.leader()
    for (const name of this.members.keys()) if (name !== leader) return name
    throw new Error('no follower runs')
  }

  /** Hands leadership to `name`, again where the election goes another way. */
  async lead(name: string): Promise<void> {
    await eventually(`${name} to lead`, async () => {
      if ((await this.status(name)).role === 'leader') return true
      await this.member(name).cluster.run({ method: 'transfer', member: name })
      return (await this.status(name)).role === 'leader'
    })
  }

  /** Waits until every running member has applied what `name` has. */
  async settled(name: string): Promise<void> {
    const { applied } = await this.status(name)
    await eventually(`all members to apply entry ${applied}`, async () => {
      const all = await Promise.all([...this.members.keys()].map((other) => this.status(other)))
      return all.every((status) => status.applied >= applied)
    })
  }

  async close(): Promise<void> {
    await Promise.all([...this.members.keys()].map((name) => this.stop(name)))
  }
}

/** Asks a member, and throws when it refuses. */
export async function ask(member: Member, request: ClusterRequest): Promise<unknown> {
  const result = await member.cluster.run(request)
  if (!result.ok) throw new Error(result.failure.message)
  return result.value
}

/** Starts members in one process, closed at the end of the test. */
export async function startGroup(t: Test, options: GroupOptions): Promise<Group> {
  const group = await prepareGroup(t, options)
  await Promise.all(options.names.map((name) => group.start(name)))
  return group
}

export async function prepareGroup(t: Test, options: GroupOptions): Promise<Group> {
  const folder = temporaryFolder(t)
  const ports = await freePorts('127.0.0.1', options.names.length)
  const group = new Group(folder, new Map(options.names.map((name, i) => [name, ports[i] ?? 0])), options)
  t.teardown(() => group.close())
  return group
}
