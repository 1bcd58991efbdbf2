/**
 * Lists of 10,000 objects: whole, in chunks, by label, consistent and from the cache. One operation is a whole list,
 * however many requests it takes.
 */

import { callExpecting, metadataField, parseObject } from '../client/api.ts'
import type { Consumer } from '../client/connection.ts'
import type { Endpoint } from '../client/endpoint.ts'
import { Load } from '../client/load.ts'
import { buildRequest } from '../client/request.ts'
import { shareOf } from '../crew/crew.ts'
import { buckets, cleanUp, collectionPath, createNamespace, populate } from './objects.ts'
import { measureLoad } from './requests.ts'
import type { Context, Goal, Scenario } from './scenario.ts'

interface ListKind {
  readonly name: string
  readonly title: string
  readonly query: readonly string[]
  readonly chunked?: boolean
  readonly byLabel?: boolean
  readonly goal?: Goal
}

const kinds: readonly ListKind[] = [
  {
    name: 'list',
    title: 'list, consistent',
    query: [],
    goal: { metric: 'serverCpuUs', atMost: 30_000, baselineThere: 25_000, referenceThere: 180_000 },
  },
  { name: 'list-cache', title: 'list, from cache', query: ['resourceVersion=0'] },
  { name: 'list-chunks', title: 'list, in chunks', query: [], chunked: true },
  { name: 'list-label', title: 'list, 1 % by label', query: [], byLabel: true },
  {
    name: 'list-label-cache',
    title: 'list, 1 % by label, from cache',
    query: ['resourceVersion=0'],
    byLabel: true,
  },
]

/** Bytes at either end of a list in which the continue token is looked for: metadata comes first or last. */
const edgeBytes = 4096

export const listScenarios: readonly Scenario[] = kinds.map((kind) => ({
  name: kind.name,
  title: kind.title,
  unit: 'list',
  shared: true,
  ...(kind.goal === undefined ? {} : { goal: kind.goal }),
  async prepare(context) {
    await createNamespace(context)
    if (context.crew.index === 0) {
      await populate(context, 'l', context.settings.listObjects, await bodyBytesFor(context))
    }
    const walk = createWalk(context, kind)
    const expected = await walkOnce(context.target.endpoint, walk)
    const wanted = Math.ceil(context.settings.listObjects / (kind.byLabel === true ? buckets : 1))
    // One more is fine: a controller may put an object of its own into each namespace.
    if (expected.items !== wanted && expected.items !== wanted + 1) {
      throw new Error(`${kind.name}: ${expected.items} items, expected ${wanted}`)
    }
    return {
      run: () => measureWalks(context, walk, expected),
      close: () => cleanUp(context),
    }
  },
}))

/** Objects grow by what the server adds (uid, times, managers): sends so much less that lists have the size set. */
async function bodyBytesFor(context: Context): Promise<number> {
  const { listItemBytes } = context.settings
  await populate(context, 'probe', 1, listItemBytes)
  const item = `${collectionPath(context.namespace)}/probe-0000000000`
  const { endpoint } = context.target
  const body = await callExpecting(endpoint, { method: 'GET', target: item }, 200)
  await callExpecting(endpoint, { method: 'DELETE', target: item }, 200, 202)
  return listItemBytes - (body.length - listItemBytes)
}

interface Walk {
  readonly chunked: boolean
  /** The request for the page behind a token; '' = the first. */
  request(token: string): Buffer
  target(token: string): string
}

function createWalk({ target, settings, namespace }: Context, kind: ListKind): Walk {
  const parameters = [
    ...kind.query,
    ...(kind.chunked === true ? [`limit=${settings.listChunk}`] : []),
    ...(kind.byLabel === true ? ['labelSelector=bench-bucket%3Db07'] : []),
  ]
  const path = (token: string) => {
    const all = token === '' ? parameters : [...parameters, `continue=${encodeURIComponent(token)}`]
    return `${collectionPath(namespace)}${all.length === 0 ? '' : `?${all.join('&')}`}`
  }
  const first = buildRequest(target.endpoint, { method: 'GET', target: path('') })
  return {
    chunked: kind.chunked === true,
    target: path,
    request: (token) =>
      token === '' ? first : buildRequest(target.endpoint, { method: 'GET', target: path(token) }),
  }
}

