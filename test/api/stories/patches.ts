/** Patch types. Source: specification, "Patch types", "Update rules"; RFC 6902, RFC 7386. */

import {
  absent,
  applyPatch,
  configMap,
  failure,
  jsonPatch,
  mergePatch,
  type StoryMaker,
  strategicPatch,
} from '../story.ts'

const items = '/api/v1/namespaces/{ns}/configmaps'
const deployments = '/apis/apps/v1/namespaces/{ns}/deployments'

const rejected = failure(422, 'Invalid', 'the server rejected our request due to an error in our request')

export const patchStories: StoryMaker = () => [
  {
    name: 'JSON patch',
    steps: [
      { send: `POST ${items}`, body: configMap('a', { x: '1', y: '2' }), status: 201 },
      {
        send: `PATCH ${items}/a`,
        headers: jsonPatch,
        body: JSON.stringify([
          { op: 'test', path: '/data/x', value: '1' },
          { op: 'replace', path: '/data/x', value: '9' },
          { op: 'remove', path: '/data/y' },
          { op: 'add', path: '/metadata/labels', value: { 'example.com/a': 'b' } },
          { op: 'copy', from: '/data/x', path: '/data/z' },
          { op: 'move', from: '/metadata/labels/example.com~1a', path: '/metadata/labels/c' },
        ]),
        status: 200,
        json: {
          metadata: { labels: { c: 'b', 'example.com/a': absent } },
          data: { x: '9', y: absent, z: '9' },
        },
      },
      ...[
        [{ op: 'test', path: '/data/x', value: 'other' }],
        [{ op: 'remove', path: '/data/none' }],
        [{ op: 'replace', path: '/no/such', value: 1 }],
        [{ op: 'add', path: '/data/x/deeper', value: 1 }],
      ].map((patch) => ({
        send: `PATCH ${items}/a`,
        headers: jsonPatch,
        body: JSON.stringify(patch),
        status: 422,
        json: rejected,
      })),
      ...[
        { body: '{}', status: 400 },
        { body: '[5]', status: 400 },
        { body: '[{"op":"nope","path":"/a"}]', status: 422 },
        { body: '[{"op":"add","path":"a","value":1}]', status: 422 },
        { body: '[{"op":"add","path":"/a"}]', status: 422 },
      ].map((expected) => ({ send: `PATCH ${items}/a`, headers: jsonPatch, ...expected })),
      {
        send: `PATCH ${items}/a`,
        headers: jsonPatch,
        body: JSON.stringify(Array.from({ length: 10_001 }, () => ({ op: 'test', path: '', value: 1 }))),
        status: 413,
        text: ['10000'],
      },
    ],
  },
  {
    name: 'merge patch',
    steps: [
      { send: `POST ${items}`, body: configMap('a', { x: '1', y: '2' }), status: 201 },
      {
        send: `PATCH ${items}/a`,
        headers: mergePatch,
        body: { data: { x: null, z: '3' } },
        status: 200,
        json: { data: { x: absent, y: '2', z: '3' } },
      },
      { send: `PATCH ${items}/a`, headers: mergePatch, body: '[]', status: 400 },
      { send: `PATCH ${items}/a`, headers: mergePatch, body: '{"data":', status: 400 },
      {
        send: `PATCH ${items}/a`,
        headers: mergePatch,
        body: { data: { n: 5 } },
        status: 422,
        json: failure(422, 'Invalid', /patch: Invalid value/),
      },
      { send: `PATCH ${items}/a`, headers: mergePatch, body: { metadata: { name: 'b' } }, status: 400 },
      {
        send: `PATCH ${items}/a`,
        headers: mergePatch,
        body: { metadata: { namespace: 'another' } },
        status: 400,
        json: failure(
          400,
          'BadRequest',
          /^the namespace of the object \(another\) does not match the namespace on the request \(.+\)$/,
        ),
      },
      {
        send: `PATCH ${items}/a`,
        headers: mergePatch,
        body: { metadata: null },
        status: 400,
        json: failure(
          400,
          'BadRequest',
          'the name of the object (a based on URL) was undeterminable: name must be provided',
        ),
      },
      {
        send: `PATCH ${items}/a`,
        headers: mergePatch,
        body: { kind: 'Secret' },
        status: 422,
        json: { reason: 'Invalid', details: { kind: absent, causes: [{ field: 'patch' }] } },
      },
      { send: `PATCH ${items}/ghost`, headers: mergePatch, body: { data: {} }, status: 404 },
    ],
  },
  {
    name: 'a patch that names a version is for that version alone',
    steps: [
      { send: `POST ${items}`, body: configMap('a'), status: 201, save: { v1: 'metadata.resourceVersion' } },
      {
        send: `PATCH ${items}/a`,
        headers: mergePatch,
        body: { metadata: { resourceVersion: '{v1}' }, data: { n: '1' } },
        status: 200,
        save: { v2: 'metadata.resourceVersion' },
      },
      {
        send: `PATCH ${items}/a`,
        headers: mergePatch,
        body: { metadata: { resourceVersion: '{v1}' }, data: { n: '2' } },
        status: 409,
        text: ['the object has been modified'],
      },
      {
        send: `PATCH ${items}/a`,
        headers: { ...mergePatch, 'if-match': '"{v1}"' },
        body: { data: { n: '3' } },
        status: 409,
      },
      {
        send: `PATCH ${items}/a`,
        headers: { ...mergePatch, 'if-match': '"{v2}"' },
        body: { data: { n: '4' } },
        status: 200,
      },
    ],
  },
  {
    name: 'strategic merge patch',
    steps: [
      {
        send: `POST ${deployments}`,
        body: {
          metadata: { name: 'd' },
          spec: {
            selector: { matchLabels: { app: 'd' } },
            template: {
              metadata: { labels: { app: 'd' } },
              spec: {
                containers: [
                  { name: 'one', image: 'example.com/one:1' },
                  { name: 'two', image: 'example.com/two:1' },
                ],
              },
            },
          },
        },
        status: 201,
      },
      {
        send: `PATCH ${deployments}/d`,
        headers: strategicPatch,
        body: { spec: { template: { spec: { containers: [{ name: 'two', image: 'example.com/two:2' }] } } } },
        status: 200,
        json: {
          metadata: { generation: 2 },
          spec: {
            template: {
              spec: {
                containers: [
                  { name: 'one', image: 'example.com/one:1' },
                  { name: 'two', image: 'example.com/two:2' },
                ],
              },
            },
          },
        },
      },
    ],
  },
  {
    name: 'server-side apply: creates, merges, keeps owners apart',
    steps: [
      {
        send: `PATCH ${items}/s?fieldManager=one`,
        headers: applyPatch,
        body: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: s\ndata:\n  a: "1"\n',
        status: 201,
        json: {
          data: { a: '1' },
          metadata: {
            name: 's',
            uid: /./,
            managedFields: [{ manager: 'one', operation: 'Apply', apiVersion: 'v1' }],
          },
        },
        save: { v: 'metadata.resourceVersion' },
      },
      {
        send: `PATCH ${items}/s?fieldManager=one`,
        headers: applyPatch,
        body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s"},"data":{"a":"1"}}',
        status: 200,
        json: { metadata: { resourceVersion: '{v}' } },
      },
      {
        send: `PATCH ${items}/s?fieldManager=two`,
        headers: applyPatch,
        body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s"},"data":{"a":"2","b":"2"}}',
        status: 409,
        json: {
          reason: 'Conflict',
          details: { causes: [{ reason: 'FieldManagerConflict', field: '.data.a', message: /"one"/ }] },
        },
      },
      {
        send: `PATCH ${items}/s?fieldManager=two&force=true`,
        headers: applyPatch,
        body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s"},"data":{"a":"2","b":"2"}}',
        status: 200,
        json: { data: { a: '2', b: '2' } },
      },
      {
        send: `PATCH ${items}/s?fieldManager=two`,
        headers: applyPatch,
        body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"s"},"data":{"a":"2"}}',
        status: 200,
        json: { data: { a: '2', b: absent } },
      },
      { send: `PATCH ${items}/s`, headers: applyPatch, body: '{}', status: 422, text: ['fieldManager'] },
      { send: `PATCH ${items}/s?fieldManager=x`, headers: applyPatch, body: '[]', status: 400 },
      {
        send: `PATCH ${items}/s?fieldManager=x`,
        headers: applyPatch,
        body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"other"}}',
        status: 400,
      },
    ],
  },
  {
    name: 'every write is remembered with its manager',
    steps: [
      {
        send: `POST ${items}?fieldManager=maker`,
        body: configMap('m', { a: '1' }),
        status: 201,
        json: {
          metadata: {
            managedFields: [
              {
                manager: 'maker',
                operation: 'Update',
                fieldsType: 'FieldsV1',
                fieldsV1: { 'f:data': { 'f:a': {} } },
              },
            ],
          },
        },
      },
      {
        send: `PATCH ${items}/m`,
        headers: { ...mergePatch, 'user-agent': 'tool/1.2 (linux)' },
        body: { data: { b: '2' } },
        status: 200,
        json: {
          metadata: {
            managedFields: [
              { manager: 'maker' },
              { manager: 'tool', operation: 'Update', fieldsV1: { 'f:data': { 'f:b': {} } } },
            ],
          },
        },
      },
      {
        send: `PATCH ${deployments}/none/status?fieldManager=x`,
        headers: applyPatch,
        body: '{"apiVersion":"apps/v1","kind":"Deployment","status":{}}',
        status: 404,
      },
    ],
  },
]
