/**
 * Makes what the system itself needs, where it is missing: its namespaces, then the rest, step by step. Safe to run in
 * every process at once.
 */

import type { User } from '../pipeline/user.ts'
import { insertObject } from '../registry/create.ts'
import type { Machinery, ResourceRoute } from '../registry/machinery.ts'
import type { Router } from '../registry/router.ts'

/** Whom the server's own writes are by. */
export const systemUser: User = {
  name: 'system:apiserver',
  uid: '',
  groups: ['system:masters'],
  extra: new Map(),
}

/** Who owns the fields that the server itself writes. */
export const systemManager = 'apiserver'

interface Bootstrap {
  /**
   * Resolves when all is there, or after a number of attempts; then attempts go on in the background. `done` runs once,
   * when all is there.
   */
  run(done: () => void): Promise<void>
  close(): void
}

const attemptsAwaited = 10
const retryMinMs = 50
const retryMaxMs = 2000

/** Returns what is in the way; undefined = done. */
type BootstrapStep = () => Promise<string | undefined> | undefined

/** `steps` run at once, when the namespaces are there. */
export function createBootstrap(
  machinery: Machinery,
  router: Router,
  steps: readonly BootstrapStep[],
): Bootstrap {
  const { names, clock, log } = machinery
  const wanted = ['default', names.systemNamespace, names.publicNamespace, names.nodeLeaseNamespace]
  let closed = false

  async function pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => clock.after(ms, resolve))
  }

  async function attempt(): Promise<boolean> {
    const route = router.route('', 'v1', 'namespaces')
    if (route === undefined) return true
    const problems = await Promise.all(wanted.map((name) => ensureNamespace(name, route, machinery)))
    let problem = problems.find((one) => one !== undefined)
    if (problem === undefined) {
      const later = await Promise.all(steps.map((step) => step()))
      problem = later.find((one) => one !== undefined)
    }
    if (problem !== undefined) log.warn('what the system needs is not there yet', { problem })
    return problem === undefined
  }

  async function goOn(done: () => void): Promise<void> {
    for (let delayMs = retryMinMs; !closed; delayMs = Math.min(delayMs * 2, retryMaxMs)) {
      if (await attempt()) return done()
      await pause(delayMs)
    }
  }

  return {
    async run(done) {
      let delayMs = retryMinMs
      for (let attempts = 0; attempts < attemptsAwaited && !closed; attempts++) {
        if (await attempt()) return done()
        await pause(delayMs)
        delayMs = Math.min(delayMs * 2, retryMaxMs)
      }
      void goOn(done)
    },
    close() {
      closed = true
    },
  }
}

/** Undefined = it is there. */
async function ensureNamespace(
  name: string,
  route: ResourceRoute,
  machinery: Machinery,
): Promise<string | undefined> {
  const found = await route.storage.get({ namespace: '', name }, { type: 'mostRecent' })
  if (!found.ok) return found.failure.code
  if (found.value !== undefined) return undefined
  const { message, apiVersion, kind } = route.type
  const decoded = machinery.schema.decode(message, { apiVersion, kind, metadata: { name } })
  if (!decoded.ok) throw new TypeError(decoded.failure.message)
  machinery.schema.applyDefaults(message, decoded.value.object)
  const made = await insertObject(route, machinery, {
    object: decoded.value.object,
    namespace: '',
    user: systemUser,
    manager: systemManager,
    dryRun: false,
  })
  return made.ok || made.failure.reason === 'AlreadyExists' ? undefined : made.failure.message
}
