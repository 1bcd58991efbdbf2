import type { Log } from '../src/observe/log.ts'
import { ok, type Store } from '../store/contract.ts'
import { type AuditKeeper, noKeeper } from './audit/open.ts'
import type { Crew } from './crew.ts'
import { type Serving, startServing } from './serving.ts'

interface OwnCrewOptions {
  /** Prometheus text of the member behind the store; absent = none. */
  readonly memberMetrics?: () => string
  /** Absent = nobody keeps the audit log in order. */
  readonly auditKeeper?: AuditKeeper
}

/** Everything in this process. */
export function createOwnCrew(
  store: Store,
  log: Log,
  { memberMetrics = () => '', auditKeeper = noKeeper }: OwnCrewOptions = {},
): Crew {
  let serving: Serving | undefined
  return {
    async start(settings) {
      const collectMetrics = async (): Promise<string> =>
        ((await serving?.metricsText()) ?? '') + memberMetrics()
      const started = await startServing(settings, { store, log, collectMetrics, auditKeeper })
      if (!started.ok) return started
      serving = started.value
      return ok(serving)
    },
    renew: (all) => serving?.renew(all),
    async reopenAuditLog() {
      serving?.reopenAuditLog()
    },
    drain: () => serving?.drain(),
    stop: async (graceMs) => serving?.stop(graceMs),
    kill() {},
  }
}
