/** What an update may say of metadata and of fixed fields. Source: specification, "Update rules", "Object rules". */

import {
  absent,
  configMap,
  failure,
  mergePatch,
  type Step,
  type StoryMaker,
  strategicPatch,
} from '../story.ts'

const items = '/api/v1/namespaces/{ns}/configmaps'
const deployments = '/apis/apps/v1/namespaces/{ns}/deployments'
const services = '/api/v1/namespaces/{ns}/services'
const leases = '/apis/coordination.{groupDomain}/v1/namespaces/{ns}/leases'
const another = '11111111-1111-1111-1111-111111111111'

const labelled = { app: 'a' }
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: labelled },
    template: { metadata: { labels: labelled }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
}

const owner = { kind: 'ConfigMap', name: 'x', uid: another }

/** Groups and versions of an owner that say no version. */
const versionless: readonly Step[] = ['a/b/c', 'apps/', '', '/'].map((apiVersion) => ({
  send: `PATCH ${items}/a`,
  headers: mergePatch,
  body: { metadata: { ownerReferences: [{ ...owner, apiVersion }] } },
  status: 422,
  json: {
    details: {
      causes: [
        {
          reason: 'FieldValueInvalid',
          message: `Invalid value: ${JSON.stringify(apiVersion)}: version must not be empty`,
          field: 'metadata.ownerReferences.apiVersion',
        },
      ],
    },
  },
}))

