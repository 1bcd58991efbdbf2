/**
 * Random writers, watchers and listers over one storage, checked against the oracle. Guarantees of a watch, by name:
 *
 *   ordered    events come in revision order          complete   no event is missing up to the end
 *   unique     no event comes twice                   exact      each has the type and object of its revision
 *
 * All four are one comparison: what a stream got is what the oracle says, or, for a stream that was ended with an
 * error, the beginning of it.
 */

import type { ListRequest, ResourceStorage, Selector, WatchStart } from '../../../src/storage/contract.ts'
import type { StorageLimits } from '../../../src/storage/limits.ts'
import { createStorage } from '../../../src/storage/storage.ts'
import type { Revision, Store } from '../../../store/contract.ts'
import { revision } from '../../../store/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { liveClock } from '../../support/live-clock.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { createRecordingStream, type RecordingStream } from '../../support/recording-stream.ts'
import { newRecord, representation, select, widgets } from './harness.ts'
import { createOracle, type History, type Oracle, type OracleObject, type OracleView } from './oracle.ts'

interface SimulationOptions {
  readonly seed: number
  readonly store: Store
  /** All that the store has been through, whatever harm is done to its watches. */
  readonly history: History
  readonly steps: number
  /** Random harm, if the store can be harmed. */
  readonly harm?: (random: Random) => void | Promise<void>
  /** Ends all harm, before the end is checked. */
  readonly calm?: () => void
  readonly limits?: Partial<StorageLimits>
}

interface SimulationReport {
  /** What was found against what was expected; empty = all good. */
  readonly mismatches: readonly { readonly what: string; readonly found: unknown; readonly wanted: unknown }[]
  readonly watches: number
  readonly events: number
  readonly lists: number
  readonly expired: number
}

const namespaces = ['a', 'a-b', 'b']
const objectNames = ['one', 'two', 'three', 'x.y', 'system:node']
const selectors: readonly {
  readonly selector: Selector
  readonly selects: (object: OracleObject) => boolean
}[] = [
  { selector: select(), selects: () => true },
  { selector: select('app=web'), selects: ({ labels }) => labels['app'] === 'web' },
  { selector: select('app!=web'), selects: ({ labels }) => labels['app'] !== 'web' },
  {
    selector: select('app in (web,db)'),
    selects: ({ labels }) => ['web', 'db'].includes(labels['app'] ?? ''),
  },
  { selector: select('!app'), selects: ({ labels }) => labels['app'] === undefined },
  { selector: select('', 'spec.color=red'), selects: ({ color }) => color === 'red' },
  {
    selector: select('app', 'spec.color!=red'),
    selects: ({ labels, color }) => 'app' in labels && color !== 'red',
  },
]

interface SimulatedWatch {
  readonly what: string
  readonly view: OracleView
  readonly start: WatchStart
  readonly stream: RecordingStream
  readonly close: () => void
  closed: boolean
}

interface SimulatedList {
  readonly what: string
  readonly view: OracleView
  readonly request: Omit<ListRequest, 'start'>
  readonly found: string[]
  at: Revision | undefined
  token: string | undefined
  failed: string | undefined
}

export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const random = createRandom(options.seed)
  const { store } = options
  const storage = createStorage({
    store,
    clock: liveClock,
    random: random.next,
    limits: options.limits ?? {},
  })
  const oracle = createOracle(options.history)
  const resource = storage.resource(widgets)
  const watches: SimulatedWatch[] = []
  const lists: SimulatedList[] = []

  for (let step = 0; step < options.steps; step++) {
    const dice = random.below(100)
    if (dice < 55) await writeSomething(resource, random)
    else if (dice < 65) await startWatch(resource, random, oracle, watches)
    else if (dice < 72) await startList(resource, random, oracle, lists)
    else if (dice < 82) await nextPage(resource, random, lists)
    else if (dice < 90)
      random.below(2) === 0 ? pick(random, watches)?.stream.block() : pick(random, watches)?.stream.release()
    else if (dice < 92) closeOne(random, watches)
    else if (dice < 95) await options.harm?.(random)
    else await turn()
  }
  options.calm?.()
  for (const watch of watches) watch.stream.release()
  for (const list of lists) while (list.token !== undefined) await readPage(resource, list)
  const lastWrite = await storage.readIndex()
  const last = lastWrite.ok ? lastWrite.value : 0
  await eventually('the oracle', () => oracle.revision >= last)
  await eventually(
    'all watches',
    () => watches.every((watch) => watch.closed || isComplete(watch, oracle)),
    5_000,
  ).catch(() => undefined)

  const mismatches = [
    ...watches.flatMap((watch) => watchMismatch(watch, oracle)),
    ...lists.flatMap((list) => listMismatch(list, oracle, options.harm !== undefined)),
  ]
  const events = storage.counters().get(widgets.prefix)?.eventsDelivered ?? 0
  await storage.close()
  const expired = watches.filter(({ stream }) => stream.lines().at(-1)?.startsWith('ERROR 410')).length
  return { mismatches, watches: watches.length, events, lists: lists.length, expired }
}

async function writeSomething(resource: ResourceStorage, random: Random): Promise<void> {
  const name = { namespace: random.pick(namespaces), name: random.pick(objectNames) }
  const app = random.pick(['web', 'db', ''])
  const input = { color: random.pick(['red', 'blue', '']), ...(app === '' ? {} : { labels: { app } }) }
  const base = await resource.cached(name)
  if (!base.ok) return
  if (base.value === undefined) await resource.create(name, newRecord(name, input))
  else if (random.below(3) === 0) await resource.remove(name, base.value)
  else await resource.replace(name, base.value.revision, newRecord(name, input))
}

