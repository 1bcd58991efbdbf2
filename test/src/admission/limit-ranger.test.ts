/** LimitRanger: defaults, and every kind of bound, in the words that users know. */

import t from 'tap'
import { createLimitRanger } from '../../../src/admission/plugins/limit-ranger.ts'
import { liveClock } from '../../support/live-clock.ts'
import { names } from '../types/types.ts'
import { attempt, lookupsOf, pod } from './trial.ts'

function rangerOf(...limits: readonly object[]) {
  const range = { metadata: { name: 'l', namespace: 'ns' }, spec: { limits } }
  return createLimitRanger({
    names,
    lookups: lookupsOf({ 'core/limitranges': [range] }),
    clock: liveClock,
  })
}

function container(name: string, requests: object, limits: object = {}, more: object = {}): object {
  return { name, resources: { requests, limits }, ...more }
}

t.test('defaults, and a note of what was set', async (t) => {
  const ranger = rangerOf({
    type: 'Container',
    default: { memory: '1Gi', cpu: '1' },
    defaultRequest: { cpu: '500m' },
  })
  const spec = { containers: [container('a', { cpu: '1m' }), { name: 'b' }], initContainers: [{ name: 'i' }] }
  t.match(await attempt(ranger, { kind: 'v1 Pod', object: pod(spec) }), {
    metadata: {
      annotations: {
        'kubernetes.io/limit-ranger':
          'LimitRanger plugin set: cpu, memory limit for container a; cpu request for container b; cpu, memory limit for container b; cpu request for init container i; cpu, memory limit for init container i',
      },
    },
    spec: {
      containers: [
        { resources: { requests: { cpu: '1m' }, limits: { cpu: '1', memory: '1Gi' } } },
        { resources: { requests: { cpu: '500m' }, limits: { cpu: '1', memory: '1Gi' } } },
      ],
    },
  })
})

t.test('nothing is noted where nothing was set', async (t) => {
  const found = await attempt(rangerOf({ type: 'Container', max: { cpu: '1' }, default: { cpu: '1' } }), {
    kind: 'v1 Pod',
    object: pod({ containers: [container('a', {}, { cpu: '1' })] }),
  })
  t.match(found, { metadata: { annotations: undefined } })
})

/** Limits, containers, what is wrong. */
const rows: readonly (readonly [object, readonly object[], string])[] = [
  [
    { type: 'Container', min: { cpu: '100m' } },
    [container('a', {})],
    'minimum cpu usage per Container is 100m.  No request is specified',
  ],
  [
    { type: 'Container', min: { memory: '2Gi' } },
    [container('a', { memory: '1Gi' })],
    'minimum memory usage per Container is 2Gi, but request is 1Gi',
  ],
  [
    { type: 'Container', min: { cpu: '1' } },
    [container('a', { cpu: '1' }, { cpu: '500m' })],
    'minimum cpu usage per Container is 1, but limit is 500m',
  ],
  [
    { type: 'Container', max: { cpu: '1' } },
    [container('a', {})],
    'maximum cpu usage per Container is 1.  No limit is specified',
  ],
  [
    { type: 'Container', max: { cpu: '1' } },
    [container('a', {}, { cpu: '2' })],
    'maximum cpu usage per Container is 1, but limit is 2',
  ],
  [
    { type: 'Container', max: { cpu: '1' } },
    [container('a', { cpu: '1500m' }, { cpu: '1' })],
    'maximum cpu usage per Container is 1, but request is 1500m',
  ],
  [
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    [container('a', {}, { cpu: '1' })],
    'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
  ],
  [
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    [container('a', { cpu: '1' })],
    'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0',
  ],
  [
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    [container('a', { cpu: '1' }, { cpu: '3' })],
    'cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000',
  ],
  [
    { type: 'Pod', max: { cpu: '1' } },
    [container('a', {}, { cpu: '600m' }), container('b', {}, { cpu: '600m' })],
    'maximum cpu usage per Pod is 1, but limit is 1200m',
  ],
  [
    { type: 'Container', min: { cpu: '1', memory: '1Gi' } },
    [container('a', {})],
    '[minimum cpu usage per Container is 1.  No request is specified, minimum memory usage per Container is 1Gi.  No request is specified]',
  ],
]

t.test('bounds', async (t) => {
  for (const [limit, containers, why] of rows) {
    const found = await attempt(rangerOf(limit), { kind: 'v1 Pod', object: pod({ containers }) })
    t.equal(found, `pods "p" is forbidden: ${why}`)
  }
})

t.test('init containers come one by one, sidecars stay', async (t) => {
  const initContainers = [
    container('side', {}, { cpu: '300m' }, { restartPolicy: 'Always' }),
    container('first', {}, { cpu: '900m' }),
  ]
  const containers = [container('a', {}, { cpu: '100m' })]
  const found = await attempt(rangerOf({ type: 'Pod', max: { cpu: '1' } }), {
    kind: 'v1 Pod',
    object: pod({ initContainers, containers }),
  })
  t.equal(found, 'pods "p" is forbidden: maximum cpu usage per Pod is 1, but limit is 1200m')
})

t.test('claims', async (t) => {
  const ranger = rangerOf({ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '5Gi' } })
  const claim = (storage: string) => ({
    metadata: { name: 'c', namespace: 'ns' },
    spec: { resources: { requests: { storage } } },
  })
  const refused = 'persistentvolumeclaims "c" is forbidden:'
  const kind = 'v1 PersistentVolumeClaim'
  t.equal(
    await attempt(ranger, { kind, object: claim('10Gi') }),
    `${refused} maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 10Gi`,
  )
  t.equal(
    await attempt(ranger, { kind, operation: 'UPDATE', object: claim('500Mi'), old: claim('2Gi') }),
    `${refused} minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi`,
  )
  t.match(await attempt(ranger, { kind, object: claim('2Gi') }), claim('2Gi'))
})

t.test('a pod that is there is left alone', async (t) => {
  const ranger = rangerOf({ type: 'Container', min: { cpu: '1' } })
  t.match(
    await attempt(ranger, { kind: 'v1 Pod', operation: 'UPDATE', object: pod({}), old: pod({}) }),
    pod({}),
  )
})

t.test('a range that the cache has not heard of yet counts for the first pod of its namespace', async (t) => {
  const range = {
    metadata: { name: 'l', namespace: 'ns' },
    spec: { limits: [{ type: 'Container', min: { cpu: '1' } }] },
  }
  const lookups = lookupsOf({ 'core/limitranges': [range] })
  const asked: (string | undefined)[] = []
  const ranger = createLimitRanger({
    names,
    clock: liveClock,
    lookups: (prefix) => ({
      ...lookups(prefix),
      list(namespace, freshness) {
        asked.push(freshness)
        return lookups(freshness === 'newest' ? prefix : 'nothing').list(namespace)
      },
    }),
  })
  t.equal(
    await attempt(ranger, { kind: 'v1 Pod', object: pod({}) }),
    'pods "p" is forbidden: minimum cpu usage per Container is 1.  No request is specified',
  )
  t.match(
    await attempt(ranger, { kind: 'v1 Pod', object: pod({}) }),
    pod({}),
    'then the cache is believed for a while',
  )
  t.same(asked, [undefined, 'newest', undefined])
})
