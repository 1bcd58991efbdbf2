/**
 * What must not grow: the cost of a write, of a page and of an event with the number of objects of the type, and the
 * cost of an event with the number of watchers that look elsewhere. And what may: memory, and the start with data.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nowUs } from '../client/clock.ts'
import { Load } from '../client/load.ts'
import { buildRequest, RequestTemplate, slots } from '../client/request.ts'
import { prepareTogether } from '../crew/leader.ts'
import { memoryMetrics, type Sample } from '../measure/sample.ts'
import { createFanoutRun, openWatchers } from './fanout.ts'
import { cleanUp, collectionPath, createNamespace, expectStatus, objectName, populate } from './objects.ts'
import { measureLoad } from './requests.ts'
import type { Context, Preparation, Scenario, Settings, StartedTarget } from './scenario.ts'

/** Watchers whose events are measured. */
const watchersOf = (settings: Settings): number => Math.min(100, settings.selectorWatchers)
const pageObjects = 500

/** A server with so many objects: kept for the scenarios that follow with the same number, since filling takes long. */
class Stage {
  readonly context: Context
  readonly #directory: string
  readonly #another: Context['target']['another']
  #server: StartedTarget | undefined
  #sets = 0

  private constructor(context: Context, directory: string, server: StartedTarget | undefined) {
    this.context = server === undefined ? context : { ...context, target: server }
    this.#directory = directory
    this.#another = context.target.another
    this.#server = server
  }

  static async open(context: Context, objects: number): Promise<Stage> {
    const directory = mkdtempSync(join(tmpdir(), 'cluster-apiserver-bench-'))
    process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
    const server = await context.target.another?.({ dataDirectory: directory })
    const stage = new Stage(context, directory, server)
    await createNamespace(stage.context)
    await populate(stage.context, 'g', objects, context.settings.objectBytes)
    return stage
  }

  /** Where the names of one more set of events begin: a run has fewer writes than that. */
  nextSequences(): number {
    return this.#sets++ * 10_000_000
  }

  /** Ends the server and starts it again with its data; undefined where it cannot be. Milliseconds. */
  async restart(): Promise<number | undefined> {
    await this.#server?.close()
    this.#server = await this.#another?.({ dataDirectory: this.#directory })
    return this.#server?.readyMs
  }