function randomView(random: Random): { view: OracleView; place: { namespace?: string }; selector: Selector } {
  const { selector, selects } = random.pick(selectors)
  const place = random.below(2) === 0 ? {} : { namespace: random.pick(namespaces) }
  if (random.below(5) > 0) return { view: { ...place, selects }, place, selector }
  const name = random.pick(objectNames)
  const fields = [...selector.fields, ...select('', `metadata.name=${name}`).fields]
  return { view: { ...place, name, selects }, place, selector: { ...selector, fields } }
}

async function startWatch(
  resource: ResourceStorage,
  random: Random,
  oracle: Oracle,
  watches: SimulatedWatch[],
): Promise<void> {
  const { view, place, selector } = randomView(random)
  const after = revision(random.below(oracle.revision + 3))
  const start: WatchStart = random.pick([
    { type: 'after', revision: after },
    { type: 'state', freshness: { type: 'any' }, initialEventsEndBookmark: true },
    { type: 'state', freshness: { type: 'mostRecent' }, initialEventsEndBookmark: true },
  ])
  const stream = createRecordingStream()
  const request = { ...place, selector, start, bookmarks: false, timeoutMs: 600_000, representation }
  const watch = await resource.watch(request, () => stream)
  if (!watch.ok) return
  const what = JSON.stringify({ start, ...place, selector })
  watches.push({ what, view, start, stream, close: () => watch.value.close(), closed: false })
}

/** What the stream must show in the end, given what it has shown so far. */
function wantedLines({ stream, start, view }: SimulatedWatch, oracle: Oracle): readonly string[] {
  if (start.type === 'after') return oracle.changes(start.revision, view)
  const synced = stream.lines().find((line) => line.startsWith('BOOKMARK'))
  if (synced === undefined) return ['the bookmark that ends the initial events']
  const at = Number(synced.slice(synced.indexOf('@') + 1))
  return [...oracle.list(at, view).map((item) => `ADDED ${item}`), synced, ...oracle.changes(at, view)]
}

function isComplete(watch: SimulatedWatch, oracle: Oracle): boolean {
  return watch.stream.state !== 'open' || watch.stream.lines().length >= wantedLines(watch, oracle).length
}

function watchMismatch(watch: SimulatedWatch, oracle: Oracle) {
  const lines = watch.stream.lines()
  const broken = watch.stream.state !== 'open'
  const found = lines.at(-1)?.startsWith('ERROR') ? lines.slice(0, -1) : lines
  if (broken && watch.start.type === 'state' && !found.some((line) => line.startsWith('BOOKMARK'))) return []
  const all = wantedLines(watch, oracle)
  const wanted = broken ? all.slice(0, found.length) : all
  return JSON.stringify(found) === JSON.stringify(wanted) ? [] : [{ what: watch.what, found, wanted }]
}

async function startList(
  resource: ResourceStorage,
  random: Random,
  oracle: Oracle,
  lists: SimulatedList[],
): Promise<void> {
  const { view, place, selector } = randomView(random)
  const request = { ...place, selector, limit: 1 + random.below(4) }
  const list: SimulatedList = {
    what: JSON.stringify(request),
    view,
    request,
    found: [],
    at: undefined,
    token: undefined,
    failed: undefined,
  }
  const start = random.pick([
    { type: 'mostRecent' as const },
    { type: 'any' as const },
    { type: 'exact' as const, revision: revision(random.below(oracle.revision + 1)) },
  ])
  takePage(list, await resource.list({ ...request, start }))
  lists.push(list)
}

async function nextPage(
  resource: ResourceStorage,
  random: Random,
  lists: readonly SimulatedList[],
): Promise<void> {
  const open = lists.filter(({ token }) => token !== undefined)
  const list = pick(random, open)
  if (list !== undefined) await readPage(resource, list)
}

async function readPage(resource: ResourceStorage, list: SimulatedList): Promise<void> {
  const token = list.token ?? ''
  takePage(list, await resource.list({ ...list.request, start: { type: 'continue', token } }))
}

function takePage(list: SimulatedList, page: Awaited<ReturnType<ResourceStorage['list']>>): void {
  list.token = undefined
  if (!page.ok) {
    list.failed = page.failure.code
    return
  }
  const { items, revision: at, continueToken } = page.value
  if (list.at !== undefined && list.at !== at) list.failed = `moved from ${list.at} to ${at}`
  list.at = at
  list.found.push(...items.map((item) => `${item.namespace}/${item.name}@${item.revision}`))
  list.token = continueToken
}

const refusals = new Set(['Unavailable', 'ListExpired', 'ResourceVersionTooLarge'])

/** A harmed store may make storage refuse a page, but never show a wrong one. */
function listMismatch({ what, view, found, at, failed }: SimulatedList, oracle: Oracle, harmed: boolean) {
  if (harmed && refusals.has(failed ?? '')) return []
  const wanted = oracle.list(at ?? -1, view)
  return failed === undefined && JSON.stringify(found) === JSON.stringify(wanted)
    ? []
    : [{ what: `${what} at ${at} ${failed ?? ''}`, found, wanted }]
}

function closeOne(random: Random, watches: readonly SimulatedWatch[]): void {
  const watch = pick(random, watches)
  if (watch === undefined) return
  watch.closed = true
  watch.close()
}

function pick<T>(random: Random, from: readonly T[]): T | undefined {
  return from[random.below(Math.max(1, from.length))]
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
