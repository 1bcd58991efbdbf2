/** What is counted of the requests of each flow schema. Names and labels are those that dashboards of this API know. */

import { Histogram, header, labelText, Numbers, sample } from '../observe/exposition.ts'
import type { Seats } from './seats.ts'

export type Rejection = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled'

/** Of one schema at one level. */
export class FlowStatistics {
  readonly level: string
  readonly labels: string
  readonly executedLabels: string
  readonly refusedLabels: string
  readonly durationLabels: Readonly<Record<'regular' | 'watch', string>>
  readonly rejected = new Map<Rejection, number>()
  dispatched = 0
  executing = 0
  executingSeats = 0
  inQueue = 0
  inQueueSeats = 0

  constructor(schema: string, level: string) {
    this.level = level
    this.labels = labelText({ flow_schema: schema, priority_level: level })
    this.executedLabels = labelText({ execute: 'true', flow_schema: schema, priority_level: level })
    this.durationLabels = {
      regular: `${this.labels},${labelText({ type: 'regular' })}`,
      watch: `${this.labels},${labelText({ type: 'watch' })}`,
    }
    this.refusedLabels = labelText({ execute: 'false', flow_schema: schema, priority_level: level })
  }
}

const secondBounds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30]
const queueBounds = [0, 10, 25, 50, 100, 250, 500, 1000]
const namePrefix = 'apiserver_flowcontrol_'

/** What is counted of a level: its seats. */
interface Level {
  readonly name: string
  readonly seats: Seats
}

type Amount = 'dispatched' | 'executing' | 'executingSeats' | 'inQueue' | 'inQueueSeats'

const amounts: readonly (readonly [string, string, 'counter' | 'gauge', Amount])[] = [
  ['dispatched_requests_total', 'Requests that got a seat.', 'counter', 'dispatched'],
  ['current_executing_requests', 'Requests that have a seat now.', 'gauge', 'executing'],
  ['current_executing_seats', 'Seats that requests have now.', 'gauge', 'executingSeats'],
  ['request_concurrency_in_use', 'Seats that requests have now.', 'gauge', 'executingSeats'],
  ['current_inqueue_seats', 'Seats that waiting requests want.', 'gauge', 'inQueueSeats'],
  ['current_inqueue_requests', 'Requests that wait for a seat now.', 'gauge', 'inQueue'],
]

const seatAmounts: readonly (readonly [string, string, (level: Level, total: number) => number])[] = [
  ['nominal_limit_seats', 'Seats that a level has of its own.', ({ seats }) => seats.limits.nominal],
  [
    'lower_limit_seats',
    'Seats that a level lends to nobody.',
    ({ seats: { limits } }) => limits.nominal - limits.lendable,
  ],
  [
    'upper_limit_seats',
    'Seats that a level can have when it borrows what it may; where that is not limited, all that there are.',
    ({ seats: { limits } }, total) => limits.nominal + Math.min(limits.borrowable, total),
  ],
  [
    'current_limit_seats',
    'Seats that a level has with those borrowed and without those lent.',
    ({ seats }) => seats.current,
  ],
]

export class FlowMetrics {
  readonly #flows = new Map<string, FlowStatistics>()
  readonly #waits = new Histogram(
    `${namePrefix}request_wait_duration_seconds`,
    'Time that requests waited for a seat.',
    secondBounds,
  )

  of(schema: string, level: string): FlowStatistics {
    const fresh = new FlowStatistics(schema, level)
    const known = this.#flows.get(fresh.labels)
    if (known !== undefined) return known
    this.#flows.set(fresh.labels, fresh)
    return fresh
  }

  /** Of all schemas of a level together. */
  ofLevel(level: string): {
    readonly dispatched: number
    readonly rejected: ReadonlyMap<Rejection, number>
  } {
    const rejected = new Map<Rejection, number>()
    let dispatched = 0
    for (const flow of this.#flows.values()) {
      if (flow.level !== level) continue
      dispatched += flow.dispatched
      for (const [reason, count] of flow.rejected) rejected.set(reason, (rejected.get(reason) ?? 0) + count)
    }
    return { dispatched, rejected }
  }

  readonly #durations = new Histogram(
    `${namePrefix}request_execution_seconds`,
    'Time that requests had a seat until they were answered, or their watch had begun.',
    secondBounds,
  )
  readonly #widths = new Histogram(
    `${namePrefix}work_estimated_seats`,
    'Seats that requests took.',
    [1, 2, 4, 10],
  )

  readonly #queueLengths = new Histogram(
    `${namePrefix}request_queue_length_after_enqueue`,
    'How many waited in a queue when a request had joined it, that request among them.',
    queueBounds,
  )
  readonly #unaccommodated = new Numbers(
    `${namePrefix}request_dispatch_no_accommodation_total`,
    'Requests that came when there were no seats for them.',
    'counter',
  )

  /** There were no seats for it. */
  unaccommodated({ labels }: FlowStatistics): void {
    this.#unaccommodated.add(labels, 1)
  }

  /** @param length with the one that joined */
  queued({ labels }: FlowStatistics, length: number): void {
    this.#queueLengths.observe(labels, length)
  }

  seated(flow: FlowStatistics, seats: number, waitedMs: number): void {
    flow.dispatched++
    flow.executing++
    flow.executingSeats += seats
    this.#widths.observe(flow.labels, seats)
    this.#waits.observe(flow.executedLabels, waitedMs / 1000)
  }

  executed(flow: FlowStatistics, type: 'regular' | 'watch', tookMs: number): void {
    this.#durations.observe(flow.durationLabels[type], tookMs / 1000)
  }

  refused(flow: FlowStatistics, reason: Rejection, waitedMs: number): void {
    flow.rejected.set(reason, (flow.rejected.get(reason) ?? 0) + 1)
    this.#waits.observe(flow.refusedLabels, waitedMs / 1000)
  }

  text(levels: Iterable<Level>): string {
    const flows = [...this.#flows.values()]
    let text = ''
    for (const [name, help, type, amount] of amounts) {
      text += header(namePrefix + name, help, type)
      for (const flow of flows) text += sample(namePrefix + name, flow.labels, flow[amount])
    }
    const rejected = `${namePrefix}rejected_requests_total`
    text += header(rejected, 'Requests that got no seat, by reason.', 'counter')
    for (const { labels, rejected: reasons } of flows) {
      for (const [reason, count] of reasons)
        text += sample(rejected, `${labels},${labelText({ reason })}`, count)
    }
    return (
      text +
      this.#waits.text() +
      this.#durations.text() +
      this.#widths.text() +
      this.#queueLengths.text() +
      this.#unaccommodated.text() +
      seatsText([...levels])
    )
  }
}

function seatsText(levels: readonly Level[]): string {
  const total = levels.reduce((sum, { seats }) => sum + seats.limits.nominal, 0)
  let text = ''
  for (const [name, help, amountOf] of seatAmounts) {
    text += header(namePrefix + name, help, 'gauge')
    for (const level of levels)
      text += sample(namePrefix + name, labelText({ priority_level: level.name }), amountOf(level, total))
  }
  return text
}
