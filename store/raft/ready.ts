/**
 * One batch of work for the driver, and the contract of the driver.
 *
 * The core is driven by one loop. It never runs two calls at once, and only one batch is out at a time:
 *
 *     on message: raft.step(m)   on clock: raft.tick()   on request: raft.propose(…), raft.readIndex(…), …
 *     send(raft.messages())                                   at any time, also while a batch is being written
 *     while ((batch = raft.ready()) !== undefined) {
 *       1. send(batch.messages)                               these wait for nothing
 *       2. disk: snapshot, then entries, then hardState, in one atomic write; synced when batch.mustSync
 *       3. tail.reset(snapshot) and tail.append(entries)      memory follows the disk
 *       4. raft.advance()                                     "all of it is durable"
 *       5. send(batch.messagesAfterPersist)                   network only after disk
 *       6. apply batch.committed, in order, then answer batch.readStates whose index is applied
 *     }
 *
 * Step 2 may take as long as it likes: step, tick, propose and messages() go on meanwhile, so that everything which
 * arrives during one write shares the next (group commit), and heartbeats and reads do not wait for the disk.
 * Back-pressure: a driver whose state machine is behind leaves `ready()` uncalled; `messages()` keeps the leader alive.
 *
 * The driver also promises:
 * - an entry reaches the state machine durably only when the log up to it is durable; after a restart `applied` is what
 *   the state machine says, and the entries after it are in the tail;
 * - nothing of a batch is lost when a later one is found on the disk (a torn batch counts as not written);
 * - a proposal is answered when its index is applied: done if the entry there has the proposal's term, else it has
 *   certainly not happened; when the member stops leading first, its fate is unknown;
 * - a read context is never used twice by a member, restarts included; requests whose answer does not come are asked
 *   again under a new one;
 * - a failed connection is reported with `reportUnreachable`, the fate of each snapshot with `reportSnapshot`.
 */
import type { Message } from './message.ts'
import type { Entry, HardState, LogIndex, Snapshot } from './types.ts'

/** The answer to a read: serve it from any state that has applied `index` (thesis 6.4). */
export interface ReadState {
  readonly context: string
  readonly index: LogIndex
}

export interface Ready {
  /** May leave at once, beside the write: they promise nothing that is not durable (thesis 10.2.1). */
  readonly messages: readonly Message[]
  /** To install in place of the whole state and log, before `entries`. Its data came with the snapshot message. */
  readonly snapshot: Snapshot | undefined
  /** To append, replacing whatever is stored at and after the first of them. Contiguous. */
  readonly entries: readonly Entry[]
  /** To store when present: it differs from the one before. */
  readonly hardState: HardState | undefined
  /** True: the write must be synced before `advance()`. False: only the commit index moved, it may be lost. */
  readonly mustSync: boolean
  /** Leave only after the write is synced: votes and acceptances that a crash must not forget (thesis 3.8). */
  readonly messagesAfterPersist: readonly Message[]
  /**
   * To apply, after the write: contiguous with those of the batch before. Bounded by applyBytesMax. Empty in a batch
   * with a snapshot.
   */
  readonly committed: readonly Entry[]
  /** Reads confirmed; wait until `index` is applied. */
  readonly readStates: readonly ReadState[]
  /** Contexts of reads that get no answer: the leader changed, or a message went astray. Ask again. */
  readonly readsLost: readonly string[]
}
