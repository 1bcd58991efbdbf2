/**
 * Watch fan-out: what it costs to bring an event to a watcher, and how long it takes, at full speed and at a fixed
 * rate, with watchers of everything and with selectors that match 1 %.
 */

import { callExpecting, metadataField, parseObject } from '../client/api.ts'
import { Load, startPace } from '../client/load.ts'
import { WatcherSet } from '../client/watchers.ts'
import { beginWindow, costs, elapse, memoryMetrics, quantiles, type Sample } from '../measure/sample.ts'
import {
  buckets,
  cleanUp,
  collectionPath,
  createNamespace,
  createTemplate,
  expectStatus,
  nowUs,
} from './objects.ts'
import type { Context, Goal, Preparation, Scenario, Settings } from './scenario.ts'

/** Writers at most: enough that a write waits for the watchers, not the watchers for a write. */
const writersMax = 8
/**
 * Writes that the average watcher may be behind before the writers rest. So full speed is the watchers' speed, and
 * no server has to drop one as too slow.
 */
const behindMax = 64
/** Watchers whose events are timed, about: timing all would cost the client more than receiving. */
const timedWatchers = 50

type Pace = 'saturated' | 'rate'

export interface Fanout {
  readonly watchers: number
  readonly pace: Pace
  /** Each watcher selects one bucket of a hundred. */
  readonly selective: boolean
}

/**
 * Opens `count` watches of the namespace, from now; `selective`: of one bucket each; `streamsEach`: so many on each
 * HTTP/2 connection, absent = each on an HTTP/1.1 connection of its own.
 */
export async function openWatchers(
  context: Context,
  count: number,
  selective: boolean,
  streamsEach?: number,
): Promise<WatcherSet> {
  const { endpoint } = context.target
  const path = collectionPath(context.namespace)
  const list = parseObject(await callExpecting(endpoint, { method: 'GET', target: `${path}?limit=1` }, 200))
  const from = metadataField(list, 'resourceVersion')
  if (from === undefined) throw new Error('the list has no resourceVersion')
  const query = `watch=true&resourceVersion=${from}&timeoutSeconds=3600`
  return WatcherSet.open({
    endpoint,
    count,
    target: (i) =>
      `${path}?${query}${selective ? `&labelSelector=bench-bucket%3D${bucketName(i % buckets)}` : ''}`,
    // Of those who select, few see a write: all are timed.
    timedEvery: selective ? 1 : Math.ceil(count / timedWatchers),
    ...(streamsEach === undefined ? {} : { streamsEach }),
  })
}

function bucketName(bucket: number): string {
  return `b${String(bucket).padStart(2, '0')}`
}

/** Writes so far, and how many events they mean for each watcher. */
class Writes {
  total = 0
  readonly #first: number
  readonly #ofBucket = new Array<number>(buckets).fill(0)

  /** @param first where sequences begin: objects of earlier sets may still be there */
  constructor(first: number) {
    this.#first = first
  }

  next(): { readonly sequence: number; readonly bucket: number } {
    const sequence = this.#first + this.total++
    const bucket = sequence % buckets
    this.#ofBucket[bucket] = (this.#ofBucket[bucket] ?? 0) + 1
    return { sequence, bucket }
  }

