import { type DigestValue, describeDigest, digestEquals } from '../mvcc/digest.ts'
import { majorityOf } from '../raft/quorum.ts'
import type { MemberId } from '../raft/types.ts'

/** Checks that are remembered: members may be this many apart and still be compared. */
const checksKept = 8

/** Compares the hashes of the members' states, each taken after the same entry. */
export class StateCheck {
  readonly #own: MemberId
  /** By log index, then by member. */
  readonly #checks = new Map<number, Map<MemberId, DigestValue>>()

  constructor(own: MemberId) {
    this.#own = own
  }

  /**
   * Notes a member's hash. Returns what is wrong when a majority of the voters agrees on another state than this
   * member's; with two voters nobody can tell whose is wrong, and the one who does not lead gives way.
   */
  note(
    index: number,
    id: MemberId,
    digest: DigestValue,
    voters: readonly MemberId[],
    leader: MemberId | undefined,
  ): string | undefined {
    const check = this.#checks.get(index) ?? new Map<MemberId, DigestValue>()
    check.set(id, digest)
    this.#checks.set(index, check)
    for (const old of this.#checks.keys()) {
      if (this.#checks.size <= checksKept) break
      this.#checks.delete(old)
    }
    const own = check.get(this.#own)
    const others = voters.filter((voter) => voter !== this.#own)
    if (own === undefined) return undefined
    const differing = others.flatMap((voter) => {
      const theirs = check.get(voter)
      return theirs === undefined || digestEquals(theirs, own) ? [] : [{ voter, theirs }]
    })
    const [first] = differing
    if (first === undefined) return undefined
    const agreeing = differing.filter(({ theirs }) => digestEquals(theirs, first.theirs)).length
    const outvoted = agreeing >= majorityOf(voters.length)
    const yields = voters.length === 2 && leader === first.voter
    if (!outvoted && !yields) return undefined
    return `after log entry ${index} the state has hash ${describeDigest(own)}, but ${describeDigest(first.theirs)} on member ${differing.map(({ voter }) => voter).join(' and ')}`
  }
}