  async close(): Promise<void> {
    if (this.#server === undefined) await cleanUp(this.context)
    await this.#server?.close()
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** One number of objects at a time; the last one's server ends with the bench. */
function createStages(): (context: Context, objects: number) => Promise<Stage> {
  let current: { readonly objects: number; readonly from: string; readonly stage: Stage } | undefined
  return async (context, objects) => {
    const from = context.target.name
    if (current?.objects === objects && current.from === from) return current.stage
    await current?.stage.close()
    current = undefined
    const stage = await Stage.open(context, objects)
    current = { objects, from, stage }
    return stage
  }
}

type Measure = (stage: Stage, objects: number) => Promise<Sample>

const patches: Measure = async ({ context }, objects) => {
  const { settings, target, namespace } = context
  const count = Math.min(objects, settings.connections * 8)
  const templates = Array.from({ length: count }, (_, i) => {
    // Spread over all of them.
    const name = objectName('g', Math.floor((i * objects) / count))
    const body = `{"data":{"counter":"${slots.sequence}"}}`
    const path = `${collectionPath(namespace)}/${name}`
    const contentType = 'application/merge-patch+json'
    return new RequestTemplate(
      buildRequest(target.endpoint, { method: 'PATCH', target: path, contentType, body }),
    )
  })
  let sequence = 0
  const load = await Load.open({
    endpoint: target.endpoint,
    connections: Math.min(settings.connections, count),
    next: () => templates[++sequence % count]?.fill(sequence, nowUs()),
    judge: (_, answer) => expectStatus(answer, 200),
  })
  return measureLoad(context, load)
}

const pages: Measure = async ({ context }) => {
  const { settings, target, namespace } = context
  const path = `${collectionPath(namespace)}?limit=${pageObjects}`
  const request = buildRequest(target.endpoint, { method: 'GET', target: path })
  const load = await Load.open({
    endpoint: target.endpoint,
    connections: settings.listConnections,
    next: () => request,
    judge: (_, answer) => expectStatus(answer, 200),
  })
  return measureLoad(context, load)
}

const events: Measure = async (stage) => {
  const { context } = stage
  const fanout = { watchers: watchersOf(context.settings), pace: 'saturated', selective: false } as const
  const watchers = await openWatchers(context, fanout.watchers, 'everything')
  try {
    return await createFanoutRun(context, fanout, watchers, stage.nextSequences())()
  } finally {
    watchers.close()
  }
}

const memory: Measure = async ({ context }) => {
  const metrics = memoryMetrics(context.target.processes)
  return { metrics, latency: undefined, faults: [] }
}

const start: Measure = async (stage) => {
  const readyMs = await stage.restart()
  return { metrics: readyMs === undefined ? {} : { readyMs }, latency: undefined, faults: [] }
}

interface Kind {
  readonly name: string
  readonly title: (objects: string) => string
  readonly unit: string
  readonly measure: Measure
  /** Needs a server that is started here. */
  readonly own?: boolean
}

/** The restart comes last: it leaves nothing of the others' traces. */
const kinds: readonly Kind[] = [
  { name: 'memory', title: (n) => `memory with ${n} objects`, unit: 'server', measure: memory },
  { name: 'patch', title: (n) => `merge patch among ${n} objects`, unit: 'request', measure: patches },
  { name: 'page', title: (n) => `page of ${pageObjects} of ${n} objects`, unit: 'page', measure: pages },
  { name: 'event', title: (n) => `event among ${n} objects`, unit: 'event', measure: events },
  { name: 'start', title: (n) => `start with ${n} objects`, unit: 'start', measure: start, own: true },
]

function growthScenario(kind: Kind, objects: number, stageOf: ReturnType<typeof createStages>): Scenario {
  return {
    name: `growth-${objects}-${kind.name}`,
    title: kind.title(objects.toLocaleString('en-US')),
    unit: kind.unit,
    async prepare(context): Promise<Preparation> {
      if (context.target.isBaseline) return { skipped: 'the baseline stores nothing' }
      if (kind.own === true && context.target.another === undefined) {
        return { skipped: 'the server was not started here' }
      }
      const stage = await stageOf(context, objects)
      return { run: () => kind.measure(stage, objects), close: async () => {} }
    },
  }
}

/**
 * Watchers of one namespace are measured, while `others` watch: another namespace, with a view for each bucket; or the
 * same one, each with a selector of its own that nothing matches.
 */
function othersScenario(others: number, selecting: boolean): Scenario {
  const count = others.toLocaleString('en-US')
  return {
    name: `others-${selecting ? 'selecting-' : ''}${others}`,
    title: `event, beside ${count} ${selecting ? 'selectors that match nothing' : 'watchers of other views'}`,
    unit: 'event',
    async prepare(context) {
      await createNamespace(context)
      const elsewhere = { ...context, namespace: `${context.namespace}-elsewhere` }
      await createNamespace(elsewhere)
      const fanout = {
        watchers: watchersOf(context.settings),
        pace: 'saturated',
        selective: false,
      } as const
      // The baseline has neither namespaces nor an index: there, others would see these events, or cost.
      const other = await openWatchers(
        selecting ? context : elsewhere,
        context.target.isBaseline ? 0 : others,
        selecting ? 'nothing' : 'bucket',
      )
      const watchers = await openWatchers(context, fanout.watchers, 'everything')
      const run = createFanoutRun(context, fanout, watchers)
      // Does not count: the first of these numbers would be that of code which nobody has run before.
      await run()
      return {
        run,
        async close() {
          watchers.close()
          other.close()
          await cleanUp(context)
          await cleanUp(elsewhere)
        },
      }
    },
  }
}

/** The load of another scenario, on a server of its own with so many workers. */
function workersScenario(scenario: Scenario, workers: number): Scenario {
  const { goal: _, shared, ...plain } = scenario
  return {
    ...plain,
    name: `workers-${workers}-${scenario.name}`,
    title: `${scenario.title}, ${workers} ${workers === 1 ? 'worker' : 'workers'}`,
    async prepare(context) {
      const { another, isBaseline } = context.target
      if (isBaseline) return { skipped: 'the baseline has no workers' }
      if (another === undefined) return { skipped: 'the server was not started here' }
      const target = await another({ workers })
      const { clients } = context.settings
      const prepared =
        shared === true && clients > 1
          ? await prepareTogether({ ...context, target }, scenario, clients)
          : await scenario.prepare({ ...context, target })
      if ('skipped' in prepared) {
        await target.close()
        return prepared
      }
      return {
        run: () => prepared.run(),
        async close() {
          await prepared.close()
          await target.close()
        },
      }
    },
  }
}

/** @param all the scenarios whose loads are run with several numbers of workers */
export function growthScenarios(settings: Settings, all: readonly Scenario[]): readonly Scenario[] {
  const stageOf = createStages()
  const scaled = all.filter(({ name }) => name === 'get' || name === 'create')
  return [
    ...settings.growthObjects.flatMap((objects) =>
      kinds.map((kind) => growthScenario(kind, objects, stageOf)),
    ),
    ...settings.otherWatchers.map((others) => othersScenario(others, false)),
    ...settings.otherWatchers.flatMap((others) => (others === 0 ? [] : [othersScenario(others, true)])),
    ...settings.workers.flatMap((workers) => scaled.map((scenario) => workersScenario(scenario, workers))),
  ]
}