  expected(watcher: number, selective: boolean): number {
    return selective ? (this.#ofBucket[watcher % buckets] ?? 0) : this.total
  }
}

async function prepare(context: Context, fanout: Fanout): Promise<Preparation> {
  await createNamespace(context)
  const watchers = await openWatchers(context, fanout.watchers, fanout.selective)
  return {
    run: createFanoutRun(context, fanout, watchers),
    async close() {
      watchers.close()
      await cleanUp(context)
    },
  }
}

/** Runs of one set of watchers: opened for this context, and with no event yet. */
export function createFanoutRun(
  context: Context,
  fanout: Fanout,
  watchers: WatcherSet,
  firstSequence = 0,
): () => Promise<Sample> {
  const writes = new Writes(firstSequence)
  return () => run(context, fanout, watchers, writes)
}

async function run(context: Context, fanout: Fanout, watchers: WatcherSet, writes: Writes): Promise<Sample> {
  const { settings, target } = context
  const { load, stop } =
    fanout.pace === 'saturated'
      ? await writeSaturated(context, fanout, watchers, writes)
      : await writePaced(context, writes)
  await elapse(settings.warmUpMs)
  const window = await beginWindow(target.processes, settings.instructions)
  watchers.resetLatency()
  const eventsBefore = watchers.events
  await elapse(settings.windowMs)
  const events = watchers.events - eventsBefore
  const spent = await window.end()
  const memory = memoryMetrics(target.processes)
  await stop()
  await watchers.settle((i) => writes.expected(i, fanout.selective), settings.drainMs)
  return {
    metrics: { ...costs(spent, events), ...quantiles(watchers.latency), ...memory },
    latency: watchers.latency,
    faults: [...load.faults.list(), ...watchers.faults.list(), ...(events === 0 ? ['no event arrived'] : [])],
  }
}

interface Writing {
  readonly load: Load
  stop(): Promise<void>
}

async function writeSaturated(
  context: Context,
  fanout: Fanout,
  watchers: WatcherSet,
  writes: Writes,
): Promise<Writing> {
  const perWrite = fanout.selective ? watchers.size / buckets : watchers.size
  // With selectors, fewer watchers than buckets would leave most writes without an event to wait for.
  const isBehind = () => writes.total - watchers.events / perWrite >= behindMax
  const templates = writeTemplates(context)
  const load = await Load.open({
    endpoint: context.target.endpoint,
    connections: templates.length,
    next(i) {
      if (isBehind()) return undefined
      const { sequence, bucket } = writes.next()
      return templates[i]?.fill(sequence, nowUs(), bucket)
    },
    judge: (_, answer) => expectStatus(answer, 201),
  })
  watchers.onProgress = () => {
    if (!isBehind()) load.wake()
  }
  load.wake()
  return { load, stop: () => load.stop() }
}

async function writePaced(context: Context, writes: Writes): Promise<Writing> {
  const templates = writeTemplates(context)
  const dueUs: number[] = []
  const load = await Load.open({
    endpoint: context.target.endpoint,
    connections: templates.length,
    next(i) {
      const due = dueUs.shift()
      if (due === undefined) return undefined
      const { sequence, bucket } = writes.next()
      return templates[i]?.fill(sequence, due, bucket)
    },
    judge: (_, answer) => expectStatus(answer, 201),
  })
  const pace = startPace(context.settings.ratePerSecond, (dueMs) => {
    dueUs.push(dueMs * 1000)
    load.wake()
  })
  return {
    load,
    stop() {
      pace.stop()
      return load.stop()
    },
  }
}

function writeTemplates({ target, settings, namespace }: Context) {
  return Array.from({ length: Math.min(writersMax, settings.connections) }, () =>
    createTemplate(target.endpoint, namespace, 'w', settings.objectBytes),
  )
}

/** The design's goals are for a thousand watchers. */
const goalWatchers = 1000

function fanoutScenario(fanout: Fanout): Scenario {
  const { watchers, pace, selective } = fanout
  const goal: Goal = {
    metric: 'serverCpuUs',
    ...(pace === 'saturated'
      ? { atMost: 3.3, baselineThere: 2.8, referenceThere: 11 }
      : { atMost: 16, baselineThere: 18.6, referenceThere: 26 }),
  }
  return {
    name: `${selective ? 'selectors' : 'fanout'}-${pace}${selective ? '' : `-${watchers}`}`,
    title: `${watchers} watchers${selective ? ', 1 % match' : ''}, ${pace === 'saturated' ? 'full speed' : 'fixed rate'}`,
    unit: 'event',
    ...(watchers === goalWatchers && !selective ? { goal } : {}),
    prepare: (context) => prepare(context, fanout),
  }
}

const paces: readonly Pace[] = ['saturated', 'rate']

export function fanoutScenarios(settings: Settings): readonly Scenario[] {
  return [
    ...paces.flatMap((pace) =>
      settings.watchers.map((watchers) => fanoutScenario({ watchers, pace, selective: false })),
    ),
    ...paces.map((pace) => fanoutScenario({ watchers: settings.selectorWatchers, pace, selective: true })),
  ]
}
