/** A simulated network: loss, repetition, delay and so reordering, and cuts that may hold in one direction only. */
import type { MemberId } from '../../store/raft/types.ts'
import type { Random } from './prng.ts'
import type { Scheduler } from './scheduler.ts'

export interface Weather {
  readonly loss: number
  readonly repetition: number
  /** Most messages take this long, in milliseconds. */
  readonly delayMs: readonly [min: number, max: number]
  /** Share of messages that take up to ten times as long. */
  readonly straggling: number
}

export const calm: Weather = { loss: 0, repetition: 0, delayMs: [1, 4], straggling: 0 }

export interface Network {
  weather: Weather
  /** Carries something; `lost` is called at once when it goes nowhere. */
  carry(from: MemberId, to: MemberId, deliver: () => void, lost?: () => void): void
  /** Nothing goes from `from` to `to` any more. */
  cut(from: MemberId, to: MemberId): void
  heal(): void
}

export function createNetwork(scheduler: Scheduler, random: Random): Network {
  const cuts = new Set<string>()
  return {
    weather: calm,
    carry(from, to, deliver, lost) {
      const { loss, repetition, delayMs, straggling } = this.weather
      if (cuts.has(`${from}>${to}`) || random.chance(loss)) {
        lost?.()
        return
      }
      const copies = random.chance(repetition) ? 2 : 1
      for (let copy = 0; copy < copies; copy++) {
        const factor = random.chance(straggling) ? 10 : 1
        scheduler.after(random.between(...delayMs) * factor, deliver)
      }
    },
    cut: (from, to) => cuts.add(`${from}>${to}`),
    heal: () => cuts.clear(),
  }
}
