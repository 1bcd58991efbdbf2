/** Deletion in two phases, its options, collections, namespaces. Source: specification, "States and transitions". */

import { absent, configMap, failure, mergePatch, type StoryMaker } from '../story.ts'

const items = '/api/v1/namespaces/{ns}/configmaps'
const pods = '/api/v1/namespaces/{ns}/pods'
const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'example.com/c:1' }] } }

const held = (name: string): object => ({ metadata: { name, finalizers: ['example.com/hold'] } })

const owner = (changes: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  name: 'o',
  uid: '1',
  ...changes,
})

export const deletionStories: StoryMaker = () => [
  {
    name: 'finalizers hold an object back until the last one is gone',
    steps: [
      {
        send: `POST ${items}`,
        body: { metadata: { name: 'a', finalizers: ['example.com/one', 'example.com/two'] } },
        status: 201,
      },
      {
        send: `DELETE ${items}/a`,
        status: 200,
        json: {
          kind: 'ConfigMap',
          metadata: {
            deletionTimestamp: /^\d{4}-/,
            deletionGracePeriodSeconds: 0,
            finalizers: [/one/, /two/],
          },
        },
        save: { deleted: 'metadata.deletionTimestamp', v: 'metadata.resourceVersion' },
      },
      {
        send: `DELETE ${items}/a`,
        status: 200,
        json: { metadata: { deletionTimestamp: '{deleted}', resourceVersion: '{v}' } },
      },
      {
        send: `PATCH ${items}/a`,
        headers: mergePatch,
        body: { metadata: { finalizers: ['example.com/one', 'example.com/three'] } },
        status: 422,
        json: failure(
          422,
          'Invalid',
          /metadata\.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers \[\]string\{"example\.com\/three"\}/,
        ),
      },
      {
        send: `PATCH ${items}/a`,
        headers: mergePatch,
        body: { metadata: { finalizers: ['example.com/two'], deletionTimestamp: null } },
        status: 200,
        json: { metadata: { deletionTimestamp: '{deleted}', finalizers: ['example.com/two'] } },
      },
      {
        send: `PATCH ${items}/a`,
        headers: mergePatch,
        body: { metadata: { finalizers: null } },
        status: 200,
        json: { metadata: { name: 'a', finalizers: absent } },
      },
      { send: `GET ${items}/a`, status: 404 },
      { send: `POST ${items}`, body: configMap('a'), status: 201 },
    ],
  },
  {
    name: 'preconditions',
    steps: [
      {
        send: `POST ${items}`,
        body: configMap('a'),
        status: 201,
        save: { uid: 'metadata.uid', v: 'metadata.resourceVersion' },
      },
      {
        send: `DELETE ${items}/a`,
        body: { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'other' } },
        status: 409,
        json: failure(
          409,
          'Conflict',
          /the UID in the precondition \(other\) does not match the UID in record/,
        ),
      },
      {
        send: `DELETE ${items}/a`,
        body: { preconditions: { resourceVersion: '1' } },
        status: 409,
        json: failure(409, 'Conflict', /the ResourceVersion in the precondition \(1\) does not match/),
      },
      {
        send: `DELETE ${items}/a`,
        body: { preconditions: { uid: '{uid}', resourceVersion: '{v}' } },
        status: 200,
        json: { status: 'Success' },
      },
    ],
  },
  {
    name: 'propagation',
    steps: [
      { send: `POST ${items}`, body: held('a'), status: 201 },
      {
        send: `DELETE ${items}/a?propagationPolicy=Foreground`,
        status: 200,
        json: {
          metadata: { finalizers: ['example.com/hold', 'foregroundDeletion'], deletionTimestamp: /./ },
        },
      },
      { send: `PATCH ${items}/a`, headers: mergePatch, body: { metadata: { finalizers: [] } }, status: 200 },
      { send: `GET ${items}/a`, status: 404 },
      { send: `POST ${items}`, body: held('b'), status: 201 },
      {
        send: `DELETE ${items}/b`,
        body: { orphanDependents: true },
        status: 200,
        json: { metadata: { finalizers: ['example.com/hold', 'orphan'] } },
      },
      { send: `PATCH ${items}/b`, headers: mergePatch, body: { metadata: { finalizers: [] } }, status: 200 },
      { send: `GET ${items}/b`, status: 404 },
      { send: `POST ${items}`, body: configMap('d'), status: 201 },
      { send: `DELETE ${items}/d?propagationPolicy=Background`, status: 200, json: { status: 'Success' } },
      { send: `DELETE ${items}/c?propagationPolicy=Sideways`, status: 422, text: ['Foreground'] },
      {
        send: `DELETE ${items}/c`,
        body: { orphanDependents: true, propagationPolicy: 'Orphan' },
        status: 422,
        text: ['cannot be both set'],
      },
      { send: `DELETE ${items}/c?gracePeriodSeconds=soon`, status: 400 },
    ],
  },
  {
    name: 'types that end gracefully wait for their grace period',
    steps: [
      { send: `POST ${pods}`, body: { ...pod, spec: { ...pod.spec, nodeName: 'node-1' } }, status: 201 },
      {
        send: `DELETE ${pods}/p`,
        status: 200,
        json: { kind: 'Pod', metadata: { deletionGracePeriodSeconds: 30, deletionTimestamp: /./ } },
      },
      {
        send: `DELETE ${pods}/p?gracePeriodSeconds=5`,
        status: 200,
        json: { metadata: { deletionGracePeriodSeconds: 5 } },
      },
      { send: `GET ${pods}/p`, status: 200 },
      { send: `DELETE ${pods}/p?gracePeriodSeconds=0`, status: 200 },
      { send: `GET ${pods}/p`, status: 404 },
    ],
  },
  {
    name: 'a collection is deleted by the query of a list',
    steps: [
      ...['a', 'b', 'c'].map((name) => ({
        send: `POST ${items}`,
        body: { metadata: { name, labels: { keep: name === 'c' ? 'yes' : 'no' } } },
        status: 201,
      })),
      {
        send: `DELETE ${items}?labelSelector=keep%3Dno`,
        status: 200,
        json: { kind: 'ConfigMapList', items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }] },
      },
      { send: `GET ${items}`, status: 200, json: { items: [{ metadata: { name: 'c' } }] } },
      { send: 'DELETE /api/v1/configmaps', status: 405 },
    ],
  },
  {
    name: 'a collection is deleted a page at a time, for real or not',
    steps: [
      ...['a', 'b', 'c'].map((name) => ({ send: `POST ${items}`, body: configMap(name), status: 201 })),
      {
        send: `DELETE ${items}?limit=2&dryRun=All`,
        status: 200,
        json: { items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }] },
      },
      {
        send: `DELETE ${items}?limit=2`,
        status: 200,
        json: {
          metadata: { continue: /./, remainingItemCount: 1 },
          items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
        },
      },
      { send: `DELETE ${items}?fieldSelector=metadata.name%3Dz`, status: 200, json: { items: [] } },
      { send: `GET ${items}`, status: 200, json: { items: [{ metadata: { name: 'c' } }] } },
      { send: `DELETE ${items}?fieldSelector=metadata.name%3Dc&propagationPolicy=Background`, status: 200 },
      { send: `GET ${items}`, status: 200, json: { items: [] } },
      { send: `DELETE ${items}?labelSelector=a%20b`, status: 400 },
      { send: `DELETE ${items}?propagationPolicy=Sideways`, status: 422 },
    ],
  },
  {
    name: 'who may be an owner',
    steps: [
      {
        send: `POST ${items}`,
        body: { metadata: { name: 'a', ownerReferences: [owner(), owner({ kind: '', uid: '' })] } },
        status: 422,
        json: {
          details: {
            causes: [
              { field: 'metadata.ownerReferences.kind', message: /kind must not be empty/ },
              { field: 'metadata.ownerReferences.uid', message: /uid must not be empty/ },
            ],
          },
        },
      },
      {
        send: `POST ${items}`,
        body: { metadata: { name: 'a', ownerReferences: [owner({ kind: 'Event' })] } },
        status: 422,
        text: ['/v1, Kind=Event is disallowed from being an owner'],
      },
      {
        send: `POST ${items}`,
        body: {
          metadata: {
            name: 'a',
            ownerReferences: [owner({ controller: true }), owner({ name: 'p', uid: '2', controller: true })],
          },
        },
        status: 422,
        text: ['Only one reference can have Controller set to true', 'Node/o and Node/p'],
      },
      {
        send: `POST ${items}?dryRun=All`,
        body: { metadata: { name: 'a', ownerReferences: [owner(), owner(), owner({ name: 'p' })] } },
        status: 201,
        answerHeaders: { warning: /contains duplicate entries.*duplicate UID\(s\) observed: 1/ },
        json: { metadata: { ownerReferences: [{ name: 'o' }, { name: 'p' }] } },
      },
    ],
  },
  {
    name: 'a namespace must be there, and the system keeps its own',
    steps: [
      {
        send: 'POST /api/v1/namespaces/{ns}-missing/configmaps',
        body: configMap('a'),
        status: 404,
        json: failure(404, 'NotFound', 'namespaces "{ns}-missing" not found'),
      },
      { send: 'GET /api/v1/namespaces/{ns}-missing/configmaps', status: 200, json: { items: [] } },
      { send: 'GET /api/v1/namespaces/default', status: 200, json: { status: { phase: 'Active' } } },
      { send: 'GET /api/v1/namespaces/{systemNamespace}', status: 200 },
      {
        send: 'DELETE /api/v1/namespaces/default',
        status: 403,
        json: failure(
          403,
          'Forbidden',
          'namespaces "default" is forbidden: this namespace may not be deleted',
        ),
      },
      { send: 'DELETE /api/v1/namespaces', status: 405 },
    ],
  },
  {
    name: 'a namespace that ends takes nothing new, and goes when it is empty',
    steps: [
      { send: 'POST /api/v1/namespaces', body: { metadata: { name: '{ns}-x' } }, status: 201 },
      {
        send: 'POST /api/v1/namespaces/{ns}-x/configmaps',
        body: { metadata: { name: 'a', finalizers: ['example.com/wait'] } },
        status: 201,
      },
      {
        send: 'DELETE /api/v1/namespaces/{ns}-x',
        status: 200,
        json: { kind: 'Namespace', metadata: { deletionTimestamp: /./ }, status: { phase: 'Terminating' } },
      },
      {
        send: 'POST /api/v1/namespaces/{ns}-x/configmaps',
        body: configMap('b'),
        status: 403,
        json: {
          reason: 'Forbidden',
          message: /because it is being terminated/,
          details: { causes: [{ reason: 'NamespaceTerminating' }] },
        },
      },
    ],
  },
  {
    name: 'the finalizers of a namespace have a path of their own',
    steps: [
      {
        send: 'POST /api/v1/namespaces',
        body: { metadata: { name: '{ns}-f', finalizers: ['example.com/wait'] } },
        status: 201,
        json: { spec: { finalizers: [/./] } },
      },
      {
        send: 'PUT /api/v1/namespaces/{ns}-f/finalize',
        body: { metadata: { name: '{ns}-f', finalizers: ['example.com/wait'] }, spec: { finalizers: [] } },
        status: 200,
        json: { spec: { finalizers: absent } },
      },
      { send: 'GET /api/v1/namespaces/{ns}-f/finalize', status: 405 },
      {
        send: 'DELETE /api/v1/namespaces/{ns}-f',
        status: 200,
        json: { metadata: { deletionTimestamp: /./, deletionGracePeriodSeconds: absent } },
      },
      {
        send: 'PATCH /api/v1/namespaces/{ns}-f',
        headers: mergePatch,
        body: { metadata: { finalizers: null } },
        status: 200,
      },
      { send: 'GET /api/v1/namespaces/{ns}-f', status: 404 },
    ],
  },
  {
    name: 'a pod that nothing runs goes at once, and its name is free only then',
    steps: [
      {
        send: 'POST /api/v1/namespaces/{ns}/pods',
        body: { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        status: 201,
      },
      {
        send: 'DELETE /api/v1/namespaces/{ns}/pods/a',
        status: 200,
        json: { kind: 'Pod', metadata: { deletionTimestamp: /./, deletionGracePeriodSeconds: 0 } },
      },
      { send: 'GET /api/v1/namespaces/{ns}/pods/a', status: 404 },
      {
        send: 'POST /api/v1/namespaces/{ns}/configmaps',
        body: { metadata: { name: 'a', finalizers: ['example.com/wait'] } },
        status: 201,
      },
      { send: 'DELETE /api/v1/namespaces/{ns}/configmaps/a', status: 200 },
      {
        send: 'POST /api/v1/namespaces/{ns}/configmaps',
        body: { metadata: { name: 'a' } },
        status: 409,
        json: failure(409, 'AlreadyExists', 'object is being deleted: configmaps "a" already exists'),
      },
      {
        send: 'POST /api/v1/namespaces/{ns}/configmaps?dryRun=All',
        body: { metadata: { name: 'a' } },
        status: 409,
        json: failure(409, 'AlreadyExists', 'object is being deleted: configmaps "a" already exists'),
      },
    ],
  },
  {
    name: 'what a delete request may ask for',
    steps: [
      { send: 'POST /api/v1/namespaces/{ns}/configmaps', body: { metadata: { name: 'a' } }, status: 201 },
      {
        send: 'DELETE /api/v1/namespaces/{ns}/configmaps/a?propagationPolicy=',
        status: 422,
        text: [
          'propagationPolicy: Unsupported value: \\"\\": supported values: \\"Foreground\\", \\"Background\\", \\"Orphan\\", \\"nil\\"',
        ],
      },
      {
        send: 'DELETE /api/v1/namespaces/{ns}/configmaps/a',
        body: { preconditions: { uid: 'u' } },
        status: 409,
        json: {
          message:
            /^Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition \(u\) does not match/,
          details: { name: 'a', kind: 'ConfigMap' },
        },
      },
    ],
  },
]
