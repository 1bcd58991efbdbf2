/** Who takes part in the group and how they are: questions that any member answers, and changes that the leader makes. */
import { type Clock, fail, ok, type Result } from '../contract.ts'
import { isLoopback, memberNamePattern, parseAddress } from '../peers/address.ts'
import { isJoint, isVoter, type MembershipChange, membersOf } from '../raft/configuration.ts'
import type { MembershipFailure } from '../raft/membership.ts'
import type { Proposed } from '../raft/proposal.ts'
import { majorityOf } from '../raft/quorum.ts'
import type { TransferFailure } from '../raft/transfer.ts'
import { type Configuration, type MemberId, memberId } from '../raft/types.ts'
import {
  type ClusterFailure,
  type ClusterRequest,
  type MemberStatus,
  type MemberView,
  parseAnswer,
  parseRequest,
} from './cluster-messages.ts'
import type { Identity } from './data-directory.ts'
import type { MemberStore } from './member.ts'
import { encodeContext, type MemberRecord, type MembershipContext } from './membership.ts'
import { Repeating } from './timers.ts'
import type { Transport } from './transport.ts'

/** How things stand as this member sees them, without asking anybody. */
export interface ClusterView {
  /** Own name. */
  readonly name: string
  /** Name of the leader of the term, undefined when none is known. */
  readonly leader: string | undefined
  readonly term: number
  /** How many take part, learners included. */
  readonly members: number
  /** Log index. */
  readonly applied: number
  /** Entries known to be committed and not yet applied. */
  readonly lag: number
}

export interface Cluster {
  view(): ClusterView
  run(request: ClusterRequest): Promise<Result<unknown, ClusterFailure>>
  /** The same as text, for other members and the command line; see {@link parseAnswer}. */
  answer(question: string): Promise<string>
  /**
   * What a joining member needs to know. Only as of a quorum: by an old list a member could come back as one that was
   * removed, without what that one has promised.
   */
  describe(name: string): Promise<{ readonly ok: boolean; readonly text: string }>
  close(): void
}

export interface ClusterOptions {
  readonly store: MemberStore
  readonly id: MemberId
  readonly identity: Identity
  readonly transport: Transport
  databaseBytes(): Promise<number>
  readonly timers: Clock
  readonly waitMaxMs: number
  /** Other members must be on this machine. */
  readonly loopbackOnly: boolean
  /** Own address, where the membership does not have it. */
  readonly address: string
}

interface PlannedChange {
  readonly change: MembershipChange
  readonly context: MembershipContext
  /** The answer, once it is done. */
  readonly view: MemberView
}

const promotePeriodMs = 500

export function createCluster(options: ClusterOptions): Cluster {
  return new LocalCluster(options)
}

class LocalCluster implements Cluster {
  readonly #options: ClusterOptions
  readonly #promotion: Repeating

  constructor(options: ClusterOptions) {
    this.#options = options
    this.#promotion = new Repeating(options.timers, promotePeriodMs, () => this.#promoteDue())
    if (options.address !== '') this.#promotion.start()
  }

  close(): void {
    this.#promotion.close()
  }

  view(): ClusterView {
    const { mvcc, raft } = this.#replica
    const { leader, term, committed } = raft.status()
    const { members } = this.#context()
    const nameOf = (id: MemberId): string => members.find((member) => member.id === id)?.name ?? String(id)
    return {
      name: nameOf(this.#options.id),
      leader: leader === undefined ? undefined : nameOf(leader),
      term,
      members: members.length,
      applied: mvcc.appliedIndex,
      lag: committed - mvcc.appliedIndex,
    }
  }

  async run(request: ClusterRequest): Promise<Result<unknown, ClusterFailure>> {
    switch (request.method) {
      case 'status':
        return ok(await this.#status())
      case 'list': {
        // The leader's list is the newest; without one, any is better than none.
        const { role, leader } = this.#replica.raft.leadership()
        const asked = role === 'leader' || leader === undefined ? undefined : await this.#askLeader(request)
        return asked?.ok ? asked : ok(await this.#list())
      }
      default:
        return this.#replica.raft.leadership().role === 'leader'
          ? this.#change(request)
          : this.#askLeader(request)
    }
  }

  async answer(question: string): Promise<string> {
    const request = parseRequest(question)
    if (request === undefined) return JSON.stringify({ code: 'Refused', message: 'not a request' })
    const result = await this.run(request)
    return JSON.stringify(result.ok ? { value: result.value } : result.failure)
  }

  async describe(name: string): Promise<{ readonly ok: boolean; readonly text: string }> {
    const { identity, store } = this.#options
    const current = await store.readIndex()
    if (!current.ok) return { ok: false, text: current.failure.message }
    const context = this.#context()
    if (context.members.every((member) => member.name !== name)) {
      return { ok: false, text: `the cluster has no member ${JSON.stringify(name)}: add it first` }
    }
    const { dialect, clusterId } = identity
    return { ok: true, text: JSON.stringify({ dialect, clusterId, ...context }) }
  }

  get #replica() {
    return this.#options.store.replica
  }

  #context(): MembershipContext {
    const { members, nextId } = this.#replica.membership
    return { members, nextId }
  }

  async #status(): Promise<MemberStatus> {
    const { id } = this.#options
    const { mvcc, raft, state } = this.#replica
    const { role, learner, term, leader = 0, committed } = raft.status()
    const record = this.#context().members.find((member) => member.id === id)
    return {
      id,
      name: record?.name ?? '',
      address: record?.address ?? '',
      role: learner ? 'learner' : role === 'preCandidate' ? 'candidate' : role,
      term,
      leader,
      applied: mvcc.appliedIndex,
      lag: committed - mvcc.appliedIndex,
      revision: state.revision,
      databaseBytes: await this.#options.databaseBytes(),
    }
  }

