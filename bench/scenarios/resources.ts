/**
 * What a server takes before any load: time to start, memory for objects, memory for watches that nothing happens to.
 * Each run has a server of its own where one can be started, so that earlier load leaves no trace.
 */

import { readFileSync } from 'node:fs'
import { callExpecting } from '../client/api.ts'
import { elapse, memoryMetrics, type Sample } from '../measure/sample.ts'
import { openWatchers } from './fanout.ts'
import { cleanUp, collectionPath, createNamespace, populate } from './objects.ts'
import type { Context, Goal, Scenario, StartedTarget, Target } from './scenario.ts'
import { tokenEndpoint } from './token-endpoint.ts'

/**
 * Runs `action` on a fresh server and ends it; on a server that cannot be started again, on that one, in a namespace of
 * each run's own: the last one's may take its time to go.
 */
async function onFresh<T>(context: Context, action: (fresh: Context) => Promise<T>): Promise<T> {
  const fresh = await context.target.another?.()
  const namespace = `${context.namespace}-${Date.now().toString(36)}`
  try {
    return await action({ ...context, namespace, ...(fresh === undefined ? {} : { target: fresh }) })
  } finally {
    await fresh?.close()
  }
}

const start: Scenario = {
  name: 'start',
  title: 'start to ready, empty',
  unit: 'start',
  goal: { metric: 'readyMs', atMost: 600, referenceThere: 2600 },
  async prepare({ target }) {
    const { another } = target
    if (another === undefined) return { skipped: 'the server was not started here' }
    return { run: () => measureStart(another), close: async () => {} }
  },
}

async function measureStart(another: () => Promise<StartedTarget>): Promise<Sample> {
  const fresh = await another()
  const memory = memoryMetrics(fresh.processes)
  await fresh.close()
  return { metrics: { readyMs: fresh.readyMs, ...memory }, latency: undefined, faults: [] }
}

/** Garbage of what came before is mostly gone after this; the figure is what an operator would see. */
const settleFactor = 0.5

function needsProcesses(target: Target): { readonly skipped: string } | undefined {
  return target.processes === undefined
    ? { skipped: 'the processes of the server are not known (--pid)' }
    : undefined
}

const memory: Scenario = {
  name: 'memory',
  title: 'memory with objects',
  unit: 'server',
  goal: { metric: 'serverMiB', atMost: 170, referenceThere: 850 },
  async prepare(context) {
    if (context.target.isBaseline) return { skipped: 'the baseline stores nothing' }
    return (
      needsProcesses(context.target) ?? { run: () => onFresh(context, measureMemory), close: async () => {} }
    )
  },
}

async function measureMemory(context: Context): Promise<Sample> {
  const { target, settings } = context
  const empty = memoryMetrics(target.processes)
  await createNamespace(context)
  await populate(context, 'm', settings.memoryObjects, settings.objectBytes)
  // Every cache has seen them all when a list has been read from it.
  await callExpecting(target.endpoint, { method: 'GET', target: collectionPath(context.namespace) }, 200)
  await elapse(settings.windowMs * settleFactor)
  const full = memoryMetrics(target.processes)
  await cleanUp(context)
  const grownMiB = (full.serverMiB ?? 0) - (empty.serverMiB ?? 0)
  return {
    metrics: {
      ...full,
      ...(empty.serverMiB === undefined ? {} : { emptyMiB: empty.serverMiB }),
      eachKiB: (grownMiB * 1024) / settings.memoryObjects,
    },
    latency: undefined,
    faults: [],
  }
}

interface IdleKind {
  readonly name: string
  readonly title: string
  readonly goal: Goal
  /** The clients are a service account's, by its token; absent = they are whoever the target's endpoint says. */
  readonly byToken?: true
  /** Absent: each watch has an HTTP/1.1 connection of its own. */
  readonly streamsEach?: number
}

const ownConnection: IdleKind = {
  name: 'idle-watches',
  title: 'idle watch on its own TLS connection',
  goal: { metric: 'eachKiB', atMost: 45, baselineThere: 55, referenceThere: 64 },
}

/** As controllers in a cluster come, and like the clients of the bare server: without a certificate. */
const ownConnectionByToken: IdleKind = {
  name: 'idle-watches-token',
  title: 'idle watch on its own TLS connection, by token',
  goal: { metric: 'eachKiB', atMost: 45, baselineThere: 55, referenceThere: 64 },
  byToken: true,
}

/** As many as the server takes on a connection by default; what a connection takes is in the figure. */
const sharedConnection: IdleKind = {
  name: 'idle-watches-http2',
  title: 'idle watch, stream of a shared HTTP/2 connection',
  goal: { metric: 'eachKiB', atMost: 8 },
  streamsEach: 100,
}

function idle(kind: IdleKind): Scenario {
  const { name, title, goal, streamsEach = 1 } = kind
  return {
    name,
    title,
    unit: 'watch',
    goal,
    async prepare(context) {
      const unknown = needsProcesses(context.target)
      if (unknown !== undefined) return unknown
      checkOpenFiles(context.settings.idleWatches / streamsEach)
      return { run: () => onFresh(context, (fresh) => measureIdle(fresh, kind)), close: async () => {} }
    },
  }
}

/** The first watches bring in code and caches that later ones share: they are not counted. */
const firstWatches = 100

/** What a process has open beside the connections that are measured, about. */
const otherFiles = 200 + firstWatches

/** Throws where the connections are more than a process may have open: this one's limit is the server's, too. */
function checkOpenFiles(connections: number): void {
  const needed = Math.ceil(connections) + otherFiles
  const allowed = openFilesMax()
  if (needed <= allowed) return
  throw new Error(
    `${Math.ceil(connections)} connections need ${needed} open files for each process, and ${allowed} are allowed: ` +
      `raise the limit (ulimit -n ${needed}) or open fewer (--idle ${Math.max(1, allowed - otherFiles)})`,
  )
}

/** Node raises its soft limit to the hard one when it starts. */
function openFilesMax(): number {
  const hard = /^Max open files +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard)
}

async function measureIdle(given: Context, { streamsEach, byToken }: IdleKind): Promise<Sample> {
  const { target, settings } = given
  await createNamespace(given)
  const endpoint = byToken ? await tokenEndpoint(given) : target.endpoint
  const context = { ...given, target: { ...target, endpoint } }
  const first = await openWatchers(context, firstWatches, 'everything', streamsEach)
  await elapse(settings.windowMs * settleFactor)
  const before = memoryMetrics(target.processes)
  const watchers = await openWatchers(context, settings.idleWatches, 'everything', streamsEach)
  await elapse(settings.windowMs * settleFactor)
  const after = memoryMetrics(target.processes)
  // They must be alive, all of them: one event each.
  await populate(given, 'i', 1, settings.objectBytes)
  await watchers.settle(() => 1, settings.drainMs)
  const faults = [...watchers.faults.list(), ...first.faults.list()]
  first.close()
  watchers.close()
  await cleanUp(given)
  const grownMiB = (after.serverMiB ?? 0) - (before.serverMiB ?? 0)
  return {
    metrics: { ...after, eachKiB: (grownMiB * 1024) / settings.idleWatches },
    latency: undefined,
    faults,
  }
}

export const resourceScenarios: readonly Scenario[] = [
  start,
  memory,
  idle(ownConnection),
  idle(ownConnectionByToken),
  idle(sharedConnection),
]
