import { type Corrupt, fail, ok, type Result, type Revision, type Unavailable } from '../contract.ts'
import type { ReadState } from '../raft/ready.ts'

type Answer = Result<Revision, Unavailable | Corrupt>

interface Round {
  readonly sinceMs: number
  readonly resolve: ((answer: Answer) => void)[]
  askedMs: number
}

interface ConfirmedRound {
  readonly index: number
  readonly round: Round
}

export interface ReadRoundsOptions {
  /** Prefix of contexts, never used before, restarts included. */
  readonly origin: string
  /** Asked again after so long without an answer: the question or the answer was lost. */
  readonly askAgainMs: number
  /** Unavailable after so long. */
  readonly waitMaxMs: number
  /** False: nobody to ask now. */
  ask(context: string): boolean
  defer(action: () => void): void
}

/**
 * Read indexes on their way. Calls of one turn share a round; it is asked again under another context until the answer
 * comes or its time is over, and answered when this member has applied the index.
 */
export class ReadRounds {
  readonly #options: ReadRoundsOptions
  #gathering: Round | undefined
  #unasked: Round[] = []
  readonly #asked = new Map<string, Round>()
  #confirmed: ConfirmedRound[] = []
  #contexts = 0

  constructor(options: ReadRoundsOptions) {
    this.#options = options
  }

  request(nowMs: number): Promise<Answer> {
    return new Promise((resolve) => {
      if (this.#gathering !== undefined) {
        this.#gathering.resolve.push(resolve)
        return
      }
      const round: Round = { sinceMs: nowMs, resolve: [resolve], askedMs: nowMs }
      this.#gathering = round
      this.#options.defer(() => {
        this.#gathering = undefined
        this.#ask(round, nowMs)
      })
    })
  }

  confirm({ context, index }: ReadState): void {
    const round = this.#asked.get(context)
    if (round === undefined) return
    this.#asked.delete(context)
    this.#confirmed.push({ index, round })
  }

  lose(context: string): void {
    const round = this.#asked.get(context)
    if (round === undefined) return
    this.#asked.delete(context)
    this.#unasked.push(round)
  }

  /** Answers what `applied` suffices for, with the revision that was reached. */
  answer(applied: number, revision: Revision): void {
    if (this.#confirmed.length === 0) return
    const waiting: ConfirmedRound[] = []
    for (const confirmed of this.#confirmed) {
      if (confirmed.index > applied) waiting.push(confirmed)
      else for (const resolve of confirmed.round.resolve) resolve(ok(revision))
    }
    this.#confirmed = waiting
  }

  /** Asks what is due, gives up what is late. */
  tick(nowMs: number): void {
    const { askAgainMs, waitMaxMs } = this.#options
    for (const [context, round] of [...this.#asked]) {
      if (nowMs - round.askedMs >= askAgainMs) this.lose(context)
    }
    const due = this.#unasked
    this.#unasked = []
    for (const round of due) {
      if (nowMs - round.sinceMs < waitMaxMs) this.#ask(round, nowMs)
      else refuse(round, { code: 'Unavailable', message: 'no leader confirmed the read in time' })
    }
    const late = this.#confirmed.filter(({ round }) => nowMs - round.sinceMs >= waitMaxMs * 2)
    this.#confirmed = this.#confirmed.filter((confirmed) => !late.includes(confirmed))
    for (const { round } of late) {
      refuse(round, { code: 'Unavailable', message: 'this member is too far behind the leader' })
    }
  }

  refuseAll(failure: Unavailable | Corrupt): void {
    const rounds = [
      ...this.#unasked,
      ...this.#asked.values(),
      ...this.#confirmed.map(({ round }) => round),
      ...(this.#gathering === undefined ? [] : [this.#gathering]),
    ]
    this.#unasked = []
    this.#asked.clear()
    this.#confirmed = []
    this.#gathering = undefined
    for (const round of rounds) refuse(round, failure)
  }

  #ask(round: Round, nowMs: number): void {
    const context = `${this.#options.origin}.${++this.#contexts}`
    round.askedMs = nowMs
    if (round.resolve.length === 0) return
    if (this.#options.ask(context)) this.#asked.set(context, round)
    else this.#unasked.push(round)
  }
}

function refuse(round: Round, failure: Unavailable | Corrupt): void {
  for (const resolve of round.resolve.splice(0)) resolve(fail(failure))
}
