import type { Log } from '../src/observe/log.ts'
import type { Result, Store } from '../store/contract.ts'
import { ok } from '../store/contract.ts'
import {
  type ListenerInfo,
  type Serving,
  type ServingFailure,
  type ServingSettings,
  startServing,
} from './serving.ts'

/** Those who serve clients: worker processes, or this one. */
export interface Crew {
  /** Settles when all of them serve, or the first says that it never will. */
  start(settings: ServingSettings): Promise<Result<CrewReady, ServingFailure>>
  /** `/readyz` fails on all of them from now on. */
  drain(): void
  /** As `Serving.stop`, on all of them; settles when all have ended. */
  stop(graceMs: number): Promise<void>
  /** Ends them at once. */
  kill(): void
}

export interface CrewReady {
  readonly listeners: readonly ListenerInfo[]
  readonly plainNote: string | undefined
}

/** Everything in this process. */
export function createOwnCrew(store: Store, log: Log): Crew {
  let serving: Serving | undefined
  return {
    async start(settings) {
      const started = await startServing(settings, { store, log })
      if (!started.ok) return started
      serving = started.value
      return ok(serving)
    },
    drain: () => serving?.drain(),
    stop: async (graceMs) => serving?.stop(graceMs),
    kill() {},
  }
}
