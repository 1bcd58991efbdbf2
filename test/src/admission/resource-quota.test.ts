/** ResourceQuota: what is charged, what is refused, and what is given back. */

import t from 'tap'
import type { JsonObject } from '../../../src/json.ts'
import { eventually } from '../../support/eventually.ts'
import { type InProcessServer, startInProcess } from '../../support/in-process-server.ts'

const inside = '/api/v1/namespaces/default'

interface Answered {
  readonly status: number
  readonly body: JsonObject
}

async function send(
  server: InProcessServer,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  target: string,
  body?: JsonObject,
): Promise<Answered> {
  const answer = await server.request({ method, target, ...(body === undefined ? {} : { body }) })
  return { status: answer.status, body: JSON.parse(answer.body.toString('utf8')) }
}

/** A server with one quota that is enforced. */
async function bounded(
  t: { teardown(action: () => unknown): void },
  hard: JsonObject,
  more: JsonObject = {},
): Promise<InProcessServer> {
  const server = await startInProcess()
  t.teardown(() => server.close())
  const made = await send(server, 'POST', `${inside}/resourcequotas`, {
    metadata: { name: 'q' },
    spec: { hard, ...more },
  })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  await used(server, (amounts) => Object.keys(amounts).length === Object.keys(hard).length)
  // Heard of in the order of the writes: when a quota behind it counts, it does.
  await send(server, 'POST', `${inside}/resourcequotas`, {
    metadata: { name: 'marker' },
    spec: { hard: { 'count/limitranges': '0' } },
  })
  await eventually('the quota to be enforced', async () => {
    const limit = { metadata: { name: 'probe' }, spec: { limits: [] } }
    return (await send(server, 'POST', `${inside}/limitranges?dryRun=All`, limit)).status === 403
  })
  return server
}

/** Waits until what the quota says is used fits. */
async function used(server: InProcessServer, fits: (amounts: JsonObject) => boolean): Promise<void> {
  let last: unknown
  await eventually(
    () => `the use of the quota: ${JSON.stringify(last)}`,
    async () => {
      const { body } = await send(server, 'GET', `${inside}/resourcequotas/q`)
      const amounts = (body['status'] as JsonObject | undefined)?.['used']
      last = amounts
      return typeof amounts === 'object' && fits(amounts as JsonObject)
    },
  )
}

function pod(name: string, resources: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  return { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i', resources }], ...spec } }
}

const account = { metadata: { name: 'default' } }

async function createPod(server: InProcessServer, body: JsonObject, query = ''): Promise<Answered> {
  await send(server, 'POST', `${inside}/serviceaccounts`, account)
  return send(server, 'POST', `${inside}/pods${query}`, body)
}

const forbidden = (resource: string, name: string, why: string) => ({
  code: 403,
  reason: 'Forbidden',
  message: `${resource} "${name}" is forbidden: ${why}`,
})

t.test('pods are charged what they ask for, and refused what does not fit', async (t) => {
  const server = await bounded(t, { pods: '5', 'requests.cpu': '1', 'limits.memory': '2Gi' })
  const resources = { requests: { cpu: '600m' }, limits: { memory: '1Gi' } }
  t.equal((await createPod(server, pod('a', resources))).status, 201)
  await used(server, (amounts) => amounts['requests.cpu'] === '600m')
  t.match(
    (await createPod(server, pod('b', resources))).body,
    forbidden(
      'pods',
      'b',
      'exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    ),
  )
  await used(
    server,
    (amounts) =>
      JSON.stringify(amounts) ===
      JSON.stringify({ 'limits.memory': '1Gi', pods: '1', 'requests.cpu': '600m' }),
  )
  t.match(
    (await createPod(server, pod('c'))).body,
    forbidden('pods', 'c', 'failed quota: q: must specify limits.memory for: c; requests.cpu for: c'),
  )
  await send(server, 'DELETE', `${inside}/pods/a?gracePeriodSeconds=0`)
  await used(server, (amounts) => amounts['pods'] === '0' && amounts['requests.cpu'] === '0')
  t.equal((await createPod(server, pod('b', resources))).status, 201)
})

t.test('a pod that has ended uses nothing but its place among the objects', async (t) => {
  const server = await bounded(t, { pods: '1', 'count/pods': '2' })
  t.equal((await createPod(server, pod('a'))).status, 201)
  await server.request({
    method: 'PATCH',
    target: `${inside}/pods/a/status`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: '{"status":{"phase":"Succeeded"}}',
  })
  await used(server, (amounts) => amounts['pods'] === '0' && amounts['count/pods'] === '1')
  t.equal((await createPod(server, pod('b'))).status, 201)
})

t.test('of many at once, as many as fit', async (t) => {
  const server = await bounded(t, { configmaps: '3', 'count/configmaps': '10' })
  const before = await send(server, 'GET', `${inside}/configmaps`)
  const there = (before.body['items'] as readonly unknown[]).length
  const made = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      send(server, 'POST', `${inside}/configmaps`, { metadata: { name: `m${at}` } }),
    ),
  )
  t.equal(made.filter(({ status }) => status === 201).length, 3 - there)
  await used(server, (amounts) => amounts['configmaps'] === '3' && amounts['count/configmaps'] === '3')
})

