/**
 * Priority and fairness: each request belongs to a flow of a schema, each schema to a priority level, each level has
 * seats. Without a free seat the request waits in a queue of its level, or is refused.
 *
 *     request ▶ schema ▶ level ─ seat free, own or borrowed ─▶ runs ▶ the seat goes to whom it belongs, to whom waits
 *                          └──── no seat ─▶ queue of the flow ─▶ its turn ▶ runs
 *                                             └ full, too long, client gone ▶ 429
 *
 * Source: Kubernetes documentation, "API Priority and Fairness"; enhancement 1040.
 */

import type { Clock } from '../../store/contract.ts'
import type { Exchange } from '../pipeline/exchange.ts'
import type { RequestInfo } from '../pipeline/request-info.ts'
import type { User } from '../pipeline/user.ts'
import { type Classification, Classifier } from './classifier.ts'
import type { Configuration } from './configuration.ts'
import type { LevelView } from './dump.ts'
import type { Queue } from './fair-queues.ts'
import { FlowMetrics, type Rejection } from './flow-statistics.ts'
import { type Admission, type Asked, isConnection, unlimited } from './gate.ts'
import { dealHand, flowHash } from './hand.ts'
import { type Flow, Level, type Requested, type Sitter, type Waiter } from './level.ts'
import { viewOf } from './level-view.ts'
import type { Seats } from './seats.ts'
import type { Work, WorkOf } from './work.ts'

/** Names of the headers that tell a client which schema and level its request had. */
interface FlowHeaders {
  readonly schemaUid: string
  readonly levelUid: string
}

interface FairGateParts {
  readonly clock: Clock
  readonly headers: FlowHeaders
  /** What requests are expected to cost. */
  readonly workOf: WorkOf
}

/** However long a request may take, it does not wait longer than this. Milliseconds. */
const waitMsMax = 60_000
/** The part of its time that a request may wait: the rest is for serving it. */
const waitPart = 1 / 4

export class FairGate {
  readonly #clock: Clock
  readonly #headers: FlowHeaders
  readonly #workOf: WorkOf
  readonly #metrics = new FlowMetrics()
  readonly #levels = new Map<string, Level>()
  /** Those of the levels, for borrowing. */
  #seats: readonly Seats[] = []
  #classifier: Classifier<Flow>
  /** The others are in use still, and no more than that. */
  #configuredNames: ReadonlySet<string> = new Set()
  /** In all levels. */
  #waiting = 0
  /** Where the next round of levels that want to borrow begins. */
  #turn = 0

  constructor({ clock, headers, workOf }: FairGateParts, configuration: Configuration) {
    this.#clock = clock
    this.#headers = headers
    this.#workOf = workOf
    this.#classifier = this.#configured(configuration)
  }

  /** From now on. Who has a seat keeps it; a level that is gone stays until it is not in use any more. */
  configure(configuration: Configuration): void {
    this.#classifier = this.#configured(configuration)
    for (const level of this.#levels.values()) this.#dispatch(level)
  }

  admit(
    user: User,
    info: RequestInfo,
    asked: Asked,
    exchange: Pick<Exchange, 'onClose'>,
  ): Admission | Promise<Admission> {
    if (isConnection(info)) return unlimited
    const flow = this.#classifier.classify(user, info)
    const { level, hand } = flow
    const { queues, queuing, seats, seatsMax } = level
    const work = this.#workOf(info, asked.query, seatsMax)
    const nowMs = this.#clock.monotonicMs()
    const requested: Requested = { user, info, sinceMs: nowMs }
    const queue = hand.length === 0 ? undefined : queues.choose(hand)
    if (queues.waiting === 0 && seats.take(this.#seats, work.seats)) {
      if (queue !== undefined) queues.begin(queue, work.seats)
      return this.#seated(flow, queue, work, requested, nowMs)
    }
    this.#metrics.unaccommodated(flow.statistics)
    if (queue === undefined || queuing === undefined) return this.#refused(flow, 'concurrency-limit', 0)
    if (queue.waiting.size >= queuing.lengthMax) return this.#refused(flow, 'queue-full', 0)
    const { startMs, deadlineMs } = asked.call
    const untilMs = startMs + Math.min((deadlineMs - startMs) * waitPart, waitMsMax)
    return this.#wait(flow, queue, work, { requested, waitMs: Math.max(0, untilMs - nowMs) }, exchange)
  }

  metricsText(): string {
    return this.#metrics.text(this.#levels.values())
  }

  /** What they hold now, by name. */
  levels(): readonly LevelView[] {
    const sinceEpochMs = this.#clock.wallMs() - this.#clock.monotonicMs()
    return [...this.#levels.values()]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((level) =>
        viewOf(level, {
          sinceEpochMs,
          isQuiescing: !this.#configuredNames.has(level.name),
          ...this.#metrics.ofLevel(level.name),
        }),
      )
  }

  #wait(
    flow: Flow,
    queue: Queue<Waiter>,
    { seats, extraMs, type }: Work,
    { requested, waitMs }: { readonly requested: Requested; readonly waitMs: number },
    exchange: Pick<Exchange, 'onClose'>,
  ): Promise<Admission> {
    return new Promise((settle) => {
      const timer = this.#clock.after(waitMs, () => this.#giveUp(waiter, 'time-out'))
      const waiter: Waiter = { flow, requested, queue, seats, extraMs, type, timer, settle }
      flow.level.queues.enqueue(queue, waiter)
      this.#metrics.queued(flow.statistics, queue.waiting.size)
      flow.statistics.inQueue++
      flow.statistics.inQueueSeats += seats
      this.#waiting++
      exchange.onClose(() => this.#giveUp(waiter, 'cancelled'))
    })
  }

  #giveUp(waiter: Waiter, reason: Rejection): void {
    const { flow, queue, requested } = waiter
    if (!queue.waiting.has(waiter)) return
    flow.level.queues.remove(queue, waiter)
    this.#left(waiter)
    waiter.settle(this.#refused(flow, reason, this.#clock.monotonicMs() - requested.sinceMs))
  }

  /** It is in no queue any more. */
  #left({ flow, seats, timer }: Waiter): void {
    flow.statistics.inQueue--
    flow.statistics.inQueueSeats -= seats
    this.#waiting--
    timer.cancel()
  }

  #refused({ statistics, headers }: Flow, reason: Rejection, waitedMs: number): Admission {
    this.#metrics.refused(statistics, reason, waitedMs)
    return { admitted: false, headers, release: unlimited.release }
  }

