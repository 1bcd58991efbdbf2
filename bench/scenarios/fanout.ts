/**
 * Watch fan-out: what it costs to bring an event to a watcher, and how long it takes, at full speed and at a fixed
 * rate, with watchers of everything and with selectors that match 1 %.
 */

import { callExpecting, metadataField, parseObject } from '../client/api.ts'
import { nowUs, usOf } from '../client/clock.ts'
import { Load, startPace } from '../client/load.ts'
import { WatcherSet } from '../client/watchers.ts'
import { shareOf } from '../crew/crew.ts'
import { beginWindow, costs, memoryMetrics, quantiles, type Sample } from '../measure/sample.ts'
import { buckets, cleanUp, collectionPath, createNamespace, createTemplate, expectStatus } from './objects.ts'
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

interface Fanout {
  readonly watchers: number
  readonly pace: Pace
  /** Each watcher selects one bucket of a hundred. */
  readonly selective: boolean
}

/** What a watcher selects: all objects, one bucket of a hundred, or a value of its own that no object has. */
type Selecting = 'everything' | 'bucket' | 'nothing'

/**
 * Opens `count` watches of the namespace, from now; `streamsEach`: so many on each HTTP/2 connection, absent = each on an
 * HTTP/1.1 connection of its own.
 */
export async function openWatchers(
  context: Context,
  count: number,
  selecting: Selecting,
  streamsEach?: number,
): Promise<WatcherSet> {
  const { endpoint } = context.target
  const own = shareOf(count, context.crew)
  const path = collectionPath(context.namespace)
  const list = parseObject(await callExpecting(endpoint, { method: 'GET', target: `${path}?limit=1` }, 200))
  const from = metadataField(list, 'resourceVersion')
  if (from === undefined) throw new Error('the list has no resourceVersion')
  const query = `watch=true&resourceVersion=${from}&timeoutSeconds=3600`
  return WatcherSet.open({
    endpoint,
    count: own.count,
    target: (i) => `${path}?${query}${selectorOf(selecting, own.first + i)}`,
    // Of those who select, few see a write: all are timed.
    timedEvery: selecting === 'everything' ? Math.ceil(own.count / timedWatchers) : 1,
    ...(streamsEach === undefined ? {} : { streamsEach }),
  })
}

function selectorOf(selecting: Selecting, watcher: number): string {
  if (selecting === 'everything') return ''
  return `&labelSelector=bench-bucket%3D${selecting === 'bucket' ? bucketName(watcher % buckets) : `none-${watcher}`}`
}

function bucketName(bucket: number): string {
  return `b${String(bucket).padStart(2, '0')}`
}

interface Expected {
  readonly total: number
  readonly ofBucket: readonly number[]
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

  /** How many events each watcher was to see, by its number among all. */
  expected(): Expected {
    return { total: this.total, ofBucket: this.#ofBucket }
  }
}

async function prepare(context: Context, fanout: Fanout): Promise<Preparation> {
  await createNamespace(context)
  const watchers = await openWatchers(context, fanout.watchers, fanout.selective ? 'bucket' : 'everything')
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
  const { settings, target, crew } = context
  const writing = await startWriting(context, fanout, watchers, writes)
  await crew.begin(settings.warmUpMs)
  const window = await beginWindow(target.processes, settings.instructions)
  watchers.resetLatency()
  const eventsBefore = watchers.events
  await crew.end(settings.windowMs)
  const ownEvents = watchers.events - eventsBefore
  const spent = await window.end()
  const memory = memoryMetrics(target.processes)
  await writing.stop()
  const { total, ofBucket } = await crew.hand(writes.expected())
  const { first } = shareOf(fanout.watchers, crew)
  const expected = (i: number) => (fanout.selective ? (ofBucket[(first + i) % buckets] ?? 0) : total)
  await watchers.settle(expected, settings.drainMs)
  const counted = {
    operations: ownEvents,
    latency: watchers.latency,
    faults: [...writing.faults(), ...watchers.faults.list()],
  }
  const { operations: events, latency, faults } = await crew.gather(counted)
  return {
    metrics: { ...costs(spent, events), ...quantiles(latency), ...memory },
    latency,
    faults: [...faults, ...(events === 0 ? ['no event arrived'] : [])],
  }
}

interface Writing {
  faults(): readonly string[]
  stop(): Promise<void>
}

/** The leader writes; the others only watch, and tell how far they are. */
async function startWriting(
  context: Context,
  fanout: Fanout,
  watchers: WatcherSet,
  writes: Writes,
): Promise<Writing> {
  // Settled since the last run: what was told then is old.
  context.crew.tell(watchers.events)
  if (context.crew.index > 0) {
    watchers.onProgress = () => context.crew.tell(watchers.events)
    return { faults: () => [], stop: async () => {} }
  }
  return fanout.pace === 'saturated'
    ? writeSaturated(context, fanout, watchers, writes)
    : writePaced(context, writes)
}

/** How often writers that rest look whether the watchers of other clients have caught up. */
const lookMs = 1

async function writeSaturated(
  context: Context,
  fanout: Fanout,
  watchers: WatcherSet,
  writes: Writes,
): Promise<Writing> {
  const { crew } = context
  const perWrite = fanout.selective ? fanout.watchers / buckets : fanout.watchers
  // With selectors, fewer watchers than buckets would leave most writes without an event to wait for.
  const isBehind = () => writes.total - crew.told() / perWrite >= behindMax
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
  const wake = (): void => {
    if (!isBehind()) load.wake()
  }
  watchers.onProgress = () => {
    crew.tell(watchers.events)
    wake()
  }
  const looking = crew.count === 1 ? undefined : setInterval(wake, lookMs)
  load.wake()
  return {
    faults: () => load.faults.list(),
    stop() {
      clearInterval(looking)
      return load.stop()
    },
  }
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
    dueUs.push(usOf(dueMs))
    load.wake()
  })
  return {
    faults: () => load.faults.list(),
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
    shared: true,
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
