/** Source: specification, "Authorization" 8: writes of nodes are restricted to their own node and pods. */

import t from 'tap'
import { createNodeRestriction } from '../../../src/admission/plugins/node-restriction.ts'
import type { User } from '../../../src/pipeline/user.ts'
import { names } from '../types/types.ts'
import { attempt, lookupsOf, type Trial } from './trial.ts'

const n1: User = { name: 'system:node:n1', uid: '', groups: ['system:nodes'], extra: new Map() }
const nobody: User = { ...n1, name: 'system:node:' }
const person: User = { ...n1, name: 'jane', groups: ['developers'] }
const outsider: User = { ...n1, groups: ['developers'] }

const podOn = (nodeName: string, name = 'p', uid = 'u1') => ({
  metadata: { namespace: 'ns', name, uid, labels: { app: 'a' } },
  spec: { nodeName },
})
const plugin = createNodeRestriction(
  names,
  lookupsOf({
    'core/pods': [podOn('n1', 'mine'), podOn('n2', 'other')],
    'core/nodes': [{ metadata: { name: 'n1', uid: 'node-uid' } }],
  }),
)

const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'node-uid', controller: true }
const mirror = (spec: object = {}, metadata: object = {}) => ({
  metadata: {
    name: 'p',
    annotations: { 'kubernetes.io/config.mirror': 'x' },
    ownerReferences: [owner],
    ...metadata,
  },
  spec: { nodeName: 'n1', containers: [{ name: 'c' }], ...spec },
})
const owned = (...ownerReferences: readonly object[]) => mirror({}, { ownerReferences })
const node = (metadata: object = {}, spec: object = {}) => ({ metadata: { name: 'n1', ...metadata }, spec })
const labelled = (key: string) => node({ labels: { [key]: 'x' } })
const claim = (status: object = {}, more: object = {}) => ({
  metadata: { name: 'c', labels: { a: 'b' } },
  spec: { storageClassName: 's' },
  status,
  ...more,
})
const bound = (boundObjectRef: object) => ({ metadata: { name: 'sa' }, spec: { boundObjectRef } })
const toMine = { apiVersion: 'v1', kind: 'Pod', name: 'mine', uid: 'u1' }

const pod = 'v1 Pod'
const update = { operation: 'UPDATE' } as const
const remove = { operation: 'DELETE' } as const
const status = { ...update, subresource: 'status' } as const
const eviction = { kind: pod, subresource: 'eviction' } as const
const token = { kind: 'v1 ServiceAccount', subresource: 'token' } as const

/** '' = admitted; else how the reason ends. */
type Row = readonly [what: string, trial: Trial, why: string]

