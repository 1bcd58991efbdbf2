/**
 * Several clients that carry out one scenario together, so that one core of the generator does not hold back a server
 * of many. Each is a thread with an event loop of its own and a share of the connections and watchers. The leader (0,
 * the bench's own thread) makes the objects, opens and ends the window, and sums up.
 */

import type { RecordableHistogram } from 'node:perf_hooks'
import { elapse } from '../measure/sample.ts'

/** What a client has counted in a window. */
export interface Counted {
  readonly operations: number
  /** Microseconds. */
  readonly latency: RecordableHistogram
  readonly faults: readonly string[]
}

/** All clients go through the same steps, in this order: begin, end, hand (where the scenario has it), gather. */
export interface Crew {
  /** 0 leads. */
  readonly index: number
  readonly count: number
  /** Resolves when all have had their load under way for so long: the window begins. */
  begin(warmUpMs: number): Promise<void>
  /** Resolves when the window, which began so long ago, ends. */
  end(windowMs: number): Promise<void>
  /** What the leader hands in comes out everywhere. */
  hand<T>(value: T): Promise<T>
  /** For the leader, what all together have counted; for the others their own. */
  gather(counted: Counted): Promise<Counted>
  /** Tells the others a number, which stands until the next; `told` is the sum of all clients'. */
  tell(value: number): void
  told(): number
}

/** One client. */
export function createAlone(): Crew {
  let value = 0
  return {
    index: 0,
    count: 1,
    begin: elapse,
    end: elapse,
    hand: async (handed) => handed,
    gather: async (counted) => counted,
    tell(told) {
      value = told
    },
    told: () => value,
  }
}

/** This client's part of so many: where it begins, and how many it has. Parts differ by one at most. */
export function shareOf(
  total: number,
  { index, count }: Crew,
): { readonly first: number; readonly count: number } {
  const first = Math.floor((total * index) / count)
  return { first, count: Math.floor((total * (index + 1)) / count) - first }
}

/** Where this client's numbers of new objects begin: none makes so many. */
export function firstSequence({ index }: Crew): number {
  return index * 100_000_000
}

export function sum(parts: readonly Counted[], into: RecordableHistogram): Counted {
  for (const { latency } of parts) if (latency.count > 0) into.add(latency)
  return {
    operations: parts.reduce((total, { operations }) => total + operations, 0),
    latency: into,
    faults: parts.flatMap(({ faults }) => faults),
  }
}
