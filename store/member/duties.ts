import type { Proposal } from '../mvcc/command.ts'
import type { Settled } from './proposal-queue.ts'
import type { Replica } from './replica.ts'
import type { ReplicaParts } from './replica-parts.ts'
import { Repeating, RevisionTimes } from './timers.ts'

export interface DutySettings {
  /** How long history is kept at least; compaction follows within a tenth of it. */
  readonly historyMs: number
  /** Versions kept for history at most: beyond it history gets shorter than `historyMs`. About 150 bytes each. */
  readonly historyVersionsMax: number
}

export interface DutiesOptions extends DutySettings, Pick<ReplicaParts, 'clock' | 'timing'> {
  readonly replica: Replica
  /** False: the member has stopped, nothing is to be proposed. */
  isServing(): boolean
  /** Makes `at` the oldest readable revision; settles when that is done, or cannot be done now. */
  compact(at: number): Promise<unknown>
  propose(proposal: Proposal): Promise<Settled>
}

const expiryPeriodMs = 1000
const compactionPeriodMaxMs = 10_000
/** How often the members compare their states. */
const checkPeriodMs = 10_000
/** History may outgrow its bound by so much between two turns of the timer. */
const historySlack = 1.25

/**
 * What whoever leads does without being asked: removing keys whose time has come, compacting history by age and
 * number, having the members' states compared. The timers run on every member; what is not led is left alone.
 */
export class Duties {
  readonly #options: DutiesOptions
  readonly #revisionTimes: RevisionTimes
  readonly #timers: readonly Repeating[]
  /** History is being shortened because it is too long, whatever its age. */
  #relieving = false
  /** Log index up to which the states were compared. */
  #checkedIndex = 0

  constructor(options: DutiesOptions) {
    this.#options = options
    const { clock, timing, historyMs } = options
    this.#revisionTimes = new RevisionTimes(historyMs)
    this.#timers = [
      new Repeating(clock, Math.min(compactionPeriodMaxMs, historyMs / 10), () => this.#compactDue()),
      new Repeating(clock, expiryPeriodMs, () => this.#expireDue()),
      ...(timing.ticks ? [new Repeating(clock, checkPeriodMs, () => this.#checkDue())] : []),
    ]
  }

  start(): void {
    const { clock, replica } = this.#options
    this.#revisionTimes.mark(clock.monotonicMs(), replica.state.revision)
    for (const timer of this.#timers) timer.start()
  }

  close(): void {
    for (const timer of this.#timers) timer.close()
  }

  /** An entry was applied: keeps memory bounded when writes come faster than history may grow. */
  onApplied(): void {
    const { replica, historyVersionsMax: max } = this.#options
    const { state } = replica
    if (this.#relieving || !this.#options.isServing() || state.historyVersions <= max * historySlack) return
    if (!replica.leads) return
    this.#relieving = true
    void this.#options.compact(state.compactionForBound(max)).then(() => {
      this.#relieving = false
    })
  }

  async #compactDue(): Promise<void> {
    const { clock, replica, historyVersionsMax } = this.#options
    const { state, leads } = replica
    // Marked by everybody: whoever leads next goes on from the same times.
    const byTime = this.#revisionTimes.mark(clock.monotonicMs(), state.revision)
    const target = Math.max(byTime, state.compactionForBound(historyVersionsMax))
    if (leads && target > state.oldest && this.#options.isServing()) await this.#options.compact(target)
  }

  async #expireDue(): Promise<void> {
    const { clock, replica } = this.#options
    while (this.#options.isServing() && replica.leads) {
      const keys = replica.state.due(clock.wallMs())
      if (keys.length === 0) return
      const settled = await this.#options.propose({ type: 'expire', keys })
      if (settled.code !== 'Answer') return
    }
  }

  /** Proposes a comparison of states when something was applied since the last one. */
  async #checkDue(): Promise<void> {
    const { leads, mvcc, raft } = this.#options.replica
    const others = raft.status().peers.length > 0
    if (!this.#options.isServing() || !leads || !others || mvcc.appliedIndex <= this.#checkedIndex) return
    await this.#options.propose({ type: 'check' })
    this.#checkedIndex = mvcc.appliedIndex
  }
}
