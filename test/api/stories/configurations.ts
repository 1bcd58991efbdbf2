/** Fields named twice in every kind of patch; a Scale that is applied. Source: specification, "Update rules" 3, "Server-side apply". */

import {
  absent,
  applyPatch,
  configMap,
  failure,
  jsonPatch,
  mergePatch,
  type Story,
  type StoryMaker,
  strategicPatch,
} from '../story.ts'

const items = '/api/v1/namespaces/{ns}/configmaps'
const deployments = '/apis/apps/v1/namespaces/{ns}/deployments'
const deployment = {
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'c', image: 'example.com/c:1' }] },
    },
  },
}
const scale = (spec: object): object => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'web' },
  spec,
})

/** Content type, text of the patch, paths of what is there twice. */
const twice: readonly (readonly [string, Readonly<Record<string, string>>, string, string])[] = [
  ['merge', mergePatch, '{"data":{"a":"1","a":"2"}}', 'data.a'],
  ['strategic', strategicPatch, '{"data":{"a":"1","a":"2"}}', 'data.a'],
  ['JSON', jsonPatch, '[{"op":"add","path":"/data","value":{"a":"1","a":"2"}}]', '[0].value.a'],
  [
    'apply, JSON',
    applyPatch,
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"a":"1","a":"2"}}',
    'data.a',
  ],
  [
    'apply, YAML',
    applyPatch,
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: "1"\n  a: "2"\n',
    'data.a',
  ],
]

export const configurationStories: StoryMaker = () => [
  ...twice.map(
    ([what, headers, body, path]): Story => ({
      name: `a field that a patch has twice: ${what}`,
      steps: [
        { send: `POST ${items}`, body: configMap('x'), status: 201 },
        {
          send: `PATCH ${items}/x?fieldValidation=Strict&fieldManager=m`,
          headers,
          body,
          status: what.startsWith('apply') ? 400 : 422,
          text: [`duplicate field \\"${path}\\"`],
        },
        {
          send: `PATCH ${items}/x?fieldManager=m`,
          headers,
          body,
          status: 200,
          answerHeaders: { warning: `299 - "duplicate field \\"${path}\\""` },
          json: { data: { a: '2' } },
        },
        {
          send: `PATCH ${items}/x?fieldValidation=Ignore&fieldManager=m`,
          headers,
          body,
          status: 200,
          answerHeaders: { warning: absent },
        },
      ],
    }),
  ),
  {
    name: 'a patch with an unknown field and one twice: both are named',
    steps: [
      { send: `POST ${items}`, body: configMap('x'), status: 201 },
      {
        send: `PATCH ${items}/x?fieldValidation=Strict`,
        headers: mergePatch,
        body: '{"data":{"a":"1","a":"2"},"what":1}',
        status: 422,
        json: failure(
          422,
          'Invalid',
          /strict decoding error: duplicate field "data\.a", unknown field "what"$/,
        ),
      },
    ],
  },
  {
    name: 'the replicas of a workload are applied through its scale',
    steps: [
      { send: `POST ${deployments}?fieldManager=maker`, body: deployment, status: 201 },
      {
        send: `PATCH ${deployments}/web/scale?fieldManager=scaler`,
        headers: applyPatch,
        body: scale({ replicas: 5 }),
        status: 409,
        text: ['conflict with \\"maker\\"', '.spec.replicas'],
      },
      {
        send: `PATCH ${deployments}/web/scale?fieldManager=scaler&force=true`,
        headers: applyPatch,
        body: scale({ replicas: 5 }),
        status: 200,
        json: { kind: 'Scale', spec: { replicas: 5 } },
      },
      {
        send: `GET ${deployments}/web`,
        status: 200,
        json: { spec: { replicas: 5 } },
        text: [
          '{"manager":"scaler","operation":"Apply","apiVersion":"apps/v1","time":',
          '"fieldsV1":{"f:spec":{"f:replicas":{}}},"subresource":"scale"}',
        ],
        save: { version: 'metadata.resourceVersion' },
      },
      {
        send: `PATCH ${deployments}/web/scale?fieldManager=scaler`,
        headers: applyPatch,
        body: scale({ replicas: 5 }),
        status: 200,
        json: { metadata: { resourceVersion: '{version}' } },
      },
      {
        send: `PATCH ${deployments}/web?fieldManager=other`,
        headers: applyPatch,
        body: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 1 } },
        status: 409,
        text: ['conflict with \\"scaler\\" with subresource \\"scale\\"'],
      },
      {
        send: `PATCH ${deployments}/web/scale?fieldManager=scaler`,
        headers: applyPatch,
        body: scale({}),
        status: 200,
        json: { spec: { replicas: 5 } },
      },
      {
        send: `PATCH ${deployments}/web/scale?fieldManager=scaler`,
        headers: applyPatch,
        body: scale({ replicas: -1 }),
        status: 422,
        text: ['must be greater than or equal to 0'],
      },
      {
        send: `PATCH ${deployments}/web/scale?fieldManager=scaler`,
        headers: applyPatch,
        body: { ...deployment, apiVersion: 'apps/v1', kind: 'Deployment' },
        status: 400,
      },
      {
        send: `PATCH ${deployments}/none/scale?fieldManager=scaler`,
        headers: applyPatch,
        body: { ...scale({ replicas: 1 }), metadata: { name: 'none' } },
        status: 404,
      },
      {
        send: `PATCH ${deployments}/web/scale`,
        headers: applyPatch,
        body: scale({ replicas: 1 }),
        status: 422,
        text: ['fieldManager'],
      },
    ],
  },
]