export const updateStories: StoryMaker = () => [
  {
    name: 'an owner has a version',
    steps: [{ send: `POST ${items}`, body: configMap('a'), status: 201 }, ...versionless],
  },
  {
    name: 'a uid in a PUT is for that object alone, also when there is none',
    steps: [
      ...[items, deployments].map(
        (path): Step => ({
          send: `PUT ${path}/d`,
          body:
            path === items
              ? { metadata: { name: 'd', uid: another } }
              : { ...deployment, metadata: { name: 'd', uid: another } },
          status: 409,
          json: failure(
            409,
            'Conflict',
            new RegExp(`UID in precondition: ${another}, UID in object meta: $`),
          ),
        }),
      ),
      { send: `PUT ${deployments}/d`, body: deployment, status: 404 },
    ],
  },
  {
    name: 'an object that is being deleted keeps the grace period that it has',
    steps: [
      {
        send: `POST ${items}`,
        body: { metadata: { name: 'a', finalizers: ['example.com/a'] } },
        status: 201,
      },
      { send: `DELETE ${items}/a?gracePeriodSeconds=0`, status: 200 },
      {
        send: `PATCH ${items}/a`,
        headers: mergePatch,
        body: { metadata: { deletionGracePeriodSeconds: 9 } },
        status: 422,
        json: { message: /metadata\.deletionGracePeriodSeconds: Invalid value: 9: field is immutable$/ },
      },
      {
        send: `PATCH ${items}/a`,
        headers: mergePatch,
        body: { metadata: { deletionGracePeriodSeconds: null, deletionTimestamp: null } },
        status: 200,
        json: { metadata: { deletionGracePeriodSeconds: 0, deletionTimestamp: /Z$/ } },
      },
    ],
  },
  {
    name: 'no client begins a deletion by writing when it began',
    steps: [
      { send: `POST ${items}`, body: configMap('a'), status: 201 },
      {
        send: `PATCH ${items}/a`,
        headers: mergePatch,
        body: { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } },
        status: 422,
        json: {
          message:
            /metadata\.deletionTimestamp: Invalid value: 2020-01-01 00:00:00 \+0000 UTC: field is immutable$/,
        },
      },
    ],
  },
  {
    name: 'a namespace counts for nothing on what is in none',
    steps: [
      {
        send: 'POST /apis/scheduling.{groupDomain}/v1/priorityclasses',
        body: { metadata: { name: '{ns}', namespace: 'elsewhere' }, value: 1 },
        status: 201,
        json: { metadata: { namespace: absent } },
      },
      {
        send: 'PATCH /apis/scheduling.{groupDomain}/v1/priorityclasses/{ns}',
        headers: mergePatch,
        body: { description: 'd', metadata: { namespace: 'elsewhere' } },
        status: 200,
        json: { description: 'd', metadata: { namespace: absent } },
      },
      { send: 'DELETE /apis/scheduling.{groupDomain}/v1/priorityclasses/{ns}', status: 200 },
    ],
  },
  {
    name: 'a strategic merge patch is of the type of its path, whatever it says',
    steps: [
      { send: `POST ${items}`, body: configMap('a'), status: 201 },
      {
        send: `PATCH ${items}/a`,
        headers: strategicPatch,
        body: { apiVersion: 'extensions/v9', kind: 'Other', data: { a: 'b' } },
        status: 200,
        json: { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } },
      },
      {
        send: `PATCH ${items}/a`,
        headers: mergePatch,
        body: { apiVersion: 'extensions/v9', data: { a: 'c' } },
        status: 422,
      },
    ],
  },
  {
    name: 'a deployment counts changes of its annotations, but not those through its status',
    steps: [
      { send: `POST ${deployments}`, body: deployment, status: 201, json: { metadata: { generation: 1 } } },
      ...(
        [
          ['', { annotations: { a: 'b' } }, 2],
          ['', { annotations: { a: 'b' } }, 2],
          ['', { labels: { a: 'b' } }, 2],
          ['/status', { annotations: { a: 'c' } }, 2],
          ['', { annotations: null }, 3],
        ] as const
      ).map(([subresource, metadata, generation]) => ({
        send: `PATCH ${deployments}/d${subresource}`,
        headers: mergePatch,
        body: { metadata },
        status: 200,
        json: { metadata: { generation } },
      })),
    ],
  },
  {
    name: 'a lease takes finalizers that name no domain, a config map does not',
    steps: [
      {
        send: `POST ${leases}`,
        body: { metadata: { name: 'l', finalizers: ['plain'] } },
        status: 201,
      },
      {
        send: `PATCH ${leases}/l`,
        headers: mergePatch,
        body: { metadata: { finalizers: null } },
        status: 200,
      },
      {
        send: `POST ${items}`,
        body: { metadata: { name: 'l', finalizers: ['plain'] } },
        status: 422,
        json: { message: /name is neither a standard finalizer name nor is it fully qualified/ },
      },
    ],
  },
  {
    name: 'a daemon set says how many templates it has had, whatever is written through its status',
    steps: [
      {
        send: 'POST /apis/apps/v1/namespaces/{ns}/daemonsets',
        body: { ...deployment, kind: 'DaemonSet' },
        status: 201,
      },
      {
        send: 'PATCH /apis/apps/v1/namespaces/{ns}/daemonsets/d/status',
        headers: mergePatch,
        body: { metadata: { annotations: null }, status: { numberReady: 1 } },
        status: 200,
        json: {
          metadata: { annotations: { 'deprecated.daemonset.template.generation': '1' } },
          status: { numberReady: 1 },
        },
      },
      {
        send: 'PATCH /apis/apps/v1/namespaces/{ns}/daemonsets/d/status',
        headers: mergePatch,
        body: { status: { numberReady: -1 } },
        status: 422,
      },
    ],
  },
  {
    name: 'a delete is for the uid and the version that it names, in its body or in its query',
    steps: [
      { send: `POST ${items}`, body: configMap('a'), status: 201, save: { v: 'metadata.resourceVersion' } },
      ...[
        { send: `DELETE ${items}/a`, body: { preconditions: { uid: '' } } },
        { send: `DELETE ${items}/a`, body: { preconditions: { resourceVersion: '' } } },
        { send: `DELETE ${items}/a?uid=${another}` },
        { send: `DELETE ${items}/a?resourceVersion=1` },
        { send: `DELETE ${items}?resourceVersion=1` },
      ].map((step): Step => ({ ...step, status: 409, json: { reason: 'Conflict' } })),
      { send: `DELETE ${items}/a?resourceVersion={v}`, status: 200 },
    ],
  },
  {
    name: 'a read of the scale of nothing names the scale, a write the workload',
    steps: [
      ...(
        [
          ['apps/v1', 'deployments', 'deployments/scale.apps', 'deployments.apps'],
          ['apps/v1', 'replicasets', 'replicasets/scale.apps', 'replicasets.apps'],
          ['apps/v1', 'statefulsets', 'statefulsets.apps', 'statefulsets.apps'],
          [
            'v1',
            'replicationcontrollers',
            'replicationcontrollers/scale.autoscaling',
            'replicationcontrollers',
          ],
        ] as const
      ).flatMap(([version, resource, read, written]): Step[] => {
        const path = `/${version === 'v1' ? 'api' : 'apis'}/${version}/namespaces/{ns}/${resource}/none/scale`
        return [
          { send: `GET ${path}`, status: 404, json: { message: `${read} "none" not found` } },
          {
            send: `PATCH ${path}`,
            headers: mergePatch,
            body: { spec: { replicas: 1 } },
            status: 404,
            json: { message: `${written} "none" not found` },
          },
        ]
      }),
    ],
  },
  {
    name: 'who reports the status of a pod does not begin its deletion, and who binds one names it',
    steps: [
      {
        send: 'POST /api/v1/namespaces/{ns}/pods',
        body: { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        status: 201,
      },
      {
        send: 'PATCH /api/v1/namespaces/{ns}/pods/p/status',
        headers: mergePatch,
        body: { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } },
        status: 200,
        json: { metadata: { deletionTimestamp: absent } },
      },
      {
        send: 'POST /api/v1/namespaces/{ns}/bindings',
        body: { metadata: {}, target: { kind: 'Node', name: 'n' } },
        status: 400,
        json: { message: 'Name parameter required.' },
      },
    ],
  },
  {
    name: 'a service keeps its address',
    steps: [
      {
        send: `POST ${services}`,
        body: { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } },
        status: 201,
        save: { ip: 'spec.clusterIP' },
      },
      {
        send: `PATCH ${services}/s`,
        headers: mergePatch,
        body: { spec: { clusterIP: '10.96.7.7' } },
        status: 422,
        json: {
          details: {
            causes: [
              {
                reason: 'FieldValueInvalid',
                message: 'Invalid value: []string{"10.96.7.7"}: may not change once set',
                field: 'spec.clusterIPs[0]',
              },
            ],
          },
        },
      },
      {
        send: `PATCH ${services}/s`,
        headers: mergePatch,
        body: { spec: { clusterIP: null, clusterIPs: null, ipFamilies: null } },
        status: 200,
        json: { spec: { clusterIP: '{ip}', clusterIPs: ['{ip}'], ipFamilies: ['IPv4'] } },
      },
    ],
  },
]