  #list(): Promise<MemberView[]> {
    const { members } = this.#context()
    return Promise.all(members.map((member) => this.#view(member)))
  }

  async #view(member: MemberRecord): Promise<MemberView> {
    const { id, transport } = this.#options
    const { id: of, name, address } = member
    const learner = !isVoter(this.#replica.membership.configuration, of)
    const view = { id: of, name, address, learner }
    if (of === id) return { ...view, status: await this.#status() }
    const text = await transport.ask(of, JSON.stringify({ method: 'status' }))
    const answer = text === undefined ? undefined : parseAnswer(text)
    // Another member of the same protocol version answers with its status.
    return answer?.ok ? { ...view, status: answer.value as MemberStatus } : view
  }

  async #askLeader(request: ClusterRequest): Promise<Result<unknown, ClusterFailure>> {
    await this.#until(() => this.#replica.raft.leadership().leader !== undefined)
    const { leader } = this.#replica.raft.leadership()
    if (leader === undefined) return refuse('the cluster has no leader now')
    if (leader === this.#options.id) return this.run(request)
    const text = await this.#options.transport.ask(leader, JSON.stringify(request))
    return text === undefined
      ? fail({ code: 'Unknown', message: 'the leader does not answer' })
      : parseAnswer(text)
  }

  async #change(
    request: Exclude<ClusterRequest, { method: 'status' | 'list' }>,
  ): Promise<Result<unknown, ClusterFailure>> {
    if (request.method === 'add') return this.#add(request.name, request.address)
    const { member } = request
    const { members } = this.#context()
    const found = members.find(({ id, name }) => name === member || String(id) === member)
    if (found === undefined) {
      const names = members.map(({ name }) => name).join(', ')
      return refuse(`the cluster has no member ${JSON.stringify(member)}, but ${names}`)
    }
    switch (request.method) {
      case 'remove':
        return this.#remove(found)
      case 'promote':
        return this.#promote(found)
      case 'transfer':
        return this.#transfer(found)
    }
  }

  async #add(name: string, address: string): Promise<Result<MemberView, ClusterFailure>> {
    const parsed = parseAddress(address)
    if (!memberNamePattern.test(name)) return refuse(`${JSON.stringify(name)} is no name for a member`)
    if (!parsed.ok) return refuse(parsed.failure)
    if (this.#options.address === '')
      return refuse('this member listens for no others: start it with a name and an address')
    if (this.#options.loopbackOnly && !isLoopback(parsed.value)) {
      return refuse(
        `a member at ${address} needs certificates: plaintext is for addresses on this machine only`,
      )
    }
    return this.#propose(({ members, nextId }) => {
      const twin = members.find((member) => member.name === name || member.address === address)
      if (twin !== undefined) return refuse(`member ${twin.name} at ${twin.address} is there already`)
      const record = { id: memberId(nextId), name, address }
      return ok({
        change: { type: 'addLearner', id: record.id },
        context: { members: [...members, record], nextId: nextId + 1 },
        view: { ...record, learner: true },
      })
    })
  }

  async #remove(member: MemberRecord): Promise<Result<MemberView, ClusterFailure>> {
    const { configuration } = this.#replica.raft.status()
    const rest = configuration.voters.filter((id) => id !== member.id)
    const views = await this.#list()
    const active = rest.filter((id) => views.some((view) => view.id === id && view.status !== undefined))
    if (rest.length === 0) return refuse(`${member.name} is the last voter`)
    if (isVoter(configuration, member.id) && active.length < majorityOf(rest.length)) {
      return refuse(
        `without ${member.name} only ${active.length} of ${rest.length} voters would answer: too few to go on`,
      )
    }
    return this.#propose((context) =>
      ok({ change: { type: 'remove', id: member.id }, context, view: { ...member, learner: false } }),
    )
  }

  async #promote(member: MemberRecord): Promise<Result<MemberView, ClusterFailure>> {
    if (isVoter(this.#replica.raft.status().configuration, member.id))
      return refuse(`${member.name} is a voter already`)
    return this.#propose((context) =>
      ok({ change: { type: 'promote', id: member.id }, context, view: { ...member, learner: false } }),
    )
  }

  async #transfer(member: MemberRecord): Promise<Result<MemberView, ClusterFailure>> {
    const asked = this.#replica.drive((raft) => raft.transferLeadership(member.id))
    if (!asked.ok) return refuse(describeFailure(asked.failure))
    const done = await this.#until(() => this.#replica.raft.leadership().leader === member.id)
    return done ? ok({ ...member, learner: false }) : refuse(`${member.name} did not take over in time`)
  }

  /**
   * What stands in the way and goes away by itself, such as an entry still to be applied, is waited for; the change is
   * then made out of the membership as it is by then.
   */
  async #propose(
    plan: (current: MembershipContext) => Result<PlannedChange, ClusterFailure>,
  ): Promise<Result<MemberView, ClusterFailure>> {
    let planned = plan(this.#context())
    let proposed: Result<Proposed, MembershipFailure> | undefined
    await this.#until(() => {
      planned = plan(this.#context())
      if (!planned.ok) return true
      const { change, context } = planned.value
      proposed = this.#replica.changeMembership({ changes: [change], context: encodeContext(context) })
      return proposed.ok || !isPassing(proposed.failure)
    })
    if (!planned.ok) return planned
    if (proposed === undefined) return refuse('no time was left for the change')
    if (!proposed.ok) return refuse(describeFailure(proposed.failure))
    const { first } = proposed.value
    const { change, view } = planned.value
    const { mvcc, raft } = this.#replica
    const done = await this.#until(
      () => mvcc.appliedIndex >= first && isMade(change, raft.status().configuration),
    )
    if (done) return ok(view)
    return fail({ code: 'Unknown', message: 'the change is not confirmed yet: look at the list of members' })
  }

  async #until(condition: () => boolean): Promise<boolean> {
    const { timers, waitMaxMs } = this.#options
    const endMs = timers.monotonicMs() + waitMaxMs
    while (!condition()) {
      if (timers.monotonicMs() > endMs) return false
      await new Promise<void>((resolve) => timers.after(5, resolve))
    }
    return true
  }

  /** A learner that has caught up becomes a voter by itself. */
  async #promoteDue(): Promise<void> {
    if (!this.#replica.leads) return
    const { configuration, peers, committed } = this.#replica.raft.status()
    const ready = peers.find(
      ({ id, state, match, recentlyActive }) =>
        configuration.learners.includes(id) &&
        state === 'replicate' &&
        recentlyActive &&
        match + 100 >= committed,
    )
    const record = this.#context().members.find(({ id }) => id === ready?.id)
    if (record !== undefined) await this.#promote(record)
  }
}

function refuse(message: string): Result<never, ClusterFailure> {
  return fail({ code: 'Refused', message })
}

function isPassing({ code }: MembershipFailure): boolean {
  return code === 'ChangePending' || code === 'Transferring'
}

/** In force; also after the loss of leadership, where another entry may have taken the place of the change. */
function isMade({ type, id }: MembershipChange, configuration: Configuration): boolean {
  if (isJoint(configuration)) return false
  switch (type) {
    case 'addLearner':
      return membersOf(configuration).includes(id)
    case 'promote':
      return isVoter(configuration, id)
    case 'remove':
      return !membersOf(configuration).includes(id)
  }
}

function describeFailure(failure: MembershipFailure | TransferFailure): string {
  switch (failure.code) {
    case 'NotLeader':
      return 'the leader has changed'
    case 'Transferring':
      return 'leadership is being handed over'
    case 'TooMuchUncommitted':
      return 'too many writes are waiting'
    case 'ChangePending':
      return 'the change before is not complete'
    case 'LearnerBehind':
      return `the member is ${failure.entries} log entries behind`
    case 'NoSuchChange':
      return 'this changes nothing, or leaves no voter'
    case 'NotVoter':
      return 'it is no voter'
  }
}
