/**
 * Mixed load, as controllers make it: mostly reads, some patches, few creations and label lists, while a number of
 * watchers see every change.
 */

import { nowUs } from '../client/clock.ts'
import type { Answer } from '../client/connection.ts'
import type { Endpoint } from '../client/endpoint.ts'
import { Load } from '../client/load.ts'
import { buildRequest, RequestTemplate, slots } from '../client/request.ts'
import { firstSequence, shareOf } from '../crew/crew.ts'
import { openWatchers } from './fanout.ts'
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
import { measureLoad } from './requests.ts'
import type { Context, Scenario } from './scenario.ts'

type Kind = 'get' | 'patch' | 'create' | 'list'

/** One round of twenty: 60 % get, 25 % patch, 10 % create, 5 % list by label. */
const round: readonly Kind[] = [
  ...['get', 'get', 'patch', 'get', 'create', 'get', 'get', 'patch', 'get', 'get'],
  ...['patch', 'get', 'list', 'get', 'create', 'get', 'patch', 'get', 'patch', 'get'],
] as readonly Kind[]

const expectedStatus: Readonly<Record<Kind, number>> = { get: 200, patch: 200, create: 201, list: 200 }

interface Requests {
  readonly get: Buffer
  readonly list: Buffer
  readonly patch: RequestTemplate
  readonly create: RequestTemplate
}

function requestsFor(endpoint: Endpoint, context: Context, connection: number): Requests {
  const path = collectionPath(context.namespace)
  const item = `${path}/${objectName('x', connection)}`
  return {
    get: buildRequest(endpoint, { method: 'GET', target: item }),
    list: buildRequest(endpoint, { method: 'GET', target: `${path}?labelSelector=bench-bucket%3Db07` }),
    patch: new RequestTemplate(
      buildRequest(endpoint, {
        method: 'PATCH',
        target: item,
        contentType: 'application/merge-patch+json',
        body: `{"data":{"counter":"${slots.sequence}","sent":"${slots.sent}"}}`,
      }),
    ),
    create: createTemplate(endpoint, context.namespace, 'y', context.settings.objectBytes),
  }
}

export const mixed: Scenario = {
  name: 'mixed',
  title: 'mixed load',
  unit: 'request',
  shared: true,
  async prepare(context) {
    const { settings, target, crew } = context
    const own = shareOf(settings.connections, crew)
    await createNamespace(context)
    await populate(context, 'x', settings.connections, settings.objectBytes)
    // The leader's: they see the changes of all.
    const watchers = await openWatchers(context, crew.index === 0 ? settings.mixedWatchers : 0, 'everything')
    const lanes = Array.from({ length: own.count }, (_, i) => ({
      requests: requestsFor(target.endpoint, context, own.first + i),
      turn: i,
      kind: 'get' as Kind,
    }))
    let sequence = firstSequence(crew)
    let changes = 0
    const next = (i: number): Buffer | undefined => {
      const lane = lanes[i]
      if (lane === undefined) return undefined
      lane.kind = round[lane.turn++ % round.length] ?? 'get'
      if (lane.kind === 'get' || lane.kind === 'list') return lane.requests[lane.kind]
      crew.tell(++changes)
      sequence++
      return lane.requests[lane.kind].fill(sequence, nowUs(), sequence % buckets)
    }
    const judge = (i: number, answer: Answer) => expectStatus(answer, expectedStatus[lanes[i]?.kind ?? 'get'])
    return {
      async run() {
        const load = await Load.open({
          endpoint: target.endpoint,
          connections: own.count,
          next,
          judge,
        })
        const sample = await measureLoad(context, load, settings.warmUpRequests)
        // The baseline publishes creations only: there is nothing in it to patch.
        if (!target.isBaseline) await watchers.settle(() => crew.told(), settings.drainMs)
        return { ...sample, faults: [...sample.faults, ...watchers.faults.list()] }
      },
      async close() {
        watchers.close()
        await cleanUp(context)
      },
    }
  },
}
