/** Who takes part in the group and how they are: questions that any member answers, and changes that the leader makes. */
import { type Clock, fail, ok, type Result } from '../contract.ts'
import { isVoter } from '../raft/configuration.ts'
import type { MemberId } from '../raft/types.ts'
import {
  type ClusterFailure,
  type ClusterRequest,
  type MemberStatus,
  type MemberView,
  parseAnswer,
  parseRequest,
  refuse,
} from './cluster-messages.ts'
import type { Identity } from './data-directory.ts'
import type { MemberStore } from './member.ts'
import { MemberChanges } from './member-changes.ts'
import type { MemberRecord, MembershipContext } from './membership.ts'
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
  /** Answers a question, or has the leader make a change; what comes back stands with each request. */
  run(request: ClusterRequest): Promise<Result<unknown, ClusterFailure>>
  /** The same as text, for other members and the command line; see {@link parseAnswer}. */
  answer(question: string): Promise<string>
  /**
   * What a joining member needs to know. Only as of a quorum: by an old list a member could come back as one that was
   * removed, without what that one has promised.
   */
  describe(name: string): Promise<{ readonly ok: boolean; readonly text: string }>
  /** Ends what is waited for, and promotes no more learners. */
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

const promotePeriodMs = 500
/** A learner so close behind has caught up. */
const caughtUpEntries = 100
/** Between two looks at what is waited for. */
const pollMs = 5

/** The cluster as one member sees and serves it. Promotes learners from now on, when it has an address. */
export function createCluster(options: ClusterOptions): Cluster {
  return new LocalCluster(options)
}

class LocalCluster implements Cluster {
  readonly #options: ClusterOptions
  readonly #changes: MemberChanges
  readonly #promotion: Repeating
  #closed = false

  constructor(options: ClusterOptions) {
    this.#options = options
    this.#changes = new MemberChanges({
      ...options,
      list: () => this.#list(),
      poll: (attempt, isDone) => this.#poll(attempt, isDone),
    })
    this.#promotion = new Repeating(options.timers, promotePeriodMs, () => this.#promoteDue())
    if (options.address !== '') this.#promotion.start()
  }

  close(): void {
    this.#closed = true
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
          ? this.#changes.make(request)
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
    const { leader } = await this.#poll(
      () => this.#replica.raft.leadership(),
      (leadership) => leadership.leader !== undefined,
    )
    if (leader === undefined) return refuse('the cluster has no leader now')
    if (leader === this.#options.id) return this.run(request)
    const text = await this.#options.transport.ask(leader, JSON.stringify(request))
    return text === undefined
      ? fail({ code: 'Unknown', message: 'the leader does not answer' })
      : parseAnswer(text)
  }

  async #poll<T>(attempt: () => T, isDone: (outcome: T) => boolean): Promise<T> {
    const { timers, waitMaxMs } = this.#options
    const endMs = timers.monotonicMs() + waitMaxMs
    for (;;) {
      const outcome = attempt()
      if (isDone(outcome) || this.#closed || timers.monotonicMs() > endMs) return outcome
      await new Promise<void>((resolve) => timers.after(pollMs, resolve))
    }
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
        match + caughtUpEntries >= committed,
    )
    const record = this.#context().members.find(({ id }) => id === ready?.id)
    if (record !== undefined) await this.#changes.promote(record)
  }
}
