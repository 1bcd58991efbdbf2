/**
 * One among several processes leads: the one that holds a lease and renews it in time.
 *
 *     candidate ──took the lease──▶ leader ──not renewed for `renewDeadlineMs`, or taken by another──▶ candidate
 *
 * A leader counts its time from before each renewal, and stops by its own clock `leaseDurationMs - renewDeadlineMs`
 * before anybody else may take over; nothing that another process does can make it lead longer.
 *
 * Source: client-go's leader election (names and durations of its flags `--leader-elect-*`).
 */

import type { Clock, Timer } from '../../../store/contract.ts'
import type { Log } from '../../observe/log.ts'

export interface ElectionTiming {
  /** How long candidates respect a lease that is not renewed. */
  readonly leaseDurationMs: number
  /** How long a leader leads on after its last renewal; less than the lease. */
  readonly renewDeadlineMs: number
  /** Between attempts, to get it and to renew it. */
  readonly retryMs: number
}

export const defaultTiming: ElectionTiming = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryMs: 2000,
}

/** `held`: it is mine from now on. `other`: somebody else holds it. Else what went wrong, in words. */
export type HoldOutcome = 'held' | 'other' | { readonly problem: string }

/** The lease, wherever it is kept. */
export interface LeaseKeeper {
  /** Takes or renews it. */
  hold(): Promise<HoldOutcome>
  /** Gives it back. */
  release(): Promise<void>
}

interface ElectionParts {
  readonly clock: Clock
  readonly log: Log
  readonly keeper: LeaseKeeper
  readonly timing: ElectionTiming
  /** 0 ≤ x < 1: spreads candidates. */
  readonly random: () => number
  /** Called at the begin of each term; the result ends it, at once and for good. */
  readonly lead: () => () => void
}

export interface Election {
  start(): void
  /** Asked before every write of the leader: false as soon as its time is over, whether it knows already or not. */
  readonly isLeading: boolean
  /** Ends the term and gives the lease back. Waits `releaseWaitMs` at most. Idempotent. */
  close(): Promise<void>
}

const releaseWaitMs = 1000

export function createElection({ clock, log, keeper, timing, random, lead }: ElectionParts): Election {
  let endTerm: (() => void) | undefined
  /** Monotonic. */
  let leadsUntilMs = Number.NEGATIVE_INFINITY
  let deadline: Timer | undefined
  let next: Timer | undefined
  let running: Promise<void> | undefined
  let closing: Promise<void> | undefined

  function attempt(): void {
    running = tryOnce().then(() => {
      if (closing !== undefined) return
      const spread = endTerm === undefined ? 1 + random() / 5 : 1
      next = clock.after(timing.retryMs * spread, attempt)
    })
  }

  async function tryOnce(): Promise<void> {
    const startedMs = clock.monotonicMs()
    const outcome = await keeper.hold().catch((error: unknown) => ({ problem: String(error) }))
    if (closing !== undefined) return
    if (outcome === 'held') extend(startedMs + timing.renewDeadlineMs)
    else if (outcome === 'other') end('another process holds the lease')
    else log.warn('the lease of the controllers could not be written', outcome)
  }

  function extend(untilMs: number): void {
    const nowMs = clock.monotonicMs()
    // The answer came too late to rely on.
    if (untilMs <= nowMs) return
    leadsUntilMs = untilMs
    deadline?.cancel()
    deadline = clock.after(untilMs - nowMs, () => end('the lease was not renewed in time'))
    endTerm ??= lead()
  }

  function end(why: string): void {
    deadline?.cancel()
    if (endTerm === undefined) return
    if (why !== '') log.warn('the controllers stop here', { why })
    const stop = endTerm
    endTerm = undefined
    leadsUntilMs = Number.NEGATIVE_INFINITY
    stop()
  }

  async function close(): Promise<void> {
    next?.cancel()
    end('')
    // An attempt that is under way may still take the lease: give it back behind that.
    if (running === undefined) return
    const given = running.then(() => keeper.release()).catch(() => {})
    let timer: Timer | undefined
    const timeUp = new Promise<void>((resolve) => {
      timer = clock.after(releaseWaitMs, resolve)
    })
    await Promise.race([given, timeUp])
    timer?.cancel()
  }

  return {
    start: attempt,
    get isLeading() {
      return clock.monotonicMs() < leadsUntilMs
    },
    close() {
      closing ??= close()
      return closing
    },
  }
}
