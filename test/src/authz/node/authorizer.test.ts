/** Source: specification, "Authorization" 8. */

import t from 'tap'
import { createNodeAuthorizer } from '../../../../src/authz/node/authorizer.ts'
import { NodeGraph } from '../../../../src/authz/node/graph.ts'
import { compileRole } from '../../../../src/authz/rbac/compiled-role.ts'
import { createNames } from '../../../../src/names/names.ts'
import type { ApiObject } from '../../../../src/types/object.ts'
import { attributes, userOf } from '../attributes.ts'

const names = createNames('kubernetes')
const agent = userOf('system:node:one', 'system:nodes')

function object(kind: string, name: string, spec: object, more: object = {}): ApiObject {
  return JSON.parse(
    JSON.stringify({ apiVersion: 'v1', kind, metadata: { name, namespace: 'a', ...more }, spec }),
  )
}

function secretVolume(secretName: string): object {
  return { name: secretName, secret: { secretName } }
}

const podSpec = {
  nodeName: 'one',
  serviceAccountName: 'robot',
  imagePullSecrets: [{ name: 'pull' }],
  initContainers: [{ envFrom: [{ secretRef: { name: 'init-env' } }] }],
  containers: [
    {
      envFrom: [{ configMapRef: { name: 'all-env' } }],
      env: [
        { name: 'A', valueFrom: { secretKeyRef: { name: 'one-key', key: 'k' } } },
        { name: 'B', valueFrom: { configMapKeyRef: { name: 'one-map', key: 'k' } } },
      ],
    },
  ],
  volumes: [
    secretVolume('mounted'),
    { name: 'm', configMap: { name: 'mounted-map' } },
    {
      name: 'p',
      projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'projected-map' } }] },
    },
    { name: 'c', persistentVolumeClaim: { claimName: 'claim' } },
    { name: 'e', ephemeral: { volumeClaimTemplate: {} } },
    { name: 'csi', csi: { driver: 'd', nodePublishSecretRef: { name: 'publish' } } },
  ],
}

function world(): NodeGraph {
  const graph = new NodeGraph({ mirrorAnnotation: 'kubernetes.io/config.mirror' })
  graph.setPod(object('Pod', 'web', podSpec))
  graph.setPod(object('Pod', 'far', { nodeName: 'two', volumes: [secretVolume('far-secret')] }))
  graph.setPod(object('Pod', 'waiting', { volumes: [secretVolume('waiting-secret')] }))
  graph.setPod(
    object(
      'Pod',
      'mirror',
      { nodeName: 'one', volumes: [secretVolume('mirror-secret')] },
      { annotations: { 'kubernetes.io/config.mirror': 'x' } },
    ),
  )
  graph.setVolume(
    object('PersistentVolume', 'disk', {
      claimRef: { namespace: 'a', name: 'claim' },
      csi: { driver: 'd', nodeStageSecretRef: { name: 'stage', namespace: 'storage' } },
    }),
  )
  graph.setVolume(
    object('PersistentVolume', 'free', { csi: { nodeStageSecretRef: { name: 'free-secret' } } }),
  )
  graph.setAttachment(object('VolumeAttachment', 'attached', { nodeName: 'one' }))
  return graph
}

function authorizerOver(graph: NodeGraph) {
  const rule = {
    verbs: ['get', 'list', 'watch'],
    apiGroups: [''],
    resources: ['pods', 'nodes', 'services'],
    resourceNames: [],
    nonResourceURLs: [],
  }
  return createNodeAuthorizer({ names, graph, role: compileRole([rule]), loading: () => undefined })
}

const unrelated = "no relationship found between node 'one' and this object"

