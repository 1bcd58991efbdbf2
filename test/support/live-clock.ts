import { type Clock, systemClock } from '../../store/clock.ts'

/** The machine's clock, whose timers keep the test process alive while nothing else does. */
export const liveClock: Clock = {
  ...systemClock,
  after(delayMs, action) {
    const handle = setTimeout(action, delayMs)
    return { cancel: () => clearTimeout(handle) }
  },
}
