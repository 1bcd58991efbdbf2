/** Operations on one object. Source: specification, "Operations", "Common envelope and metadata", "Update rules". */

import { absent, configMap, failure, mergePatch, type StoryMaker } from '../story.ts'

const items = '/api/v1/namespaces/{ns}/configmaps'
const deployments = '/apis/apps/v1/namespaces/{ns}/deployments'

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'example.com/web:1' }] },
    },
  },
}

export const objectStories: StoryMaker = ({ groupDomain }) => [
  {
    name: 'an object is created, read, replaced and deleted',
    steps: [
      {
        send: `POST ${items}`,
        body: configMap('a', { color: 'red' }),
        status: 201,
        json: {
          kind: 'ConfigMap',
          apiVersion: 'v1',
          metadata: {
            name: 'a',
            namespace: '{ns}',
            uid: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
            resourceVersion: /^\d+$/,
            creationTimestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
            generation: absent,
          },
          data: { color: 'red' },
        },
        answerHeaders: {
          'content-type': 'application/json',
          'cache-control': 'no-cache, private',
          'audit-id': /^[0-9a-f-]{36}$/,
        },
        save: { v1: 'metadata.resourceVersion', uid: 'metadata.uid' },
      },
      { send: `GET ${items}/a`, status: 200, json: { metadata: { uid: '{uid}', resourceVersion: '{v1}' } } },
      {
        send: `PUT ${items}/a`,
        body: { metadata: { name: 'a', resourceVersion: '{v1}' }, data: { color: 'blue' } },
        status: 200,
        json: { metadata: { uid: '{uid}', name: 'a', namespace: '{ns}' }, data: { color: 'blue' } },
        save: { v2: 'metadata.resourceVersion' },
      },
      {
        send: `DELETE ${items}/a`,
        status: 200,
        json: { kind: 'Status', status: 'Success', details: { name: 'a', kind: 'configmaps', uid: '{uid}' } },
      },
      { send: `GET ${items}/a`, status: 404, json: failure(404, 'NotFound', 'configmaps "a" not found') },
      { send: `DELETE ${items}/a`, status: 404, json: failure(404, 'NotFound', 'configmaps "a" not found') },
    ],
  },
  {
    name: 'a write that changes nothing makes no new version',
    steps: [
      {
        send: `POST ${items}`,
        body: configMap('a', { k: 'v' }),
        status: 201,
        save: { v: 'metadata.resourceVersion' },
      },
      {
        send: `PUT ${items}/a`,
        body: configMap('a', { k: 'v' }),
        status: 200,
        json: { metadata: { resourceVersion: '{v}' } },
      },
      {
        send: `PATCH ${items}/a`,
        headers: mergePatch,
        body: { data: { k: 'v' } },
        status: 200,
        json: { metadata: { resourceVersion: '{v}' } },
      },
    ],
  },
  {
    name: 'names are generated',
    steps: [
      {
        send: `POST ${items}`,
        body: { metadata: { generateName: 'job-' } },
        status: 201,
        json: {
          metadata: { generateName: 'job-', name: /^job-[bcdfghjklmnpqrstvwxz2456789]{5}$/ },
        },
      },
      {
        send: `POST ${items}`,
        body: { metadata: { generateName: 'x'.repeat(80) } },
        status: 201,
        json: { metadata: { name: /^x{58}.{5}$/ } },
      },
    ],
  },
  {
    name: 'kind and apiVersion may be left out of a body',
    steps: [
      {
        send: `POST ${items}`,
        body: { metadata: { name: 'bare' } },
        status: 201,
        json: { kind: 'ConfigMap', apiVersion: 'v1' },
      },
    ],
  },
  {
    name: 'a stale version is a conflict, no version replaces what is there',
    steps: [
      { send: `POST ${items}`, body: configMap('a'), status: 201, save: { v1: 'metadata.resourceVersion' } },
      { send: `PUT ${items}/a`, body: configMap('a', { n: '1' }), status: 200 },
      {
        send: `PUT ${items}/a`,
        body: { metadata: { name: 'a', resourceVersion: '{v1}' }, data: { n: '2' } },
        status: 409,
        json: failure(
          409,
          'Conflict',
          'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
        ),
      },
      { send: `PUT ${items}/a`, body: configMap('a', { n: '3' }), status: 200, json: { data: { n: '3' } } },
    ],
  },
  {
    name: 'some types must be told which version they replace',
    steps: [
      {
        send: 'POST /apis/coordination.{groupDomain}/v1/namespaces/{ns}/leases',
        body: { metadata: { name: 'l' }, spec: { holderIdentity: 'a' } },
        status: 201,
      },
      {
        send: 'PUT /apis/coordination.{groupDomain}/v1/namespaces/{ns}/leases/l',
        body: { metadata: { name: 'l' }, spec: { holderIdentity: 'b' } },
        status: 422,
        json: {
          reason: 'Invalid',
          details: {
            causes: [
              {
                reason: 'FieldValueInvalid',
                field: 'metadata.resourceVersion',
                message: 'Invalid value: 0x0: must be specified for an update',
              },
            ],
          },
        },
      },
    ],
  },
  {
    name: 'a replacement of what is not there is not found, or makes it, as the type says',
    steps: [
      { send: `PUT ${items}/ghost`, body: configMap('ghost'), status: 404 },
      {
        send: 'PUT /apis/coordination.{groupDomain}/v1/namespaces/{ns}/leases/new',
        body: { metadata: { name: 'new' }, spec: { holderIdentity: 'a' } },
        status: 201,
        json: { metadata: { uid: /./ } },
      },
    ],
  },
  {
    name: 'what the server decides cannot be changed',
    steps: [
      {
        send: `POST ${items}`,
        body: {
          metadata: { name: 'a', uid: 'mine', creationTimestamp: '2001-01-01T00:00:00Z', generation: 7 },
        },
        status: 201,
        json: { metadata: { uid: /^[0-9a-f]{8}-/, creationTimestamp: /^2(?!001)/, generation: absent } },
      },
      {
        send: `PUT ${items}/a`,
        body: { metadata: { name: 'a', uid: 'other' } },
        status: 409,
        json: failure(
          409,
          'Conflict',
          /Precondition failed: UID in precondition: other, UID in object meta: /,
        ),
      },
      {
        send: `PUT ${items}/a`,
        body: { metadata: { name: 'a', creationTimestamp: '2001-01-01T00:00:00Z', generation: 9 } },
        status: 200,
        json: { metadata: { creationTimestamp: /^2(?!001)/, generation: absent } },
      },
      {
        send: `PUT ${items}/a`,
        body: { metadata: { name: 'a', deletionTimestamp: '2001-01-01T00:00:00Z' } },
        status: 422,
        json: failure(422, 'Invalid', /metadata\.deletionTimestamp: .*field is immutable/),
      },
    ],
  },
  {
    name: 'generation counts changes of the spec; status has a path of its own',
    steps: [
      {
        send: `POST ${deployments}`,
        body: { ...deployment, status: { replicas: 5 } },
        status: 201,
        json: { metadata: { generation: 1 }, spec: { replicas: 1 }, status: { replicas: absent } },
      },
      {
        send: `PATCH ${deployments}/web`,
        headers: mergePatch,
        body: { metadata: { labels: { a: 'b' } }, status: { replicas: 5 } },
        status: 200,
        json: { metadata: { generation: 1, labels: { a: 'b' } }, status: { replicas: absent } },
      },
      {
        send: `PATCH ${deployments}/web/status`,
        headers: mergePatch,
        body: { spec: { replicas: 9 }, status: { replicas: 3 } },
        status: 200,
        json: { metadata: { generation: 1 }, spec: { replicas: 1 }, status: { replicas: 3 } },
      },
      {
        send: `PATCH ${deployments}/web`,
        headers: mergePatch,
        body: { spec: { replicas: 2 } },
        status: 200,
        json: { metadata: { generation: 2 }, spec: { replicas: 2 }, status: { replicas: 3 } },
      },
      {
        send: `GET ${deployments}/web/status`,
        status: 200,
        json: { kind: 'Deployment', status: { replicas: 3 } },
      },
    ],
  },
  {
    name: 'scale reads and writes the replicas',
    steps: [
      { send: `POST ${deployments}`, body: deployment, status: 201 },
      {
        send: `GET ${deployments}/web/scale`,
        status: 200,
        json: {
          kind: 'Scale',
          apiVersion: 'autoscaling/v1',
          metadata: { name: 'web', namespace: '{ns}' },
          spec: { replicas: 1 },
        },
      },
      {
        send: `PUT ${deployments}/web/scale`,
        body: {
          kind: 'Scale',
          apiVersion: 'autoscaling/v1',
          metadata: { name: 'web' },
          spec: { replicas: 4 },
        },
        status: 200,
        json: { kind: 'Scale', spec: { replicas: 4 } },
      },
      {
        send: `PATCH ${deployments}/web/scale`,
        headers: mergePatch,
        body: { spec: { replicas: 6 } },
        status: 200,
        json: { kind: 'Scale', spec: { replicas: 6 } },
      },
      {
        send: `GET ${deployments}/web`,
        status: 200,
        json: { metadata: { generation: 3 }, spec: { replicas: 6 } },
      },
      {
        send: `PATCH ${deployments}/web/scale`,
        headers: mergePatch,
        body: { spec: { replicas: -1 } },
        status: 422,
        json: failure(
          422,
          'Invalid',
          /spec\.replicas: Invalid value: -1: must be greater than or equal to 0/,
        ),
      },
    ],
  },
  {
    name: 'a dry run does everything but store',
    steps: [
      {
        send: `POST ${items}?dryRun=All`,
        body: configMap('dry', { k: 'v' }),
        status: 201,
        json: { metadata: { name: 'dry', uid: /./ }, data: { k: 'v' } },
      },
      { send: `GET ${items}/dry`, status: 404 },
      { send: `POST ${items}?dryRun=All`, body: { metadata: { name: 'Bad_Name' } }, status: 422 },
      { send: `POST ${items}`, body: configMap('real', { k: '1' }), status: 201 },
      { send: `POST ${items}?dryRun=All`, body: configMap('real'), status: 409 },
      {
        send: `PATCH ${items}/real?dryRun=All`,
        headers: mergePatch,
        body: { data: { k: '2' } },
        status: 200,
        json: { data: { k: '2' } },
      },
      { send: `DELETE ${items}/real?dryRun=All`, status: 200 },
      { send: `GET ${items}/real`, status: 200, json: { data: { k: '1' } } },
      { send: `POST ${items}?dryRun=Some`, body: configMap('x'), status: 422 },
    ],
  },
  {
    name: 'keys of any spelling are plain keys',
    steps: [
      {
        send: `POST ${items}`,
        body: '{"metadata":{"name":"odd","annotations":{"constructor":"b"}},"data":{"__proto__":"c"}}',
        headers: { 'content-type': 'application/json' },
        status: 201,
        text: ['"constructor":"b"', '"data":{"__proto__":"c"}'],
      },
      {
        send: `PATCH ${items}/odd`,
        body: '{"data":{"__proto__":"d","hasOwnProperty":"e"}}',
        headers: mergePatch,
        status: 200,
        text: ['"__proto__":"d"', '"hasOwnProperty":"e"'],
      },
    ],
  },
  {
    name: 'which types a PUT may make, and which it may overwrite unseen',
    steps: [
      {
        send: `PUT /apis/node.${groupDomain}/v1/runtimeclasses/{ns}-r`,
        body: { metadata: { name: '{ns}-r' }, handler: 'runc' },
        status: 201,
      },
      {
        send: `PUT /apis/node.${groupDomain}/v1/runtimeclasses/{ns}-r`,
        body: { metadata: { name: '{ns}-r' }, handler: 'runc' },
        status: 422,
        text: [
          `runtimeclasses.node.${groupDomain}`,
          'metadata.resourceVersion',
          'must be specified for an update',
        ],
      },
      { send: `DELETE /apis/node.${groupDomain}/v1/runtimeclasses/{ns}-r`, status: 200 },
      {
        send: `PUT /apis/coordination.${groupDomain}/v1/namespaces/{ns}/leases/l`,
        body: { metadata: { name: 'l', uid: 'u' } },
        status: 409,
        text: ['Precondition failed: UID in precondition: u, UID in object meta: "'],
      },
      {
        send: 'POST /api/v1/namespaces/{ns}/serviceaccounts',
        body: { metadata: { name: 'a' } },
        status: 201,
      },
      {
        send: 'POST /api/v1/namespaces/{ns}/serviceaccounts?fieldManager=m',
        body: { metadata: { generateName: 'b-' } },
        status: 201,
        save: { generated: 'metadata.name' },
      },
      {
        send: 'PUT /api/v1/namespaces/{ns}/serviceaccounts/{generated}',
        body: { metadata: { name: '{generated}' } },
        status: 200,
        json: { metadata: { name: '{generated}', generateName: absent } },
      },
      {
        send: 'PUT /api/v1/namespaces/{ns}/serviceaccounts/a',
        body: { metadata: { name: 'a', labels: { x: 'y' } } },
        status: 200,
        json: { metadata: { labels: { x: 'y' } } },
      },
    ],
  },
]
