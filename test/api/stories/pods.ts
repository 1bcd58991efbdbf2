/** What can be done to pods beside writing them. Source: specification, "Operations" (subresources). */

import { absent, failure, mergePatch, type Pattern, type Step, type StoryMaker } from '../story.ts'

const pods = '/api/v1/namespaces/{ns}/pods'
const budgets = '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets'

function createPod(name: string): Step {
  return {
    send: `POST ${pods}`,
    body: {
      metadata: { name, labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'example.com/web:1' }] },
    },
    status: 201,
  }
}

const success: Pattern = { kind: 'Status', apiVersion: 'v1', status: 'Success', code: 201 }

function setStatus(path: string, status: object): Step {
  return { send: `PATCH ${path}/status`, headers: mergePatch, body: { status }, status: 200 }
}

function evict(name: string, more: Omit<Step, 'send' | 'body'>): Step {
  return { send: `POST ${pods}/${name}/eviction`, body: { metadata: { name } }, ...more }
}

function bind(name: string, node: string): Pick<Step, 'send' | 'body'> {
  return {
    send: `POST ${pods}/${name}/binding`,
    body: { metadata: { name, annotations: { by: 'test' } }, target: { kind: 'Node', name: node } },
  }
}

const running = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }

export const podStories: StoryMaker = ({ labelDomain }) => [
  {
    name: 'a pod is bound to a node once',
    steps: [
      createPod('p'),
      { ...bind('p', 'n1'), status: 201, json: success },
      {
        send: `GET ${pods}/p`,
        status: 200,
        json: {
          metadata: {
            annotations: { by: 'test' },
            managedFields: [
              { fieldsV1: { 'f:metadata': { 'f:annotations': absent }, 'f:spec': { 'f:nodeName': absent } } },
            ],
          },
          spec: { nodeName: 'n1' },
          status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
        },
      },
      {
        ...bind('p', 'n2'),
        status: 409,
        json: failure(
          409,
          'Conflict',
          'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
        ),
      },
      createPod('q'),
      {
        send: 'POST /api/v1/namespaces/{ns}/bindings',
        body: { metadata: { name: 'q' }, target: { name: 'n3' } },
        status: 201,
        json: success,
      },
      { send: `GET ${pods}/q`, status: 200, json: { spec: { nodeName: 'n3' } } },
      { ...bind('absent', 'n1'), status: 404, json: failure(404, 'NotFound', 'pods "absent" not found') },
      {
        send: `POST ${pods}/p/binding`,
        body: { metadata: { name: 'q' }, target: { name: 'n1' } },
        status: 400,
        json: failure(400, 'BadRequest', 'name in URL does not match name in Binding object'),
      },
      {
        send: `POST ${pods}/p/binding`,
        body: { metadata: { name: 'p' }, target: { kind: 'Pod', name: '' } },
        status: 422,
        json: {
          reason: 'Invalid',
          details: {
            causes: [
              { reason: 'FieldValueNotSupported', field: 'target.kind' },
              { reason: 'FieldValueRequired', field: 'target.name' },
            ],
          },
        },
      },
      { send: `GET ${pods}/p/binding`, status: 405 },
    ],
  },
  {
    name: 'a pod that runs nowhere goes at once, whatever time it is given; one on a node has to end',
    steps: [
      createPod('p'),
      { send: `DELETE ${pods}/p?gracePeriodSeconds=20`, status: 200 },
      { send: `GET ${pods}/p`, status: 404 },
      createPod('p'),
      { ...bind('p', 'n1'), status: 201 },
      { send: `DELETE ${pods}/p?gracePeriodSeconds=20`, status: 200 },
      { send: `GET ${pods}/p`, status: 200, json: { metadata: { deletionGracePeriodSeconds: 20 } } },
    ],
  },
  {
    name: 'a dry binding binds nothing',
    steps: [
      createPod('p'),
      { ...bind('p', 'n1'), send: `POST ${pods}/p/binding?dryRun=All`, status: 201, json: success },
      { ...bind('p', 'n2'), status: 201, json: success },
    ],
  },
  {
    name: 'an eviction without a budget is a deletion',
    steps: [
      createPod('p'),
      evict('p', { status: 201, json: success }),
      { send: `GET ${pods}/p`, status: 404 },
      evict('p', { status: 404 }),
    ],
  },
  {
    name: 'a budget lets go what it can spare, and names itself when it is used up',
    steps: [
      {
        send: `POST ${budgets}`,
        body: {
          metadata: { name: 'half' },
          spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
        },
        status: 201,
      },
      createPod('a'),
      createPod('b'),
      { ...bind('a', 'n1'), status: 201 },
      { ...bind('b', 'n1'), status: 201 },
      setStatus(`${pods}/a`, running),
      setStatus(`${pods}/b`, running),
      evict('a', {
        status: 429,
        json: {
          reason: 'TooManyRequests',
          message: "Cannot evict pod as it would violate the pod's disruption budget.",
          details: {
            causes: [
              {
                reason: 'DisruptionBudget',
                message: 'The disruption budget half is still being processed by the server.',
              },
            ],
          },
        },
      }),
      setStatus(`${budgets}/half`, {
        observedGeneration: 1,
        disruptionsAllowed: 1,
        currentHealthy: 2,
        desiredHealthy: 1,
        expectedPods: 2,
      }),
      { ...evict('a', { status: 201, json: success }), send: `POST ${pods}/a/eviction?dryRun=All` },
      evict('a', { status: 201, json: success }),
      {
        send: `GET ${pods}/a`,
        status: 200,
        json: {
          metadata: { deletionTimestamp: /T/ },
          status: {
            conditions: [
              { type: 'Ready' },
              { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' },
            ],
          },
        },
      },
      {
        send: `GET ${budgets}/half`,
        status: 200,
        json: {
          status: {
            disruptionsAllowed: 0,
            disruptedPods: { a: /T.*Z$/ },
            conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
          },
        },
      },
      evict('b', {
        status: 429,
        json: {
          details: {
            causes: [
              {
                reason: 'DisruptionBudget',
                message: 'The disruption budget half needs 1 healthy pods and has 2 currently',
              },
            ],
          },
        },
      }),
      setStatus(`${pods}/b`, { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] }),
      evict('b', { status: 201, json: success }),
    ],
  },
  {
    name: 'two budgets over one pod are nobody’s to decide',
    steps: [
      ...['one', 'two'].map((name) => ({
        send: `POST ${budgets}`,
        body: { metadata: { name }, spec: { selector: {} } },
        status: 201,
      })),
      createPod('p'),
      setStatus(`${pods}/p`, running),
      evict('p', { status: 500, text: ['more than one PodDisruptionBudget'] }),
    ],
  },
  {
    name: 'ephemeral containers are added, and stay',
    steps: [
      createPod('p'),
      {
        send: `PATCH ${pods}/p/ephemeralcontainers`,
        headers: { 'content-type': 'application/strategic-merge-patch+json' },
        body: { spec: { ephemeralContainers: [{ name: 'look', image: 'example.com/tools:1' }] } },
        status: 200,
        json: { spec: { ephemeralContainers: [{ name: 'look', terminationMessagePolicy: 'File' }] } },
      },
      {
        send: `PATCH ${pods}/p/ephemeralcontainers`,
        headers: mergePatch,
        body: { spec: { ephemeralContainers: [] } },
        status: 422,
        json: {
          details: {
            causes: [
              {
                reason: 'FieldValueForbidden',
                field: 'spec.ephemeralContainers',
                message: 'Forbidden: existing ephemeral containers "look" may not be removed\n',
              },
            ],
          },
        },
      },
      {
        send: `PATCH ${pods}/p`,
        headers: mergePatch,
        body: { spec: { ephemeralContainers: [] } },
        status: 422,
      },
      {
        send: `PATCH ${pods}/p/ephemeralcontainers`,
        headers: mergePatch,
        body: { metadata: { labels: { sneaky: 'yes' } }, spec: { nodeName: 'n1' } },
        status: 200,
        json: {
          metadata: { labels: { sneaky: absent } },
          spec: { nodeName: absent, ephemeralContainers: [{ name: 'look' }] },
        },
      },
      {
        send: `POST ${pods}`,
        body: {
          metadata: { name: 'static', annotations: { [`${labelDomain}/config.mirror`]: 'x' } },
          spec: { nodeName: 'n', containers: [{ name: 'web', image: 'example.com/web:1' }] },
        },
        status: 201,
      },
      {
        send: `PATCH ${pods}/static/ephemeralcontainers`,
        headers: { 'content-type': 'application/strategic-merge-patch+json' },
        body: { spec: { ephemeralContainers: [{ name: 'look', image: 'example.com/tools:1' }] } },
        status: 422,
        json: {
          message: 'Pod "static" is invalid: : Forbidden: static pods do not support ephemeral containers',
          details: { causes: [{ field: absent }] },
        },
      },
    ],
  },
]
