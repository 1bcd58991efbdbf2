/** Judging by what is followed: at once where it is known, else when it is, but not for ever. */

import type { Clock, Timer } from '../../store/contract.ts'
import type { AdmissionRequest, Verdict } from './admission.ts'
import { refusal } from './request.ts'

/** How long a write waits for what it is judged by. Milliseconds. */
const readyMs = 10_000

/** Waits for `known`, not for ever. */
export async function whenReady(
  known: Promise<unknown>,
  clock: Clock,
  withinMs: number = readyMs,
): Promise<void> {
  let timer: Timer | undefined
  const late = new Promise<void>((resolve) => {
    timer = clock.after(withinMs, resolve)
  })
  await Promise.race([known, late])
  timer?.cancel()
}

/** What is known of something that is followed. */
interface Known<T> {
  /** Undefined = not yet. */
  current(): T | undefined
  /** Settles when it is known, or is still not after a while. */
  ready(): Promise<void>
}

/** Judges by what is known; answers at once where it is and `judge` does. */
export function whenKnown<T>(
  { current, ready }: Known<T>,
  request: AdmissionRequest,
  judge: (known: T) => Verdict,
): Verdict {
  const now = current()
  if (now !== undefined) return judge(now)
  return ready().then(() => {
    const known = current()
    return known === undefined ? refusal(request, 'not yet ready to handle request') : judge(known)
  })
}
