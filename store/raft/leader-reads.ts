/** What a leader remembers of reads that wait for it to be confirmed (see reads.ts). */
import type { LogIndex, MemberId } from './types.ts'

interface ReadRequest {
  readonly from: MemberId
  readonly context: string
}

export interface ReadRound {
  readonly round: number
  readonly index: LogIndex
  readonly requests: readonly ReadRequest[]
}

export interface LeaderReads {
  /** Number of the latest round of this term; 0 = none. */
  started: number
  /** For the next round; also everything that came before the term's first commit. */
  waiting: ReadRequest[]
  /** Started, not confirmed; ascending. */
  rounds: ReadRound[]
}

export function createLeaderReads(): LeaderReads {
  return { started: 0, waiting: [], rounds: [] }
}
