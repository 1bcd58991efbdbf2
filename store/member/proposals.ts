import { encodeGroup, type Proposal, readGroupHead } from '../mvcc/command.ts'
import type { Mvcc } from '../mvcc/mvcc.ts'
import type { Outcome } from '../mvcc/state.ts'
import type { Raft } from '../raft/raft.ts'
import { type Entry, type MemberId, type Term, term } from '../raft/types.ts'
import { PendingGroups } from './pending-groups.ts'
import { ProposalQueue, type QueueBounds, type Settled, type Waiting } from './proposal-queue.ts'
import type { Forward, Transport } from './transport.ts'

/** Groups on their way to being applied; more wait in the queue. */
const pendingMax = 256

export interface ProposalsOptions {
  readonly raft: Raft
  readonly transport: Transport
  readonly queue: QueueBounds
  /** Names this run of this member, unlike any other. */
  readonly origin: number
  wallMs(): number
}

/**
 * Proposals from their arrival to their answer. Those that wait together become one group, which goes to whoever
 * leads; when this member applies it, it answers its proposals, whoever put it into the log.
 */
export class Proposals {
  readonly #options: ProposalsOptions
  readonly #queue: ProposalQueue
  readonly #pending = new PendingGroups()
  /** Highest sequence taken from each origin in the term led. */
  readonly #taken = new Map<number, number>()
  #takenTerm: Term = term(0)
  #sequence = 0
  /** Nobody takes proposals now: the next tick, connection or applied entry tries again. */
  #blocked = false

  constructor(options: ProposalsOptions) {
    this.#options = options
    this.#queue = new ProposalQueue(options.queue)
  }

  /** There is something to propose, and somebody who may take it. */
  get isReady(): boolean {
    return !this.#blocked && this.#queue.length > 0
  }

  push(proposal: Proposal, nowMs: number): Promise<Settled> {
    return this.#queue.push(proposal, nowMs)
  }

  unblock(): void {
    this.#blocked = false
  }

  /** Gives the next group to whoever leads. */
  proposeNext(): void {
    if (this.#queue.length === 0) return
    const { raft, transport, origin } = this.#options
    const { role, leader, term } = raft.leadership()
    this.#blocked = leader === undefined || this.#pending.size >= pendingMax
    if (leader === undefined || this.#blocked) return
    const group = this.#queue.take()
    const sequence = ++this.#sequence
    const data = encodeGroup(
      group.map(({ proposal }) => proposal),
      { wallMs: Math.floor(this.#options.wallMs()), origin, sequence },
    )
    const given =
      role === 'leader' ? raft.propose([data]).ok : transport.forward(leader, { term, sequence, data })
    if (!given) {
      this.#blocked = true
      this.#queue.putBack(group)
      return
    }
    const forwarded = role === 'leader' ? undefined : { to: leader, data, repeated: false }
    this.#pending.add({ sequence, term, group, forwarded })
  }

  /** Takes a group of another member into the log. True: taken, now or before. */
  takeForward({ term: wanted, sequence, data }: Forward): boolean {
    const { raft } = this.#options
    const { role, term } = raft.leadership()
    if (role !== 'leader' || term !== wanted) return false
    if (this.#takenTerm !== term) this.#taken.clear()
    this.#takenTerm = term
    const { origin } = readGroupHead(data)
    if (sequence <= (this.#taken.get(origin) ?? 0)) return true
    if (!raft.propose([data]).ok) return false
    this.#taken.set(origin, sequence)
    return true
  }

  /**
   * Not taken, and so to be proposed anew; but of a group that was sent again an earlier copy may have been taken, by a
   * leader that has restarted since: the log will tell.
   */
  forwardRefused(sequence: number): void {
    const refused = this.#pending.takeRefused(sequence)
    if (refused !== undefined) this.#queue.putBack(refused.group)
  }

  /** The connection to `id` is new: what was forwarded over the one before may be lost. It takes each group once. */
  forwardAgain(id: MemberId): void {
    const { leader, term } = this.#options.raft.leadership()
    if (leader !== id) return
    for (const { sequence, forwarded } of this.#pending.forwardedTo(id, term)) {
      if (forwarded === undefined) continue
      forwarded.repeated = true
      this.#options.transport.forward(id, { term, sequence, data: forwarded.data })
    }
  }

  /** An entry of `term` is applied next: groups of earlier terms that are not yet applied never will be. */
  leaveBehind(term: Term): void {
    for (const { group } of this.#pending.takeBefore(term).reverse()) this.#queue.putBack(group)
  }

  /** Answers the group in `data`, when it is this member's, in the turn in which it was applied. */
  answerInTurn(data: Buffer, outcomes: readonly Outcome[], mvcc: Mvcc): void {
    const { origin, sequence } = readGroupHead(data)
    const own = origin === this.#options.origin ? this.#pending.take(sequence) : undefined
    if (own === undefined) return
    for (const [i, waiting] of own.group.entries()) {
      const outcome = outcomes[i]
      if (outcome !== undefined) waiting.settle({ code: 'Answer', answer: mvcc.answerInTurn(outcome) })
    }
  }

  /** Refuses what began to wait before `sinceMs`. */
  refuseLate(sinceMs: number): void {
    const message = 'the cluster has no leader that this member can reach'
    for (const waiting of this.#queue.takeOlder(sinceMs)) waiting.settle({ code: 'Unavailable', message })
    const lost = 'the leader was lost before it confirmed the write'
    for (const { group } of this.#pending.takeOlder(sinceMs))
      settleAll(group, { code: 'Unknown', message: lost })
  }

  refuseWaiting(message: string): void {
    settleAll(this.#queue.takeAll(), { code: 'Unavailable', message })
  }

  /** What was given to a leader will not be known here. */
  giveUpPending(message: string): void {
    for (const { group } of this.#pending.takeAll()) settleAll(group, { code: 'Unknown', message })
  }
}

/** Proposals in the groups that entries hold. */
export function countProposals(entries: readonly Entry[]): number {
  let count = 0
  for (const { type, data } of entries) {
    if (type === 'command') count += readGroupHead(bufferOf(data)).count
  }
  return count
}

/** The same bytes as a buffer, not copied. */
export function bufferOf(data: Uint8Array): Buffer {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength)
}

function settleAll(group: readonly Waiting[], settled: Settled): void {
  for (const waiting of group) waiting.settle(settled)
}
