/**
 * Appends on their way to one follower, bounded in number and bytes (thesis 10.2.2 pipelines them). When full, nothing
 * more is sent until the oldest is answered.
 */
import type { LogIndex } from './types.ts'

export interface Inflights {
  /** Notes a message whose last entry is `last`. */
  add(last: LogIndex, bytes: number): void
  /** Forgets every message whose last entry is at or below `index`. */
  freeTo(index: LogIndex): void
  /** One message may still exceed the byte bound: it is checked before adding. */
  full(): boolean
  clear(): void
  count(): number
  bytes(): number
}

export interface InflightLimits {
  readonly countMax: number
  readonly bytesMax: number
}

export function createInflights({ countMax, bytesMax }: InflightLimits): Inflights {
  let queue: { readonly last: LogIndex; readonly bytes: number }[] = []
  let bytes = 0
  return {
    add(last, messageBytes) {
      queue.push({ last, bytes: messageBytes })
      bytes += messageBytes
    },
    freeTo(index) {
      let freed = 0
      for (const message of queue) {
        if (message.last > index) break
        bytes -= message.bytes
        freed++
      }
      queue.splice(0, freed)
    },
    full: () => queue.length >= countMax || bytes >= bytesMax,
    clear() {
      queue = []
      bytes = 0
    },
    count: () => queue.length,
    bytes: () => bytes,
  }
}
