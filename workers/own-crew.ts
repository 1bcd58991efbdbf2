import type { Log } from '../src/observe/log.ts'
import { ok, type Store } from '../store/contract.ts'
import type { Crew } from './crew.ts'
import { type Serving, startServing } from './serving.ts'

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
