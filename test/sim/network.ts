/** A simulated network: loss, repetition, delay and so reordering, and cuts that may hold in one direction only. */
import type { MemberId } from '../../store/raft/types.ts'
import type { Random } from './prng.ts'
import type { Scheduler } from './scheduler.ts'

interface Weather {
  readonly loss: number
  readonly repetition: number
  /** Most messages take this long, in milliseconds. */
  readonly delayMs: readonly [min: number, max: number]
  /** Share of messages that take up to ten times as long. */
  readonly straggling: number
}

export const calm: Weather = { loss: 0, repetition: 0, delayMs: [1, 4], straggling: 0 }

interface Parcel {
  readonly from: MemberId
  readonly to: MemberId
  readonly large: boolean
  deliver(): void
  lost(): void
}

export interface Network {
  weather: Weather
  /** Carries something; `lost` is called at once when it goes nowhere. `large`: what a black hole swallows. */
  carry(parcel: Parcel): void
  /** Nothing goes from `from` to `to` any more. */
  cut(from: MemberId, to: MemberId): void
  /** Large messages between these two vanish, small ones pass: a path with a wrong packet size. */
  swallow(from: MemberId, to: MemberId): void
  heal(): void
}

export function createNetwork(scheduler: Scheduler, random: Random): Network {
  const cuts = new Set<string>()
  const holes = new Set<string>()
  return {
    weather: calm,
    carry({ from, to, large, deliver, lost }) {
      const { loss, repetition, delayMs, straggling } = this.weather
      const path = `${from}>${to}`
      if (cuts.has(path) || (large && holes.has(path)) || random.chance(loss)) {
        lost()
        return
      }
      const copies = random.chance(repetition) ? 2 : 1
      for (let copy = 0; copy < copies; copy++) {
        const factor = random.chance(straggling) ? 10 : 1
        scheduler.after(random.between(...delayMs) * factor, deliver)
      }
    },
    cut: (from, to) => cuts.add(`${from}>${to}`),
    swallow: (from, to) => holes.add(`${from}>${to}`),
    heal() {
      cuts.clear()
      holes.clear()
    },
  }
}
