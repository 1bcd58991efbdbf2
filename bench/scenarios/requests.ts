/**
 * Closed loops of small requests: create, merge patch, apply, get.
 */

import { call } from '../client/api.ts'
import { nowUs } from '../client/clock.ts'
import { Load } from '../client/load.ts'
import { buildRequest, configMap, RequestTemplate, slots } from '../client/request.ts'
import { firstSequence, shareOf } from '../crew/crew.ts'
import { beginWindow, costs, elapse, memoryMetrics, quantiles, type Sample } from '../measure/sample.ts'
import {
  buckets,
  cleanUp,
  collectionPath,
  createNamespace,
  createTemplate,
  expectStatus,
  objectName,
  populate,
} from './objects.ts'
import type { Context, Goal, Prepared, Scenario } from './scenario.ts'

/** How often a load that warms up is looked at. */
const lookMs = 10

/** Objects of each connection that patches and gets go around. */
const objectsEach = 8

/**
 * Runs a load for one window and sums it up.
 *
 * @param warmUpOperations before it, at least; of all clients together
 */
export async function measureLoad(context: Context, load: Load, warmUpOperations = 0): Promise<Sample> {
  const { settings, target, crew } = context
  load.wake()
  const deadlineMs = performance.now() + settings.warmUpMaxMs
  const isCold = () => load.tally.operations * crew.count < warmUpOperations && load.faults.isEmpty
  while (isCold() && performance.now() < deadlineMs) await elapse(lookMs)
  await crew.begin(settings.warmUpMs)
  const window = await beginWindow(target.processes, settings.instructions)
  load.reset()
  await crew.end(settings.windowMs)
  const tally = load.tally
  const spent = await window.end()
  await load.stop()
  const { operations, latency, faults } = await crew.gather({ ...tally, faults: load.faults.list() })
  return {
    metrics: { ...costs(spent, operations), ...quantiles(latency), ...memoryMetrics(target.processes) },
    latency,
    faults: [...faults, ...(operations === 0 ? ['nothing was answered within the window'] : [])],
  }
}

/** Requests for one connection: its number to the bytes of its next request. */
type NextRequest = (connection: number) => Buffer | undefined

function prepared(context: Context, status: number, next: NextRequest): Prepared {
  return {
    async run() {
      const load = await Load.open({
        endpoint: context.target.endpoint,
        connections: shareOf(context.settings.connections, context.crew).count,
        next,
        judge: (_, answer) => expectStatus(answer, status),
      })
      return measureLoad(context, load, context.settings.warmUpRequests)
    },
    close: () => cleanUp(context),
  }
}

const create: Scenario = {
  shared: true,
  name: 'create',
  title: 'create',
  unit: 'request',
  goal: { metric: 'serverCpuUs', atMost: 240, baselineThere: 126, referenceThere: 1000 },
  async prepare(context) {
    await createNamespace(context)
    const { endpoint } = context.target
    const { connections, objectBytes } = context.settings
    const templates = Array.from({ length: shareOf(connections, context.crew).count }, () =>
      createTemplate(endpoint, context.namespace, 'c', objectBytes),
    )
    let sequence = firstSequence(context.crew)
    return prepared(context, 201, (i) => templates[i]?.fill(sequence++, nowUs(), sequence % buckets))
  },
}

/** Patches of objects that exist; each connection goes around its own, so none meets another's. */
async function preparePatch(
  context: Context,
  query: string,
  contentType: string,
  body: (name: string) => string,
): Promise<Prepared> {
  const { endpoint } = context.target
  const { connections, objectBytes } = context.settings
  await populate(context, 'p', connections * objectsEach, objectBytes)
  const own = shareOf(connections, context.crew)
  const templates = Array.from({ length: own.count * objectsEach }, (_, i) => {
    const name = objectName('p', own.first * objectsEach + i)
    const target = `${collectionPath(context.namespace)}/${name}${query}`
    return new RequestTemplate(
      buildRequest(endpoint, { method: 'PATCH', target, contentType, body: body(name) }),
    )
  })
  let sequence = 0
  return prepared(context, 200, (i) => {
    sequence++
    return templates[i * objectsEach + (sequence % objectsEach)]?.fill(sequence, nowUs())
  })
}

const patch: Scenario = {
  shared: true,
  name: 'patch',
  title: 'merge patch',
  unit: 'request',
  goal: { metric: 'serverCpuUs', atMost: 300, baselineThere: 126, referenceThere: 1900 },
  async prepare(context) {
    await createNamespace(context)
    return preparePatch(
      context,
      '',
      'application/merge-patch+json',
      () => `{"data":{"counter":"${slots.sequence}"}}`,
    )
  },
}

const apply: Scenario = {
  shared: true,
  name: 'apply',
  title: 'apply (server-side)',
  unit: 'request',
  async prepare(context) {
    await createNamespace(context)
    const query = '?fieldManager=bench&force=true'
    const contentType = 'application/apply-patch+yaml'
    const { status } = await call(context.target.endpoint, {
      method: 'PATCH',
      target: `${collectionPath(context.namespace)}/probe${query}`,
      contentType,
      body: configMap('probe', 200),
    })
    if (status === 415) {
      await cleanUp(context)
      return { skipped: 'this server does not take apply patches (415)' }
    }
    return preparePatch(context, query, contentType, (name) => configMap(name, context.settings.objectBytes))
  },
}

function get(name: string, title: string, query: string, goal?: Goal): Scenario {
  return {
    name,
    title,
    unit: 'request',
    shared: true,
    ...(goal === undefined ? {} : { goal }),
    async prepare(context) {
      await createNamespace(context)
      const { endpoint } = context.target
      const { connections, objectBytes } = context.settings
      await populate(context, 'g', connections * objectsEach, objectBytes)
      const requests = Array.from({ length: connections * objectsEach }, (_, i) => {
        const target = `${collectionPath(context.namespace)}/${objectName('g', i)}${query}`
        return buildRequest(endpoint, { method: 'GET', target })
      })
      let turn = shareOf(connections, context.crew).first * objectsEach
      return prepared(context, 200, () => requests[turn++ % requests.length])
    },
  }
}

export const requestScenarios: readonly Scenario[] = [
  create,
  patch,
  apply,
  get('get', 'get, consistent', '', {
    metric: 'serverCpuUs',
    atMost: 75,
    baselineThere: 46,
    referenceThere: 475,
  }),
  get('get-cache', 'get, from cache', '?resourceVersion=0'),
]
