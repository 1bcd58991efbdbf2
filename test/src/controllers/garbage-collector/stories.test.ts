/** Every propagation policy over every shape of dependents. Source: garbage collection as the Kubernetes API documents it. */

import t from 'tap'
import { createMemoryStore } from '../../../support/memory-store.ts'
import { Cluster, type OwnerLine, type Policy } from './cluster.ts'

interface Story {
  readonly name: string
  /** Name: owners, finalizers. In this order. */
  readonly given: readonly (readonly [
    name: string,
    owners?: readonly (string | OwnerLine)[],
    finalizers?: readonly string[],
  ])[]
  readonly delete: readonly (readonly [name: string, policy?: Policy])[]
  /** What is there in the end; `†` = on its way out. */
  readonly left: readonly string[]
  /** Then these finalizers go, and this is left. */
  readonly release?: readonly [name: string, left: readonly string[]]
}

const blocks = (to: string): OwnerLine => ({ to, blocks: true })
const wait = ['example.com/wait']

const stories: readonly Story[] = [
  {
    name: 'background: the dependent follows',
    given: [['a'], ['b', ['a']]],
    delete: [['a', 'Background']],
    left: [],
  },
  { name: 'without a policy it is background', given: [['a'], ['b', ['a']]], delete: [['a']], left: [] },
  {
    name: 'background: the chain follows, link by link',
    given: [['a'], ['b', ['a']], ['c', ['b']], ['d', ['c']]],
    delete: [['a', 'Background']],
    left: [],
  },
  {
    name: 'background: a finalizer holds the dependent, not the owner',
    given: [['a'], ['b', ['a'], wait]],
    delete: [['a', 'Background']],
    left: ['b†'],
    release: ['b', []],
  },
  {
    name: 'background: an owner held by a finalizer of somebody else is still there',
    given: [
      ['a', [], wait],
      ['b', ['a']],
    ],
    delete: [['a', 'Background']],
    left: ['a†', 'b'],
    release: ['a', []],
  },
  {
    name: 'background: one owner of two is left',
    given: [['a'], ['b'], ['c', ['a', 'b']]],
    delete: [['a', 'Background']],
    left: ['b', 'c'],
  },
  {
    name: 'background: both owners go',
    given: [['a'], ['b'], ['c', ['a', 'b']]],
    delete: [
      ['a', 'Background'],
      ['b', 'Background'],
    ],
    left: [],
  },
  {
    name: 'foreground: dependents first, blocking or not',
    given: [['a'], ['b', [blocks('a')]], ['c', ['a']]],
    delete: [['a', 'Foreground']],
    left: [],
  },
  { name: 'foreground without dependents', given: [['a']], delete: [['a', 'Foreground']], left: [] },
  {
    name: 'foreground waits for a blocking dependent that is held',
    given: [['a'], ['b', [blocks('a')], wait], ['c', [blocks('a')]]],
    delete: [['a', 'Foreground']],
    left: ['a†', 'b†'],
    release: ['b', []],
  },
  {
    name: 'foreground does not wait for one that does not block',
    given: [['a'], ['b', ['a'], wait]],
    delete: [['a', 'Foreground']],
    left: ['b†'],
    release: ['b', []],
  },
  {
    name: 'foreground goes down a chain, and waits for its end',
    given: [['a'], ['b', [blocks('a')]], ['c', [blocks('b')], wait]],
    delete: [['a', 'Foreground']],
    left: ['a†', 'b†', 'c†'],
    release: ['c', []],
  },
  {
    name: 'foreground lets go what another owner keeps',
    given: [['a'], ['b'], ['c', [blocks('a'), 'b']]],
    delete: [['a', 'Foreground']],
    left: ['b', 'c'],
  },
  {
    name: 'orphan: the dependent stays',
    given: [['a'], ['b', ['a']], ['c', [blocks('a')]]],
    delete: [['a', 'Orphan']],
    left: ['b', 'c'],
  },
  { name: 'orphan without dependents', given: [['a']], delete: [['a', 'Orphan']], left: [] },
  {
    name: 'orphan: dependents of dependents keep their owner',
    given: [['a'], ['b', ['a']], ['c', ['b']]],
    delete: [['a', 'Orphan']],
    left: ['b', 'c'],
  },
  {
    name: 'orphan: a held owner stays, its dependents are free',
    given: [
      ['a', [], wait],
      ['b', ['a']],
    ],
    delete: [['a', 'Orphan']],
    left: ['a†', 'b'],
    release: ['a', ['b']],
  },
  {
    name: 'a dependent that asks to orphan its own is heard',
    given: [['a'], ['b', ['a'], ['orphan']], ['c', ['b']]],
    delete: [['a', 'Background']],
    left: ['c'],
  },
  {
    name: 'a dependent that asks for foreground is heard',
    given: [['a'], ['b', ['a'], ['foregroundDeletion']], ['c', [blocks('b')], wait]],
    delete: [['a', 'Background']],
    left: ['b†', 'c†'],
    release: ['c', []],
  },
  { name: 'an owner that never was', given: [['b', [{ to: 'a', uid: 'none' }]]], delete: [], left: [] },
  {
    name: 'an owner of another uid',
    given: [['a'], ['b', [{ to: 'a', uid: 'other' }]]],
    delete: [],
    left: ['a'],
  },
  {
    name: 'an owner of another uid beside one that is there',
    given: [['a'], ['b', ['a', { to: 'a', uid: 'other' }]]],
    delete: [],
    left: ['a', 'b'],
  },
  {
    name: 'an owner of an unknown kind proves nothing',
    given: [['b', [{ to: 'a', uid: 'x', kind: 'Gadget', apiVersion: 'example.com/v1' }]]],
    delete: [],
    left: ['b'],
  },
  {
    name: 'an owner of an unknown kind beside an absent one',
    given: [
      [
        'b',
        [
          { to: 'a', uid: 'x', kind: 'Gadget', apiVersion: 'example.com/v1' },
          { to: 'n', uid: 'n' },
        ],
      ],
    ],
    delete: [],
    left: ['b'],
  },
]