interface Walked {
  readonly items: number
  readonly bytes: number
}

/** Walks a list once, parsing every page: what the measured walks are checked against. */
async function walkOnce(endpoint: Endpoint, walk: Walk): Promise<Walked> {
  let token = ''
  let items = 0
  let bytes = 0
  do {
    const body = await callExpecting(endpoint, { method: 'GET', target: walk.target(token) }, 200)
    const list = parseObject(body)
    const page = list['items']
    if (!Array.isArray(page)) throw new Error(`${walk.target(token)}: the list has no items`)
    items += page.length
    bytes += body.length
    token = metadataField(list, 'continue') ?? ''
  } while (token !== '')
  return { items, bytes }
}

async function measureWalks(context: Context, walk: Walk, expected: Walked) {
  const lanes = Array.from(
    { length: shareOf(context.settings.listConnections, context.crew).count },
    () => new Lane(),
  )
  const load = await Load.open({
    endpoint: context.target.endpoint,
    connections: lanes.length,
    next: (i) => walk.request(lanes[i]?.token ?? ''),
    ...(walk.chunked ? { consumer: (i: number): Consumer => lanes[i]?.consume ?? (() => {}) } : {}),
    judge(i, answer) {
      const lane = lanes[i]
      if (lane === undefined || answer.status !== 200) {
        return { fault: `status ${answer.status} where 200 is expected` }
      }
      lane.bytes += answer.bodyBytes
      lane.token = walk.chunked ? lane.continueToken() : ''
      lane.beginPage()
      if (lane.token !== '') return 'more'
      const bytes = lane.bytes
      lane.bytes = 0
      // Resource versions and tokens may gain a digit; an item is far longer.
      return Math.abs(bytes - expected.bytes) < context.settings.listItemBytes / 2
        ? 'done'
        : { fault: `a list of ${bytes} bytes where ${expected.bytes} are expected` }
    },
  })
  const sample = await measureLoad(context, load)
  const perSecond = sample.metrics.operationsPerSecond ?? 0
  return { ...sample, metrics: { ...sample.metrics, megabytesPerSecond: (perSecond * expected.bytes) / 1e6 } }
}

/** One connection's place in its walk, with the ends of the page under way. */
class Lane {
  token = ''
  /** Of the walk under way. */
  bytes = 0
  readonly #head = Buffer.alloc(edgeBytes)
  #headBytes = 0
  #tail = Buffer.alloc(0)

  readonly consume = (bytes: Buffer, start: number, end: number): void => {
    if (this.#headBytes < edgeBytes) {
      this.#headBytes += bytes.copy(this.#head, this.#headBytes, start, end)
    }
    const last = bytes.subarray(Math.max(start, end - edgeBytes), end)
    // A copy: the bytes are the connection's. A short last piece is joined to the one before it.
    this.#tail = Buffer.concat(last.length < edgeBytes ? [this.#tail.subarray(-edgeBytes), last] : [last])
  }

  continueToken(): string {
    const head = this.#head.subarray(0, this.#headBytes)
    return tokenIn(head) ?? tokenIn(this.#tail) ?? ''
  }

  beginPage(): void {
    this.#headBytes = 0
    this.#tail = Buffer.alloc(0)
  }
}

function tokenIn(bytes: Buffer): string | undefined {
  const marker = '"continue":"'
  const at = bytes.lastIndexOf(marker)
  if (at < 0) return undefined
  const start = at + marker.length
  const end = bytes.indexOf('"', start)
  return end < 0 ? undefined : bytes.toString('latin1', start, end)
}