  #seated(
    flow: Flow,
    queue: Queue<Waiter> | undefined,
    work: Work,
    requested: Requested,
    nowMs: number,
  ): Admission {
    this.#metrics.seated(flow.statistics, work.seats, nowMs - requested.sinceMs)
    return new Seat({ flow, queue, work, requested, startedMs: nowMs, at: 0 }, this.#answered)
  }

  /** The event of a write goes to its watchers behind the answer: until then its seats are not free. */
  readonly #answered: Answered = (sitter) => {
    const { flow, queue, startedMs } = sitter
    const { seats, extraMs, type } = sitter.work
    flow.level.stand(sitter)
    flow.statistics.executing--
    this.#metrics.executed(flow.statistics, type, this.#clock.monotonicMs() - startedMs)
    if (extraMs === 0) this.#stoodUp(flow, queue, seats, startedMs)
    else this.#clock.after(extraMs, () => this.#stoodUp(flow, queue, seats, startedMs))
  }

  #stoodUp(flow: Flow, queue: Queue<Waiter> | undefined, count: number, startedMs: number): void {
    const { level, statistics } = flow
    statistics.executingSeats -= count
    if (queue !== undefined) level.queues.end(queue, this.#clock.monotonicMs() - startedMs, count)
    for (let at = 0; at < count; at++) {
      const lender = level.seats.give(this.#isInNeed)
      if (lender !== undefined && this.#waiting > 0) this.#dispatch(this.#levelOf(lender))
    }
    if (this.#waiting === 0) return
    this.#dispatch(level)
    if (this.#waiting > 0) this.#dispatchOthers()
  }

  readonly #isInNeed = (seats: Seats): boolean => (this.#levelOf(seats)?.queues.waiting ?? 0) > 0

  #levelOf(seats: Seats): Level | undefined {
    for (const level of this.#levels.values()) if (level.seats === seats) return level
    return undefined
  }

  /** A seat that its owner does not need may be lent again: to each level in turn. */
  #dispatchOthers(): void {
    const levels = [...this.#levels.values()]
    this.#turn = (this.#turn + 1) % levels.length
    for (let at = 0; at < levels.length; at++) this.#dispatch(levels[(this.#turn + at) % levels.length])
  }

  /** Seats whoever is next, as far as there are seats. */
  #dispatch(level: Level | undefined): void {
    if (level === undefined) return
    const { queues, seats } = level
    const accept = (waiter: Waiter): boolean => seats.take(this.#seats, waiter.seats)
    while (queues.waiting > 0) {
      const waiter = queues.next(accept)
      if (waiter === undefined) return
      const { flow, queue, requested } = waiter
      this.#left(waiter)
      waiter.settle(this.#seated(flow, queue, waiter, requested, this.#clock.monotonicMs()))
    }
  }

  #configured({ levels, schemas }: Configuration): Classifier<Flow> {
    const uids = new Map(levels.map(({ name, uid }) => [name, uid]))
    this.#configuredNames = new Set(uids.keys())
    for (const one of levels) {
      const level = this.#levels.get(one.name)
      if (level === undefined) this.#levels.set(one.name, new Level(one))
      else level.configure(one)
    }
    for (const [name, level] of this.#levels) if (!uids.has(name) && level.isUnused) this.#levels.delete(name)
    this.#seats = [...this.#levels.values()].map(({ seats }) => seats)
    return new Classifier(schemas, (classification) =>
      this.#flowOf(classification, uids.get(classification.schema.level) ?? ''),
    )
  }

  #flowOf({ schema, distinguisher }: Classification, levelUid: string): Flow {
    const level = this.#levels.get(schema.level)
    if (level === undefined) throw new TypeError(`a schema of no level: ${schema.name}`)
    const { queuing } = level
    const hash = flowHash(schema.name, distinguisher)
    return {
      level,
      schema: schema.name,
      distinguisher,
      hand: queuing === undefined ? [] : dealHand(hash, queuing.queues, queuing.handSize),
      statistics: this.#metrics.of(schema.name, level.name),
      headers: { [this.#headers.schemaUid]: schema.uid, [this.#headers.levelUid]: levelUid },
    }
  }
}

/** Held by a request that is served. */
class Seat implements Admission {
  readonly admitted = true
  readonly headers: Admission['headers']
  readonly #sitter: Sitter
  #release: Answered | undefined

  constructor(sitter: Sitter, release: Answered) {
    this.headers = sitter.flow.headers
    this.#sitter = sitter
    this.#release = release
    sitter.flow.level.sit(sitter)
  }

  release(): void {
    const release = this.#release
    this.#release = undefined
    release?.(this.#sitter)
  }
}

type Answered = (sitter: Sitter) => void