t.test('stories', async (t) => {
  const cluster = await Cluster.start(t)
  for (const { name, given, delete: deleted, left, release } of stories) {
    await t.test(name, async (t) => {
      for (const [object, owners, finalizers] of given) await cluster.create(object, owners, finalizers)
      for (const [object, policy] of deleted) await cluster.delete(object, policy)
      await cluster.settled()
      await cluster.becomes(left)
      t.pass(`left: ${left.join(' ')}`)
      if (release !== undefined) {
        await cluster.patch(release[0], { finalizers: null })
        await cluster.becomes(release[1])
      }
      for (const object of await cluster.names()) {
        const bare = object.replace('†', '')
        await cluster.patch(bare, { finalizers: null, ownerReferences: null })
        await cluster.delete(bare).catch(() => {})
      }
      await cluster.becomes([])
    })
  }
})

t.test('what is let go loses the reference, and nothing else', async (t) => {
  const cluster = await Cluster.start(t)
  await cluster.create('a')
  await cluster.create('b')
  await cluster.create('c', ['a', { to: 'b', blocks: true }], ['example.com/mine'])
  await cluster.delete('a', 'Orphan')
  await cluster.becomes(['b', 'c'])
  const c = await cluster.get('c')
  t.match(c?.metadata, {
    ownerReferences: [{ name: 'b', blockOwnerDeletion: true }],
    finalizers: ['example.com/mine'],
  })
  t.equal(c?.metadata.ownerReferences?.length, 1)
})

t.test('owners in a circle', async (t) => {
  for (const policy of ['Foreground', 'Background', 'Orphan'] as const) {
    await t.test(policy, async (t) => {
      const cluster = await Cluster.start(t)
      await cluster.create('a')
      await cluster.create('b', [{ to: 'a', blocks: true }])
      const b = await cluster.get('b')
      await cluster.patch('a', {
        ownerReferences: [
          { apiVersion: 'v1', kind: 'ConfigMap', name: 'b', uid: b?.metadata.uid, blockOwnerDeletion: true },
        ],
      })
      await cluster.settled()
      t.same(await cluster.names(), ['a', 'b'], 'who owns each other stays')
      await cluster.delete('a', policy)
      await cluster.becomes(policy === 'Orphan' ? ['b'] : [])
    })
  }
})

t.test('owners of the cluster, of the namespace, of another namespace', async (t) => {
  const cluster = await Cluster.start(t)
  const { server } = cluster
  const post = async (target: string, body: object): Promise<string> => {
    const answer = await server.request({ method: 'POST', target, body })
    t.equal(answer.status, 201)
    const { metadata }: { metadata: { uid: string } } = JSON.parse(answer.body.toString('utf8'))
    return metadata.uid
  }
  const node = await post('/api/v1/nodes', { metadata: { name: 'n' } })
  const elsewhere = await post('/api/v1/namespaces/kube-public/configmaps', { metadata: { name: 'far' } })
  await cluster.create('by-node', [{ to: 'n', uid: node, kind: 'Node' }])
  await cluster.create('by-far', [{ to: 'far', uid: elsewhere }])
  const volume = {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
  }
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'by-node', uid: 'x' }
  await post('/api/v1/persistentvolumes', {
    metadata: { name: 'pv', ownerReferences: [reference] },
    ...volume,
  })
  await cluster.settled()
  t.same(await cluster.names(), ['by-node'], 'what is owned from another namespace has no owner')
  const pv = await server.request({ method: 'GET', target: '/api/v1/persistentvolumes/pv' })
  t.equal(
    pv.status,
    200,
    'nothing of a namespace can own an object of the cluster, so nothing is known of its owner',
  )
  await server.request({ method: 'DELETE', target: '/api/v1/nodes/n' })
  await cluster.becomes([])
})

t.test('what was stored before the collector started is seen too', async (t) => {
  const store = createMemoryStore()
  const first = await Cluster.start(t, { store })
  await first.create('a')
  for (let i = 0; i < 5; i++) await first.create(`b${i}`, ['a'])
  await first.settled()
  store.disconnect()
  await first.delete('a')
  await first.becomes([])
  t.pass('also after the watch was lost')
})