t.test('what a node agent may', async (t) => {
  const authorizer = authorizerOver(world())
  for (const [request, reason] of [
    ['list core pods', 'allowed'],
    ['delete core services x in a', ''],
    ['get core secrets mounted in a', 'allowed'],
    ['watch core secrets mounted in a', 'allowed'],
    ['get core secrets pull in a', 'allowed'],
    ['get core secrets init-env in a', 'allowed'],
    ['get core secrets one-key in a', 'allowed'],
    ['get core secrets projected in a', 'allowed'],
    ['get core secrets publish in a', 'allowed'],
    ['get core secrets stage in storage', 'allowed'],
    ['get core secrets stage in a', unrelated],
    ['get core secrets mounted in b', unrelated],
    ['get core secrets far-secret in a', unrelated],
    ['get core secrets waiting-secret in a', unrelated],
    ['get core secrets mirror-secret in a', unrelated],
    ['get core secrets free-secret in a', unrelated],
    ['list core secrets in a', 'No Object name found'],
    ['list core secrets', 'can only read namespaced object of this type'],
    ['update core secrets mounted in a', 'can only read resources of this type'],
    ['get core secrets/status mounted in a', 'cannot read subresource'],
    ['get core configmaps all-env in a', 'allowed'],
    ['get core configmaps one-map in a', 'allowed'],
    ['get core configmaps mounted-map in a', 'allowed'],
    ['get core configmaps projected-map in a', 'allowed'],
    ['get core configmaps mounted in a', unrelated],
    ['get core persistentvolumeclaims claim in a', 'allowed'],
    ['get core persistentvolumeclaims web-e in a', 'allowed'],
    ['list core persistentvolumeclaims claim in a', 'can only get individual resources of this type'],
    ['patch core persistentvolumeclaims/status claim in a', 'allowed'],
    ['get core persistentvolumes disk', 'allowed'],
    ['get core persistentvolumes free', unrelated],
    ['get storage.k8s.io volumeattachments attached', 'allowed'],
    ['get storage.k8s.io volumeattachments other', unrelated],
    ['create core serviceaccounts/token robot in a', 'allowed'],
    ['create core serviceaccounts/token other in a', unrelated],
    ['get core serviceaccounts robot in a', 'can only create tokens for individual service accounts'],
    ['create core serviceaccounts robot in a', 'can only create token subresource of service account'],
    ['update coordination.k8s.io leases one in kube-node-lease', 'allowed'],
    ['create coordination.k8s.io leases in kube-node-lease', 'allowed'],
    [
      'update coordination.k8s.io leases two in kube-node-lease',
      'can only access node lease with the same name as the requesting node',
    ],
    [
      'list coordination.k8s.io leases in kube-node-lease',
      'can only get, create, update, patch, or delete a node lease',
    ],
    [
      'update coordination.k8s.io leases one in a',
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    ['patch storage.k8s.io csinodes one', 'allowed'],
    [
      'patch storage.k8s.io csinodes two',
      'can only access CSINode with the same name as the requesting node',
    ],
    ['get /metrics', ''],
  ] as const) {
    const decision = await authorizer.authorize({ user: agent, request: attributes(request) })
    t.equal(decision.decision === 'allow' ? 'allowed' : decision.reason, reason, request)
  }
})

t.test('who is a node agent', async (t) => {
  const authorizer = authorizerOver(world())
  const request = attributes('get core secrets mounted in a')
  for (const [user, decision, reason] of [
    [agent, 'allow', ''],
    [userOf('system:node:one'), 'noOpinion', ''],
    [userOf('one', 'system:nodes'), 'noOpinion', ''],
    [
      userOf('system:node:two', 'system:nodes'),
      'noOpinion',
      "no relationship found between node 'two' and this object",
    ],
    [userOf('system:node:', 'system:nodes'), 'noOpinion', 'unknown node for user "system:node:"'],
  ] as const) {
    t.match(await authorizer.authorize({ user, request }), { decision, reason }, user.name)
  }
})

t.test('the graph follows changes', async (t) => {
  const graph = world()
  t.ok(graph.reaches('secret', 'a', 'mounted', 'one'))
  graph.setPod(object('Pod', 'twin', { nodeName: 'one', volumes: [secretVolume('mounted')] }))
  graph.remove('pod', 'a', 'web')
  t.ok(graph.reaches('secret', 'a', 'mounted', 'one'), 'another pod still uses it')
  t.notOk(graph.reaches('volume', '', 'disk', 'one'))
  graph.setPod(object('Pod', 'twin', { nodeName: 'two', volumes: [secretVolume('mounted')] }))
  t.notOk(graph.reaches('secret', 'a', 'mounted', 'one'), 'it has moved')
  t.ok(graph.reaches('secret', 'a', 'mounted', 'two'))
  graph.setAttachment(object('VolumeAttachment', 'attached', { nodeName: 'two' }))
  t.notOk(graph.reaches('attachment', '', 'attached', 'one'))
  graph.remove('attachment', '', 'attached')
  t.notOk(graph.reaches('attachment', '', 'attached', 'two'))
})
