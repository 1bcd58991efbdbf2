import type { Log } from '../src/observe/log.ts'
import { ok, type Store } from '../store/contract.ts'
import type { Crew } from './crew.ts'
import { type Serving, startServing } from './serving.ts'

/** Everything in this process. @param memberMetrics Prometheus text of the member behind the store */
export function createOwnCrew(store: Store, log: Log, memberMetrics: () => string = () => ''): Crew {
  let serving: Serving | undefined
  return {
    async start(settings) {
      const collectMetrics = async (): Promise<string> =>
        ((await serving?.metricsText()) ?? '') + memberMetrics()
      const started = await startServing(settings, { store, log, collectMetrics })
      if (!started.ok) return started
      serving = started.value
      return ok(serving)
    },
    renew: (all) => serving?.renew(all),
    drain: () => serving?.drain(),
    stop: async (graceMs) => serving?.stop(graceMs),
    kill() {},
  }
}
