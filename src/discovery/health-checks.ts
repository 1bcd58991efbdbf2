/** What health is made of. Source: specification, "Health endpoints". */

import type { Clock } from '../../store/contract.ts'
import type { Storage } from '../storage/contract.ts'
import type { HealthCheck, HealthEndpoint } from './health.ts'

/** Where the server stands between start and stop. */
export interface Lifecycle {
  /** Monotonic. Milliseconds. */
  readonly startedMs: number
  /** The system's own objects are there. */
  bootstrapped: boolean
  /** The server is about to stop. */
  draining: boolean
}

interface HealthCheckParts {
  readonly clock: Clock
  readonly storage: Storage
  readonly lifecycle: Lifecycle
  readonly livezGracePeriodMs: number
}

/** Longest that the store may take to answer. Milliseconds. */
const storeAnswerMs = 2000

const all: ReadonlySet<HealthEndpoint> = new Set(['healthz', 'livez', 'readyz'])
const ready: ReadonlySet<HealthEndpoint> = new Set(['readyz'])
const alive: ReadonlySet<HealthEndpoint> = new Set(['livez'])
const notAlive: ReadonlySet<HealthEndpoint> = new Set(['healthz', 'readyz'])

export function createHealthChecks(parts: HealthCheckParts): readonly HealthCheck[] {
  const { clock, lifecycle, livezGracePeriodMs } = parts
  const started = 'poststarthook/bootstrap-system-namespaces'
  const startProblem = () => (lifecycle.bootstrapped ? undefined : 'not finished')
  return [
    { name: 'ping', endpoints: all, check: () => undefined },
    { name: 'log', endpoints: all, check: () => undefined },
    { name: 'store', endpoints: all, check: () => storeProblem(parts) },
    { name: 'informer-sync', endpoints: ready, check: startProblem },
    { name: started, endpoints: notAlive, check: startProblem },
    {
      name: started,
      endpoints: alive,
      check: () =>
        clock.monotonicMs() - lifecycle.startedMs < livezGracePeriodMs ? undefined : startProblem(),
    },
    { name: 'shutdown', endpoints: ready, check: () => (lifecycle.draining ? 'stopping' : undefined) },
  ]
}

/** The store confirms a revision in time: it has a leader, and this process has a link to it. */
async function storeProblem({ storage, clock }: HealthCheckParts): Promise<string | undefined> {
  let cancel = () => {}
  const late = new Promise<string>((resolve) => {
    const timer = clock.after(storeAnswerMs, () => resolve('no answer in time'))
    cancel = () => timer.cancel()
  })
  const answered = storage.readIndex().then((index) => (index.ok ? undefined : index.failure.message))
  try {
    return await Promise.race([answered, late])
  } finally {
    cancel()
  }
}