t.test('services by their kind, and again when it changes', async (t) => {
  const server = await bounded(t, { services: '5', 'services.nodeports': '1', 'services.loadbalancers': '0' })
  const ports = [{ port: 80 }]
  const service = (name: string, type: string, more: JsonObject = {}): JsonObject => ({
    metadata: { name },
    spec: { type, ports, ...more },
  })
  t.equal((await send(server, 'POST', `${inside}/services`, service('a', 'NodePort'))).status, 201)
  t.match(
    (await send(server, 'POST', `${inside}/services`, service('b', 'NodePort'))).body,
    forbidden(
      'services',
      'b',
      'exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1, limited: services.nodeports=1',
    ),
  )
  t.match(
    (await send(server, 'POST', `${inside}/services`, service('c', 'LoadBalancer'))).body,
    forbidden(
      'services',
      'c',
      'exceeded quota: q, requested: services.loadbalancers=1,services.nodeports=1, used: services.loadbalancers=0,services.nodeports=1, limited: services.loadbalancers=0,services.nodeports=1',
    ),
  )
  t.equal((await send(server, 'POST', `${inside}/services`, service('d', 'ClusterIP'))).status, 201)
  const patch = (name: string, type: string) =>
    server.request({
      method: 'PATCH',
      target: `${inside}/services/${name}`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ spec: { type } }),
    })
  t.equal((await patch('d', 'NodePort')).status, 403)
  t.equal((await patch('a', 'ClusterIP')).status, 200)
  await used(server, (amounts) => amounts['services.nodeports'] === '0')
  t.equal((await patch('d', 'NodePort')).status, 200)
})

t.test('claims by their storage, in all and of a class', async (t) => {
  const server = await bounded(t, {
    'requests.storage': '10Gi',
    'gold.storageclass.storage.k8s.io/requests.storage': '4Gi',
    'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '5',
  })
  const claim = (name: string, storage: string, storageClassName: string): JsonObject => ({
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage } } },
  })
  const claims = `${inside}/persistentvolumeclaims`
  t.equal((await send(server, 'POST', claims, claim('a', '3Gi', 'gold'))).status, 201)
  t.match(
    (await send(server, 'POST', claims, claim('b', '2Gi', 'gold'))).body,
    forbidden(
      'persistentvolumeclaims',
      'b',
      'exceeded quota: q, requested: gold.storageclass.storage.k8s.io/requests.storage=2Gi, used: gold.storageclass.storage.k8s.io/requests.storage=3Gi, limited: gold.storageclass.storage.k8s.io/requests.storage=4Gi',
    ),
  )
  t.equal((await send(server, 'POST', claims, claim('c', '7Gi', 'tin'))).status, 201)
  t.equal((await send(server, 'POST', claims, claim('d', '1', 'tin'))).status, 403)
})

t.test('objects of any kind', async (t) => {
  const server = await bounded(t, { 'count/leases.coordination.k8s.io': '1' })
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
  t.equal((await send(server, 'POST', leases, { metadata: { name: 'a' } })).status, 201)
  t.match(
    (await send(server, 'POST', leases, { metadata: { name: 'b' } })).body,
    forbidden(
      'leases.coordination.k8s.io',
      'b',
      'exceeded quota: q, requested: count/leases.coordination.k8s.io=1, used: count/leases.coordination.k8s.io=1, limited: count/leases.coordination.k8s.io=1',
    ),
  )
})

/** Scopes, a pod that they choose, and one that they do not. */
const scopes: readonly (readonly [string, JsonObject, JsonObject, JsonObject])[] = [
  ['Terminating', { scopes: ['Terminating'] }, pod('in', {}, { activeDeadlineSeconds: 5 }), pod('out')],
  ['NotTerminating', { scopes: ['NotTerminating'] }, pod('in'), pod('out', {}, { activeDeadlineSeconds: 5 })],
  ['BestEffort', { scopes: ['BestEffort'] }, pod('in'), pod('out', { requests: { cpu: '1' } })],
  ['NotBestEffort', { scopes: ['NotBestEffort'] }, pod('in', { limits: { memory: '1' } }), pod('out')],
  [
    'PriorityClass',
    {
      scopeSelector: {
        matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] }],
      },
    },
    pod('in', {}, { priorityClassName: 'system-node-critical' }),
    pod('out'),
  ],
  [
    'CrossNamespacePodAffinity',
    { scopes: ['CrossNamespacePodAffinity'] },
    pod(
      'in',
      {},
      {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', namespaces: ['other'] }],
          },
        },
      },
    ),
    pod('out'),
  ],
]

for (const [name, spec, chosen, other] of scopes) {
  t.test(`scope ${name}`, async (t) => {
    const server = await bounded(t, { pods: '0' }, spec)
    t.match((await createPod(server, chosen)).body, {
      code: 403,
      message: /exceeded quota: q, requested: pods=1/,
    })
    const made = await createPod(server, other)
    t.equal(made.status, 201, JSON.stringify(made.body))
  })
}

t.test('a dry run is measured, not charged', async (t) => {
  const server = await bounded(t, { pods: '1' })
  t.equal((await createPod(server, pod('a'), '?dryRun=All')).status, 201)
  t.equal((await createPod(server, pod('a'))).status, 201)
  await eventually(
    'the charge to be heard of',
    async () => (await createPod(server, pod('b'), '?dryRun=All')).status === 403,
  )
})

t.test('more is allowed when the quota says so', async (t) => {
  const server = await bounded(t, { pods: '0' })
  t.equal((await createPod(server, pod('a'))).status, 403)
  await server.request({
    method: 'PATCH',
    target: `${inside}/resourcequotas/q`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: '{"spec":{"hard":{"pods":"1"}}}',
  })
  await eventually('the quota to be enforced', async () => (await createPod(server, pod('a'))).status === 201)
})
