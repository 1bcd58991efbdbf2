/** Changes of who takes part, as the leader makes them: what is asked for, what speaks against it, when it is done. */
import { fail, ok, type Result } from '../contract.ts'
import { isLoopback, memberNamePattern, parseAddress } from '../peers/address.ts'
import { isJoint, isVoter, type MembershipChange, membersOf } from '../raft/configuration.ts'
import type { MembershipFailure } from '../raft/membership.ts'
import { majorityOf } from '../raft/quorum.ts'
import type { TransferFailure } from '../raft/transfer.ts'
import { type Configuration, memberId } from '../raft/types.ts'
import { type ClusterFailure, type ClusterRequest, type MemberView, refuse } from './cluster-messages.ts'
import type { MemberStore } from './member.ts'
import { encodeContext, type MemberRecord, type MembershipContext } from './membership.ts'

export interface MemberChangesParts {
  readonly store: MemberStore
  /** Other members must be on this machine. */
  readonly loopbackOnly: boolean
  /** Own address; empty = this member listens for no others. */
  readonly address: string
  /** Everybody, asked how they are. */
  list(): Promise<readonly MemberView[]>
  /** Tries until `isDone` says so of what came out, but not for ever; gives what came out last. */
  poll<T>(attempt: () => T, isDone: (outcome: T) => boolean): Promise<T>
}

interface PlannedChange {
  readonly change: MembershipChange
  readonly context: MembershipContext
  /** The answer, once it is done. */
  readonly view: MemberView
}

/** A planned change on its way into force. */
interface ProposedChange extends PlannedChange {
  /** Log index of its entry. */
  readonly index: number
}

/** `passes`: what stands in the way goes away by itself, such as an entry still to be applied. */
type AttemptFailure = ClusterFailure & { readonly passes: boolean }

type Plan = (current: MembershipContext) => Result<PlannedChange, ClusterFailure>

/** Makes the changes that are asked of the leader, one after the other as the core allows it. */
export class MemberChanges {
  readonly #parts: MemberChangesParts

  constructor(parts: MemberChangesParts) {
    this.#parts = parts
  }

  get #replica() {
    return this.#parts.store.replica
  }

  #context(): MembershipContext {
    const { members, nextId } = this.#replica.membership
    return { members, nextId }
  }

  /** For the leader. Settles when the change is in force, is refused, or its fate is not known in time. */
  async make(
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
        return this.promote(found)
      case 'transfer':
        return this.#transfer(found)
    }
  }

  async #add(name: string, address: string): Promise<Result<MemberView, ClusterFailure>> {
    const parsed = parseAddress(address)
    if (!memberNamePattern.test(name)) return refuse(`${JSON.stringify(name)} is no name for a member`)
    if (!parsed.ok) return refuse(parsed.failure)
    if (this.#parts.address === '')
      return refuse('this member listens for no others: start it with a name and an address')
    if (this.#parts.loopbackOnly && !isLoopback(parsed.value)) {
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
    const views = await this.#parts.list()
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

  /** Makes a learner a voter; refused for one that is, or that lacks too much of the log. */
  async promote(member: MemberRecord): Promise<Result<MemberView, ClusterFailure>> {
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

  /** Waits for what stands in the way and passes, and then for the change to be in force. */
  async #propose(plan: Plan): Promise<Result<MemberView, ClusterFailure>> {
    const proposed = await this.#parts.poll(
      () => this.#attempt(plan),
      (attempt) => attempt.ok || !attempt.failure.passes,
    )
    if (!proposed.ok) {
      const { code, message } = proposed.failure
      return fail({ code, message })
    }
    const { index, change, view } = proposed.value
    const { mvcc, raft } = this.#replica
    const done = await this.#until(
      () => mvcc.appliedIndex >= index && isMade(change, raft.status().configuration),
    )
    if (done) return ok(view)
    return fail({ code: 'Unknown', message: 'the change is not confirmed yet: look at the list of members' })
  }

  /** Plans the change out of the membership as it is now, and proposes it. */
  #attempt(plan: Plan): Result<ProposedChange, AttemptFailure> {
    const planned = plan(this.#context())
    if (!planned.ok) return fail({ ...planned.failure, passes: false })
    const { change, context } = planned.value
    const proposed = this.#replica.changeMembership({ changes: [change], context: encodeContext(context) })
    if (proposed.ok) return ok({ ...planned.value, index: proposed.value.first })
    const { failure } = proposed
    return fail({ code: 'Refused', message: describeFailure(failure), passes: isPassing(failure) })
  }

  #until(condition: () => boolean): Promise<boolean> {
    return this.#parts.poll(condition, (holds) => holds)
  }
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
