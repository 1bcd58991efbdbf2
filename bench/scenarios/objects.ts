/**
 * Namespaces and objects that scenarios work on.
 */

import { callExpecting, parseObject } from '../client/api.ts'
import type { Answer } from '../client/connection.ts'
import type { Endpoint } from '../client/endpoint.ts'
import { Load } from '../client/load.ts'
import { buildRequest, configMap, RequestTemplate, slots } from '../client/request.ts'
import type { Context } from './scenario.ts'

/** Labels spread objects over this many buckets: one bucket is 1 %. */
export const buckets = 100

export function collectionPath(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/configmaps`
}

/** By the leader alone, as all that the clients of a crew share. */
export async function createNamespace({ target, namespace, crew }: Context): Promise<void> {
  if (crew.index > 0) return
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await callExpecting(
    target.endpoint,
    { method: 'POST', target: '/api/v1/namespaces', contentType: 'application/json', body },
    201,
  )
  await ownObjects(target.endpoint, namespace)
}

/** How long a server may take to put objects of its own into a new namespace, if it does. Milliseconds. */
const ownObjectsMs = 1000
const pollMs = 20

/** Waits for the authority that controllers put into each namespace: its event must not meet the watchers. */
async function ownObjects(endpoint: Endpoint, namespace: string): Promise<void> {
  const deadlineMs = performance.now() + ownObjectsMs
  const target = `${collectionPath(namespace)}?limit=1`
  while (performance.now() < deadlineMs) {
    const { items } = parseObject(await callExpecting(endpoint, { method: 'GET', target }, 200))
    if (Array.isArray(items) && items.length > 0) return
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

/** On a server that lives on, removes what the scenario made. */
export async function cleanUp({ target, namespace, crew }: Context): Promise<void> {
  if (!target.isForeign || crew.index > 0) return
  for (const path of [collectionPath(namespace), `/api/v1/namespaces/${namespace}`]) {
    await callExpecting(target.endpoint, { method: 'DELETE', target: path }, 200, 202)
  }
}

/** Requests that create `<prefix>-<sequence>`, with a bucket that turns with the sequence. */
export function createTemplate(
  endpoint: Endpoint,
  namespace: string,
  prefix: string,
  bytes: number,
): RequestTemplate {
  return new RequestTemplate(
    buildRequest(endpoint, {
      method: 'POST',
      target: collectionPath(namespace),
      contentType: 'application/json',
      body: configMap(`${prefix}-${slots.sequence}`, bytes),
    }),
  )
}

/** Name that {@link createTemplate} gives to an object. */
export function objectName(prefix: string, sequence: number): string {
  return `${prefix}-${String(sequence).padStart(slots.sequence.length, '0')}`
}

/** Creates objects 0 to `count` − 1, by the leader alone. Throws when one is refused. */
export async function populate(
  context: Context,
  prefix: string,
  count: number,
  bytes: number,
): Promise<void> {
  if (context.crew.index > 0) return
  const { endpoint } = context.target
  const connections = Math.min(count, context.settings.connections)
  const templates = Array.from({ length: connections }, () =>
    createTemplate(endpoint, context.namespace, prefix, bytes),
  )
  let sequence = 0
  const load = await Load.open({
    endpoint,
    connections,
    next(connection) {
      if (sequence === count) return undefined
      const fill = templates[connection]?.fill(sequence, 0, sequence % buckets)
      sequence++
      return fill
    },
    judge: (_, answer) => expectStatus(answer, 201),
  })
  load.wake()
  await load.stopWhenIdle()
  const faults = load.faults.list()
  if (faults.length > 0) throw new Error(`creating ${count} objects: ${faults.join('; ')}`)
}

export function expectStatus(answer: Answer, expected: number): 'done' | { readonly fault: string } {
  return answer.status === expected
    ? 'done'
    : { fault: `status ${answer.status} where ${expected} is expected` }
}
