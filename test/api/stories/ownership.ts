/** Who owns which field after writes of all kinds. Source: specification, "Server-side apply". */

import { absent, applyPatch, failure, mergePatch, type StoryMaker } from '../story.ts'

const maps = '/api/v1/namespaces/{ns}/configmaps'
const claims = '/api/v1/namespaces/{ns}/persistentvolumeclaims'
const jobs = '/apis/batch/v1/namespaces/{ns}/jobs'
const deployments = '/apis/apps/v1/namespaces/{ns}/deployments'

const applied = (name: string, metadata: object, data: object): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})
const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'example.com/c:1' }] } }

export const ownershipStories: StoryMaker = (names) => [
  {
    name: 'a manager gives up the last thing that it owned in the metadata',
    steps: [
      {
        send: `PATCH ${maps}/a?fieldManager=m`,
        headers: applyPatch,
        body: applied('a', { finalizers: ['example.com/f'], labels: { x: 'y' } }, { k: 'v' }),
        status: 201,
      },
      {
        send: `PATCH ${maps}/a?fieldManager=m`,
        headers: applyPatch,
        body: applied('a', {}, { k: 'v' }),
        status: 200,
        json: {
          metadata: {
            name: 'a',
            uid: /./,
            finalizers: absent,
            labels: absent,
            managedFields: [{ manager: 'm', fieldsV1: { 'f:data': { 'f:k': {} }, 'f:metadata': absent } }],
          },
        },
      },
    ],
  },
  {
    name: 'what the server fills in on create belongs to nobody',
    steps: [
      {
        send: 'POST /api/v1/namespaces',
        body: { metadata: { name: '{ns}-o' } },
        status: 201,
        json: {
          spec: { finalizers: [/./] },
          metadata: {
            managedFields: [
              {
                fieldsV1: {
                  'f:metadata': { 'f:labels': { [`f:${names.labelDomain}/metadata.name`]: {} } },
                  'f:spec': absent,
                },
              },
            ],
          },
        },
      },
      {
        send: `POST ${jobs}`,
        body: { metadata: { name: 'a' }, spec: { template } },
        status: 201,
        json: {
          metadata: {
            labels: { 'job-name': 'a' },
            managedFields: [
              {
                fieldsV1: {
                  'f:metadata': absent,
                  'f:spec': {
                    'f:completions': {},
                    'f:selector': absent,
                    'f:template': { 'f:metadata': absent },
                  },
                },
              },
            ],
          },
        },
      },
      {
        send: `POST ${claims}`,
        body: {
          metadata: { name: 'a' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
            dataSource: { kind: 'PersistentVolumeClaim', name: 'b' },
          },
        },
        status: 201,
        json: {
          spec: { dataSourceRef: { name: 'b' } },
          metadata: {
            managedFields: [{ fieldsV1: { 'f:spec': { 'f:dataSource': {}, 'f:dataSourceRef': absent } } }],
          },
        },
      },
    ],
  },
  {
    name: 'an apply creates only what it names, and never in the place of another object',
    steps: [
      {
        send: `PATCH ${maps}/b?fieldManager=m`,
        headers: applyPatch,
        body: { apiVersion: 'v1', kind: 'ConfigMap', data: { k: 'v' } },
        status: 400,
        json: failure(
          400,
          'BadRequest',
          'the name of the object (b based on URL) was undeterminable: name must be provided',
        ),
      },
      {
        send: `PATCH ${maps}/b?fieldManager=m`,
        headers: applyPatch,
        body: applied('b', { uid: 'u' }, {}),
        status: 409,
        json: failure(
          409,
          'Conflict',
          'Operation cannot be fulfilled on configmaps "b": uid mismatch: the provided object specified uid u, and no existing object was found',
        ),
      },
      {
        send: `PATCH ${maps}/b?fieldManager=m`,
        headers: applyPatch,
        body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'b' } },
        status: 400,
        json: failure(400, 'BadRequest', 'invalid object type: /v1, Kind=Secret'),
      },
      { send: `POST ${maps}`, body: applied('b', {}, {}), status: 201 },
      {
        send: `PATCH ${maps}/b`,
        headers: mergePatch,
        body: { metadata: { uid: 'u' } },
        status: 422,
        json: failure(
          422,
          'Invalid',
          'ConfigMap "b" is invalid: metadata.uid: Invalid value: "u": field is immutable',
        ),
      },
      { send: `PUT ${maps}/b`, body: applied('b', { uid: 'u' }, {}), status: 409 },
    ],
  },
  {
    name: 'options of writes are checked, those of apply apart',
    steps: [
      {
        send: `PATCH ${maps}/c?force=true`,
        headers: mergePatch,
        body: {},
        status: 422,
        json: {
          message: `PatchOptions.${names.metaGroup} "" is invalid: force: Forbidden: may not be specified for non-apply patch`,
          details: { name: absent, kind: 'PatchOptions' },
        },
      },
      {
        send: `POST ${maps}?dryRun=All&dryRun=x`,
        body: applied('c', {}, {}),
        status: 422,
        json: {
          message: `CreateOptions.${names.metaGroup} "" is invalid: dryRun: Unsupported value: []string{"All", "x"}: supported values: "All"`,
        },
      },
      {
        send: `POST ${maps}?fieldManager=a%01b`,
        body: applied('c', {}, {}),
        status: 422,
        json: {
          message: `CreateOptions.${names.metaGroup} "" is invalid: fieldManager: Invalid value: "a\\x01b": invalid character U+0001 (at position 1)`,
        },
      },
      {
        send: `PATCH ${maps}/c`,
        headers: applyPatch,
        body: applied('c', {}, {}),
        status: 422,
        json: {
          message: `PatchOptions.${names.metaGroup} "" is invalid: fieldManager: Required value: is required for apply patch`,
        },
      },
    ],
  },
  {
    name: 'writes of the status change metadata too, as far as the type lets them',
    steps: [
      { send: `POST ${claims}`, body: claim('d'), status: 201 },
      {
        send: `PATCH ${claims}/d/status`,
        headers: mergePatch,
        body: { metadata: { finalizers: ['example.com/f'], labels: { a: 'b' } }, spec: { volumeName: 'v' } },
        status: 200,
        json: {
          metadata: { finalizers: ['example.com/f'], labels: { a: 'b' } },
          spec: { volumeName: absent },
        },
      },
      {
        send: `POST ${deployments}`,
        body: {
          metadata: { name: 'd', labels: { a: '1' } },
          spec: {
            selector: { matchLabels: { a: 'b' } },
            template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
          },
        },
        status: 201,
      },
      {
        send: `PATCH ${deployments}/d/status`,
        headers: { ...mergePatch, 'user-agent': 'watcher/1' },
        body: { metadata: { annotations: { n: '1' }, labels: { a: '2' } }, status: { replicas: 1 } },
        status: 200,
        json: {
          metadata: { annotations: { n: '1' }, labels: { a: '1' } },
          status: { replicas: 1 },
        },
      },
      {
        send: 'PATCH /api/v1/namespaces/{ns}/status',
        headers: mergePatch,
        body: { status: { phase: 'Terminating' } },
        status: 422,
        json: failure(
          422,
          'Invalid',
          'Namespace "{ns}" is invalid: status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
        ),
      },
    ],
  },
  {
    name: 'old fields and the lists that took their place say the same',
    steps: [
      {
        send: 'POST /api/v1/nodes',
        body: { metadata: { name: '{ns}-n' }, spec: { podCIDR: '10.1.0.0/24' } },
        status: 201,
        json: {
          spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] },
          metadata: {
            managedFields: [{ fieldsV1: { 'f:spec': { 'f:podCIDR': {}, 'f:podCIDRs': { '.': {} } } } }],
          },
        },
      },
      { send: 'DELETE /api/v1/nodes/{ns}-n', status: 200 },
      {
        send: 'POST /api/v1/namespaces/{ns}/pods',
        body: { metadata: { name: 'n' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        status: 201,
      },
      {
        send: 'PATCH /api/v1/namespaces/{ns}/pods/n/status',
        headers: mergePatch,
        body: { status: { podIP: '10.1.0.5' } },
        status: 200,
        json: { status: { podIP: '10.1.0.5', podIPs: [{ ip: '10.1.0.5' }] } },
      },
      {
        send: 'PATCH /api/v1/namespaces/{ns}/pods/n/status',
        headers: mergePatch,
        body: { status: { podIP: null, podIPs: [{ ip: '10.1.0.6' }, { ip: 'fd00::6' }] } },
        status: 200,
        json: { status: { podIP: '10.1.0.6', podIPs: [{ ip: '10.1.0.6' }, { ip: 'fd00::6' }] } },
      },
    ],
  },
]

function claim(name: string): object {
  return {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }
}
