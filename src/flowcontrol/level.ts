/** One priority level while it is in use: its seats, its queues, and who waits in them. */

import type { Timer } from '../../store/contract.ts'
import type { RequestInfo } from '../pipeline/request-info.ts'
import type { User } from '../pipeline/user.ts'
import type { LevelConfiguration, Queuing } from './configuration.ts'
import { FairQueues, type Queue } from './fair-queues.ts'
import type { FlowStatistics } from './flow-statistics.ts'
import type { Admission } from './gate.ts'
import { Seats } from './seats.ts'
import { seatsMaxOf, type Work } from './work.ts'

/** Requests that are served one after the other as far as others want to be served too. */
export interface Flow {
  readonly level: Level
  /** Name of the schema. */
  readonly schema: string
  readonly distinguisher: string
  /** Queues that it may use; empty where nobody queues. */
  readonly hand: readonly number[]
  readonly statistics: FlowStatistics
  /** Of the answers: which schema and level it was. */
  readonly headers: Admission['headers']
}

/** Who asks for what, and since when (monotonic milliseconds). */
export interface Requested {
  readonly user: User
  readonly info: RequestInfo
  readonly sinceMs: number
}

/** A request in a queue. */
export interface Waiter {
  readonly flow: Flow
  readonly requested: Requested
  readonly queue: Queue<Waiter>
  /** That it wants, and for how long after its answer. */
  readonly seats: number
  readonly extraMs: number
  readonly type: Work['type']
  readonly timer: Timer
  readonly settle: (admission: Admission) => void
}

/** A request that has a seat. */
export interface Sitter {
  readonly flow: Flow
  readonly requested: Requested
  readonly queue: Queue<Waiter> | undefined
  readonly work: Work
  /** Monotonic milliseconds. */
  readonly startedMs: number
  /** Its place in the list of its level. */
  at: number
}

export class Level {
  readonly name: string
  /** In no order. */
  readonly sitters: Sitter[] = []
  readonly seats: Seats
  readonly queues = new FairQueues<Waiter>()
  queuing: Queuing | undefined
  /** That one request may take. */
  seatsMax: number

  constructor({ name, seats, queuing }: LevelConfiguration) {
    this.name = name
    this.seats = new Seats(seats)
    this.queuing = queuing
    this.seatsMax = seatsMaxOf(seats.nominal, queuing?.handSize)
  }

  /** Who has a seat keeps it, who waits goes on waiting. */
  configure({ seats, queuing }: LevelConfiguration): void {
    this.seats.limits = seats
    this.queuing = queuing
    this.seatsMax = seatsMaxOf(seats.nominal, queuing?.handSize)
  }

  sit(sitter: Sitter): void {
    sitter.at = this.sitters.length
    this.sitters.push(sitter)
  }

  /** The last one takes its place in the list. */
  stand(sitter: Sitter): void {
    const last = this.sitters.pop()
    if (last === undefined || last === sitter) return
    last.at = sitter.at
    this.sitters[last.at] = last
  }

  /** Nobody sits, nobody waits, nothing is lent. */
  get isUnused(): boolean {
    return this.seats.taken === 0 && this.seats.lent === 0 && this.queues.waiting === 0
  }
}
