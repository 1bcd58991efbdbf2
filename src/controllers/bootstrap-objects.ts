/**
 * Objects beside the namespaces and the access policy that a new cluster has: priority classes of the system, and the
 * flow schemas and priority levels that clients of this API find. What is there already is left as it is.
 */

import type { Names } from '../names/names.ts'
import type { Machinery, ResourceRoute } from '../registry/machinery.ts'
import type { Router } from '../registry/router.ts'
import { everything } from '../storage/selector/selector.ts'
import { systemManager, systemUser } from './bootstrap.ts'
import { type BootstrapObject, flowSchemas, priorityLevels } from './bootstrap-flows.ts'
import type { Controller } from './controller.ts'
import { createOwn } from './own-writes.ts'
import { recurringController } from './recurring.ts'

const systemPriorities = [
  ['system-node-critical', 2_000_001_000, 'For pods that their node cannot do without.'],
  [
    'system-cluster-critical',
    2_000_000_000,
    'For pods that the cluster cannot do without, on whatever node.',
  ],
] as const

const priorityClasses: readonly BootstrapObject[] = systemPriorities.map(([name, value, description]) => ({
  metadata: { name },
  value,
  description,
}))

const retryMs = 1000

/** Makes them behind whatever else goes on, and tries again until all are there. */
export function createBootstrapObjects(machinery: Machinery, router: Router): Controller {
  return recurringController({
    clock: machinery.clock,
    log: machinery.log,
    trouble: 'an object of a new cluster is not there yet',
    work: () => ensureBootstrapObjects(machinery, router),
    againMs: undefined,
    retryMs,
  })
}

/** Returns what went wrong first; undefined = all are there. */
async function ensureBootstrapObjects(machinery: Machinery, router: Router): Promise<string | undefined> {
  const wanted = wantedIn(machinery.names).map(async ([group, plural, objects]) => {
    const route = router.route(group, 'v1', plural)
    return route === undefined ? undefined : ensureAll(objects, route, machinery)
  })
  const problems = await Promise.all(wanted)
  return problems.find((problem) => problem !== undefined)
}

function wantedIn(names: Names): readonly (readonly [string, string, readonly BootstrapObject[]])[] {
  const flowcontrol = names.expand('flowcontrol.apiserver.{groups}')
  return [
    [names.expand('scheduling.{groups}'), 'priorityclasses', priorityClasses],
    [flowcontrol, 'prioritylevelconfigurations', priorityLevels(names)],
    [flowcontrol, 'flowschemas', flowSchemas(names)],
  ]
}

async function ensureAll(
  wanted: readonly BootstrapObject[],
  route: ResourceRoute,
  machinery: Machinery,
): Promise<string | undefined> {
  const found = await route.storage.list({ selector: everything, start: { type: 'mostRecent' } })
  if (!found.ok) return found.failure.code
  const stored = new Set(found.value.items.map(({ name }) => name))
  const write = { route, machinery, user: systemUser, manager: systemManager }
  const { apiVersion, kind } = route.type
  const missing = wanted.filter(({ metadata }) => !stored.has(metadata.name))
  const made = await Promise.all(missing.map((object) => createOwn(write, { apiVersion, kind, ...object })))
  for (const one of made) if (!one.ok && one.failure.reason !== 'AlreadyExists') return one.failure.message
  return undefined
}