const rows: readonly Row[] = [
  ['a mirror pod', { kind: pod, object: mirror() }, ''],
  [
    'a pod of its own',
    { kind: pod, object: mirror({}, { annotations: {} }) },
    'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
  ],
  [
    'a mirror pod elsewhere',
    { kind: pod, object: mirror({ nodeName: 'n2' }) },
    'node "n1" can only create pods with spec.nodeName set to itself',
  ],
  [
    'of nobody',
    { kind: pod, object: owned() },
    'node "n1" can only create pods with an owner reference set to itself',
  ],
  [
    'of two',
    { kind: pod, object: owned(owner, owner) },
    'node "n1" can only create pods with a single owner reference set to itself',
  ],
  [
    'of another node',
    { kind: pod, object: owned({ ...owner, name: 'n2' }) },
    'node "n1" can only create pods with an owner reference set to itself',
  ],
  [
    'of something else',
    { kind: pod, object: owned({ ...owner, kind: 'Pod' }) },
    'node "n1" can only create pods with an owner reference set to itself',
  ],
  [
    'not controlled',
    { kind: pod, object: owned({ ...owner, controller: false }) },
    'node "n1" can only create pods with a controller owner reference set to itself',
  ],
  [
    'that holds its node',
    { kind: pod, object: owned({ ...owner, blockOwnerDeletion: true }) },
    'node "n1" must not set blockOwnerDeletion on an owner reference',
  ],
  [
    'of a node that was',
    { kind: pod, object: owned({ ...owner, uid: 'old' }) },
    'node n1 UID mismatch: expected old got node-uid',
  ],
  [
    'with an account',
    { kind: pod, object: mirror({ serviceAccountName: 'sa' }) },
    'node "n1" can not create pods that reference a service account',
  ],
  [
    'with a secret',
    { kind: pod, object: mirror({ volumes: [{ name: 'v', secret: { secretName: 's' } }] }) },
    'node "n1" can not create pods that reference secrets',
  ],
  [
    'with a secret in its environment',
    { kind: pod, object: mirror({ containers: [{ name: 'c', envFrom: [{ secretRef: { name: 's' } }] }] }) },
    'node "n1" can not create pods that reference secrets',
  ],
  [
    'with a config map',
    { kind: pod, object: mirror({ volumes: [{ name: 'v', configMap: { name: 's' } }] }) },
    'node "n1" can not create pods that reference configmaps',
  ],
  [
    'with a token',
    {
      kind: pod,
      object: mirror({
        volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }],
      }),
    },
    'node "n1" can not create pods that reference service account tokens',
  ],
  [
    'with a trust bundle',
    {
      kind: pod,
      object: mirror({
        volumes: [{ name: 'v', projected: { sources: [{ clusterTrustBundle: { path: 't' } }] } }],
      }),
    },
    'node "n1" can not create pods that reference clustertrustbundles',
  ],
  [
    'with a claim',
    { kind: pod, object: mirror({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 's' } }] }) },
    'node "n1" can not create pods that reference persistentvolumeclaims',
  ],
  [
    'with a resource claim',
    { kind: pod, object: mirror({ resourceClaims: [{ name: 'r' }] }) },
    'node "n1" can not create pods that reference resourceclaims',
  ],

  [
    'changes a pod',
    { kind: pod, ...update, object: podOn('n1'), old: podOn('n1') },
    'unexpected operation "UPDATE", node "n1" can only create and delete mirror pods',
  ],
  ['deletes its pod', { kind: pod, ...remove, object: {}, old: podOn('n1') }, ''],
  [
    "deletes another's pod",
    { kind: pod, ...remove, object: {}, old: podOn('n2') },
    'node "n1" can only delete pods with spec.nodeName set to itself',
  ],
  [
    'deletes a pod of no node',
    { kind: pod, ...remove, object: {}, old: podOn('') },
    'node "n1" can only delete pods with spec.nodeName set to itself',
  ],
  ['reports of its pod', { kind: pod, ...status, object: podOn('n1'), old: podOn('n1') }, ''],
  [
    "reports of another's pod",
    { kind: pod, ...status, object: podOn('n2'), old: podOn('n2') },
    'node "n1" can only update pod status for pods with spec.nodeName set to itself',
  ],
  [
    'relabels its pod',
    {
      kind: pod,
      ...status,
      object: { ...podOn('n1'), metadata: { name: 'p', labels: { app: 'b' } } },
      old: podOn('n1'),
    },
    'node "n1" cannot update labels through pod status',
  ],
  ['evicts its pod', { ...eviction, object: { metadata: { name: 'mine' } } }, ''],
  [
    "evicts another's pod",
    { ...eviction, object: { metadata: { name: 'other' } } },
    'node n1 can only evict pods with spec.nodeName set to itself',
  ],
  [
    'evicts a pod that is not there',
    { ...eviction, object: { metadata: { name: 'ghost' } } },
    'pods "ghost" not found',
  ],
  [
    'binds a pod',
    { kind: pod, subresource: 'binding', object: { metadata: { name: 'mine' } } },
    `unexpected pod subresource "binding", only 'status' and 'eviction' are allowed`,
  ],

  ['registers', { kind: 'v1 Node', object: node() }, ''],
  [
    'registers another',
    { kind: 'v1 Node', object: node({ name: 'n2' }) },
    'node "n1" is not allowed to modify node "n2"',
  ],
  ['registers with a label of its own', { kind: 'v1 Node', object: labelled('example.com/a') }, ''],
  ['with its name', { kind: 'v1 Node', object: labelled('kubernetes.io/hostname') }, ''],
  ['with a label that agents have', { kind: 'v1 Node', object: labelled('a.kubelet.kubernetes.io/b') }, ''],
  [
    'with a label that attracts pods',
    { kind: 'v1 Node', object: labelled('node-restriction.kubernetes.io/a') },
    'node "n1" is not allowed to set the following labels: node-restriction.kubernetes.io/a',
  ],
  [
    'the same below another domain',
    { kind: 'v1 Node', object: labelled('example.com.node-restriction.kubernetes.io/a') },
    'node "n1" is not allowed to set the following labels: example.com.node-restriction.kubernetes.io/a',
  ],
  [
    'with a role',
    { kind: 'v1 Node', object: labelled('node-role.kubernetes.io/control-plane') },
    'node "n1" is not allowed to set the following labels: node-role.kubernetes.io/control-plane',
  ],
  [
    'with a label of the API',
    { kind: 'v1 Node', object: labelled('foo.k8s.io/a') },
    'node "n1" is not allowed to set the following labels: foo.k8s.io/a',
  ],
  ['a domain that only looks like it', { kind: 'v1 Node', object: labelled('notkubernetes.io/a') }, ''],
  [
    'with a source of configuration',
    { kind: 'v1 Node', object: node({}, { configSource: { configMap: { name: 'x' } } }) },
    'node "n1" is not allowed to create pods with a non-nil configSource',
  ],
  [
    'changes its node',
    { kind: 'v1 Node', ...update, object: node({}, { podCIDR: '10.0.0.0/24' }), old: node() },
    '',
  ],
  [
    'keeps a label that others gave it',
    {
      kind: 'v1 Node',
      ...update,
      object: labelled('node-role.kubernetes.io/a'),
      old: labelled('node-role.kubernetes.io/a'),
    },
    '',
  ],
  [
    'drops one',
    { kind: 'v1 Node', ...update, object: node(), old: labelled('node-role.kubernetes.io/a') },
    'is not allowed to modify labels: node-role.kubernetes.io/a',
  ],
  [
    'drops its taint',
    {
      kind: 'v1 Node',
      ...update,
      object: node(),
      old: node({}, { taints: [{ key: 'a', effect: 'NoSchedule' }] }),
    },
    'node "n1" is not allowed to modify taints',
  ],
  [
    'drops it by way of its status',
    {
      kind: 'v1 Node',
      ...status,
      object: node(),
      old: node({}, { taints: [{ key: 'a', effect: 'NoSchedule' }] }),
    },
    'node "n1" is not allowed to modify taints',
  ],
  [
    'changes another node',
    { kind: 'v1 Node', ...update, object: node({ name: 'n2' }), old: node({ name: 'n2' }) },
    'node "n1" is not allowed to modify node "n2"',
  ],
  [
    'names a source of configuration',
    {
      kind: 'v1 Node',
      ...update,
      object: node({}, { configSource: { configMap: { name: 'x' } } }),
      old: node(),
    },
    'node "n1" is not allowed to update configSource to a new non-nil configSource',
  ],

  [
    'reports the size of a claim',
    {
      kind: 'v1 PersistentVolumeClaim',
      ...status,
      object: claim({ capacity: { storage: '2Gi' }, conditions: [] }),
      old: claim(),
    },
    '',
  ],
  [
    'reports its phase',
    { kind: 'v1 PersistentVolumeClaim', ...status, object: claim({ phase: 'Bound' }), old: claim() },
    'node "n1" is not allowed to update fields other than status.capacity and status.conditions',
  ],
  [
    'relabels a claim',
    {
      kind: 'v1 PersistentVolumeClaim',
      ...status,
      object: { ...claim(), metadata: { name: 'c' } },
      old: claim(),
    },
    'node "n1" is not allowed to update fields other than status.capacity and status.conditions',
  ],
  [
    'changes a claim',
    { kind: 'v1 PersistentVolumeClaim', ...update, object: claim(), old: claim() },
    'may only update PVC status',
  ],

  ['a token for its pod', { ...token, object: bound(toMine) }, ''],
  [
    'a token for nothing',
    { ...token, object: { metadata: { name: 'sa' }, spec: {} } },
    'node requested token not bound to a pod',
  ],
  [
    'a token for a secret',
    { ...token, object: bound({ ...toMine, kind: 'Secret' }) },
    'node requested token not bound to a pod',
  ],
  [
    'a token without uid',
    { ...token, object: bound({ ...toMine, uid: '' }) },
    'node requested token with a pod binding without a uid',
  ],
  [
    'a token for a pod that was',
    { ...token, object: bound({ ...toMine, uid: 'u0' }) },
    'the UID in the bound object reference (u0) does not match the UID in record. The object might have been deleted and then recreated',
  ],
  [
    "a token for another's pod",
    { ...token, object: bound({ ...toMine, name: 'other' }) },
    'node requested token bound to a pod scheduled on a different node',
  ],
  ['a token for no pod', { ...token, object: bound({ ...toMine, name: 'ghost' }) }, 'pods "ghost" not found'],

  [
    'a lease elsewhere',
    { kind: 'coordination.k8s.io/v1 Lease', object: { metadata: { name: 'n1' } } },
    'can only access leases in the "kube-node-lease" system namespace',
  ],
  ['its driver list', { kind: 'storage.k8s.io/v1 CSINode', object: { metadata: { name: 'n1' } } }, ''],
  [
    "another's driver list",
    { kind: 'storage.k8s.io/v1 CSINode', object: { metadata: { name: 'n2' } } },
    'can only access CSINode with the same name as the requesting node',
  ],
  ['something that is not restricted', { kind: 'v1 ConfigMap', object: { metadata: { name: 'n2' } } }, ''],
]

t.test('(request of a node → why not)', async (t) => {
  for (const [what, trial, why] of rows) {
    const result = await attempt(plugin, { ...trial, user: n1 })
    const reason = typeof result === 'string' ? result.replace(/^.* is forbidden: /, '') : ''
    t.equal(reason, why, what)
  }
})

t.test('whom it concerns', async (t) => {
  const trial: Trial = { kind: 'v1 Node', object: node({ name: 'n2' }) }
  for (const [what, user, admitted] of [
    ['a node', n1, false],
    ['a node without a name', nobody, false],
    ['a person', person, true],
    ['the name of a node outside the group', outsider, true],
  ] as const) {
    const result = await attempt(plugin, { ...trial, user })
    t.equal(typeof result !== 'string', admitted, what)
  }
})
