/** What the server adds to objects and refuses, as clients see it. Source: specification, "Plugin behaviors". */

import { absent, failure, mergePatch, type StoryMaker } from '../story.ts'

const pods = '/api/v1/namespaces/{ns}/pods'
const containers = [{ name: 'c', image: 'example.com/c:1' }]
const pod = (name: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { containers, ...spec },
})

export const admissionStories: StoryMaker = (names) => [
  {
    name: 'a pod gets an account, a token, a priority, and time on a failing node',
    steps: [
      {
        send: `POST ${pods}`,
        body: pod('a'),
        status: 201,
        json: {
          metadata: {
            managedFields: [{ fieldsV1: { 'f:spec': { 'f:containers': {}, 'f:tolerations': absent } } }],
          },
          spec: {
            serviceAccountName: 'default',
            serviceAccount: 'default',
            priority: 0,
            preemptionPolicy: 'PreemptLowerPriority',
            containers: [
              {
                volumeMounts: [
                  { readOnly: true, mountPath: `/var/run/secrets/${names.labelDomain}/serviceaccount` },
                ],
              },
            ],
            tolerations: [
              { key: `node.${names.labelDomain}/not-ready`, tolerationSeconds: 300 },
              { key: `node.${names.labelDomain}/unreachable`, tolerationSeconds: 300 },
            ],
          },
        },
      },
      { send: 'GET /api/v1/namespaces/{ns}/serviceaccounts/default', status: 200 },
      {
        send: `POST ${pods}`,
        body: pod('b', { priorityClassName: 'system-node-critical' }),
        status: 201,
        json: { spec: { priority: 2_000_001_000 } },
      },
      {
        send: `POST ${pods}?dryRun=All`,
        body: pod('c', { serviceAccountName: 'nobody' }),
        status: 403,
        json: failure(
          403,
          'Forbidden',
          'pods "c" is forbidden: error looking up service account {ns}/nobody: serviceaccount "nobody" not found',
        ),
      },
      {
        send: `POST ${pods}`,
        body: pod('c', { priorityClassName: 'nothing' }),
        status: 403,
        json: failure(
          403,
          'Forbidden',
          'pods "c" is forbidden: no PriorityClass with name nothing was found',
        ),
      },
    ],
  },
  {
    name: 'claims are protected, and grow only when they are bound',
    steps: [
      {
        send: 'POST /api/v1/namespaces/{ns}/persistentvolumeclaims',
        body: {
          metadata: { name: 'a' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
        status: 201,
        json: { metadata: { finalizers: [`${names.labelDomain}/pvc-protection`] } },
      },
      {
        send: 'PATCH /api/v1/namespaces/{ns}/persistentvolumeclaims/a',
        headers: mergePatch,
        body: { metadata: { finalizers: null } },
        status: 200,
      },
    ],
  },
  {
    name: 'limit ranges fill in and bound',
    steps: [
      {
        send: 'POST /api/v1/namespaces/{ns}/limitranges',
        body: { metadata: { name: 'l' }, spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } },
        status: 201,
      },
      {
        send: `POST ${pods}`,
        body: pod('a'),
        status: 201,
        json: {
          spec: { containers: [{ resources: { requests: { cpu: '1' }, limits: { cpu: '1' } } }] },
        },
      },
      {
        send: `POST ${pods}`,
        body: pod('b', { containers: [{ ...containers[0], resources: { limits: { cpu: '2' } } }] }),
        status: 403,
        json: failure(
          403,
          'Forbidden',
          'pods "b" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
        ),
      },
    ],
  },
  {
    name: 'a namespace sets the standard of its pods',
    steps: [
      {
        send: 'PATCH /api/v1/namespaces/{ns}',
        headers: mergePatch,
        body: {
          metadata: {
            labels: {
              [`pod-security.${names.labelDomain}/enforce`]: 'baseline',
              [`pod-security.${names.labelDomain}/warn`]: 'restricted',
            },
          },
        },
        status: 200,
      },
      {
        send: `POST ${pods}`,
        body: pod('a', { hostNetwork: true }),
        status: 403,
        json: failure(
          403,
          'Forbidden',
          'pods "a" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
        ),
      },
      {
        send: `POST ${pods}`,
        body: pod('a'),
        status: 201,
        answerHeaders: {
          warning: /^299 - "would violate PodSecurity \\"restricted:latest\\": allowPrivilege/,
        },
      },
    ],
  },
  {
    name: 'a new node takes no pods yet',
    steps: [
      {
        send: 'POST /api/v1/nodes',
        body: { metadata: { name: '{ns}' } },
        status: 201,
        json: { spec: { taints: [{ key: `node.${names.labelDomain}/not-ready`, effect: 'NoSchedule' }] } },
      },
      { send: 'DELETE /api/v1/nodes/{ns}', status: 200 },
    ],
  },
]
