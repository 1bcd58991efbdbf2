/** Lists and gets: versions, pages, selectors, forms. Source: specification, "Resource versions", "Collections". */

import { absent, configMap, failure, mergePatch, type Step, type StoryMaker } from '../story.ts'

const items = '/api/v1/namespaces/{ns}/configmaps'
const future = '999999999'

export const readStories: StoryMaker = ({ metaGroup }) => [
  {
    name: 'a list comes in pages of one version',
    steps: [
      ...['a', 'b', 'c'].map((name) => ({ send: `POST ${items}`, body: configMap(name), status: 201 })),
      {
        send: `GET ${items}`,
        status: 200,
        json: {
          kind: 'ConfigMapList',
          apiVersion: 'v1',
          metadata: { resourceVersion: /^\d+$/, continue: absent, remainingItemCount: absent },
          items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }, { metadata: { name: 'c' } }],
        },
      },
      {
        send: `GET ${items}?limit=2`,
        status: 200,
        json: { metadata: { continue: /./, remainingItemCount: 1 }, items: [{}, {}] },
        save: { token: 'metadata.continue', version: 'metadata.resourceVersion' },
      },
      { send: `POST ${items}`, body: configMap('d'), status: 201 },
      {
        send: `GET ${items}?limit=2&continue={token}`,
        status: 200,
        json: {
          metadata: { resourceVersion: '{version}', continue: absent },
          items: [{ metadata: { name: 'c' } }],
        },
      },
      { send: `GET ${items}?limit=2&continue={token}&resourceVersion=0`, status: 200 },
      {
        send: `GET ${items}?limit=2&continue={token}&resourceVersion=5`,
        status: 400,
        text: ['specifying resource version is not allowed when using continue'],
      },
      { send: `GET ${items}?limit=2&continue=nonsense`, status: 400 },
      { send: `GET ${items}?limit=x`, status: 400 },
    ],
  },
  {
    name: 'each row of the table of list semantics',
    steps: [
      { send: `POST ${items}`, body: configMap('a'), status: 201, save: { v: 'metadata.resourceVersion' } },
      { send: `POST ${items}`, body: configMap('b'), status: 201 },
      { send: `GET ${items}?resourceVersion=`, status: 200, json: { items: [{}, {}] } },
      { send: `GET ${items}?resourceVersion=0`, status: 200 },
      { send: `GET ${items}?resourceVersion={v}`, status: 200, json: { items: [{}, {}] } },
      { send: `GET ${items}?limit=9&resourceVersion=0`, status: 200 },
      {
        send: `GET ${items}?limit=9&resourceVersion={v}`,
        status: 200,
        json: { metadata: { resourceVersion: '{v}' }, items: [{}] },
      },
      {
        send: `GET ${items}?resourceVersionMatch=Exact&resourceVersion={v}`,
        status: 200,
        json: { metadata: { resourceVersion: '{v}' }, items: [{}] },
      },
      {
        send: `GET ${items}?resourceVersionMatch=NotOlderThan&resourceVersion={v}`,
        status: 200,
        json: { items: [{}, {}] },
      },
      { send: `GET ${items}?resourceVersionMatch=NotOlderThan&resourceVersion=0&limit=1`, status: 200 },
      {
        send: `GET ${items}?resourceVersionMatch=Exact`,
        status: 422,
        text: ['unless resourceVersion is provided'],
      },
      { send: `GET ${items}?resourceVersionMatch=NotOlderThan`, status: 422 },
      { send: `GET ${items}?resourceVersionMatch=Exact&resourceVersion=0`, status: 422 },
      {
        send: `GET ${items}?resourceVersionMatch=Nope&resourceVersion=1`,
        status: 422,
        text: ['Unsupported value'],
      },
      { send: `GET ${items}?resourceVersion=abc`, status: 400 },
      { send: `GET ${items}?sendInitialEvents=true`, status: 422 },
    ],
  },
  {
    name: 'each row of the table of get semantics, and a version that is not there yet',
    steps: [
      { send: `POST ${items}`, body: configMap('a'), status: 201, save: { v: 'metadata.resourceVersion' } },
      { send: `GET ${items}/a`, status: 200 },
      { send: `GET ${items}/a?resourceVersion=0`, status: 200 },
      { send: `GET ${items}/a?resourceVersion={v}`, status: 200 },
      {
        send: `GET ${items}/a?resourceVersion=${future}`,
        status: 504,
        json: {
          reason: 'Timeout',
          message: /Too large resource version/,
          details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
        },
        answerHeaders: { 'retry-after': '1' },
      },
    ],
  },
  {
    name: 'selectors choose by labels and fields',
    steps: [
      ...[
        { name: 'a', app: 'web', tier: 'front' },
        { name: 'b', app: 'web', tier: 'back' },
        { name: 'c', app: 'db', tier: 'back' },
      ].map(({ name, ...labels }) => ({
        send: `POST ${items}`,
        body: { metadata: { name, labels } },
        status: 201,
      })),
      ...[
        { selector: 'labelSelector=app%3Dweb', names: ['a', 'b'] },
        { selector: 'labelSelector=app%21%3Dweb', names: ['c'] },
        { selector: 'labelSelector=app+in+(web,db),tier+notin+(front)', names: ['b', 'c'] },
        { selector: 'labelSelector=%21app', names: [] },
        { selector: 'fieldSelector=metadata.name%3Db', names: ['b'] },
        { selector: 'fieldSelector=metadata.name%21%3Db&labelSelector=tier%3Dback', names: ['c'] },
      ].map(
        ({ selector, names }): Step => ({
          send: `GET ${items}?${selector}`,
          status: 200,
          json: {
            metadata: { remainingItemCount: absent },
            items: names.map((name) => ({ metadata: { name } })),
          },
        }),
      ),
      {
        send: `GET ${items}?labelSelector=app%3Dweb&limit=1`,
        status: 200,
        json: { metadata: { continue: /./, remainingItemCount: absent }, items: [{}] },
      },
      { send: `GET ${items}?labelSelector=a%3D%3D%3Db`, status: 400 },
      { send: `GET ${items}?fieldSelector=data.x%3D1`, status: 400, text: ['data.x'] },
    ],
  },
  {
    name: 'a collection over all namespaces, and HEAD',
    steps: [
      { send: `POST ${items}`, body: configMap('everywhere-{ns}'), status: 201 },
      {
        send: 'GET /api/v1/configmaps?fieldSelector=metadata.name%3Deverywhere-{ns}',
        status: 200,
        json: { items: [{}] },
      },
      { send: `HEAD ${items}`, status: 200 },
    ],
  },
  {
    name: 'other forms: table, metadata alone, yaml, pretty',
    steps: [
      {
        send: `POST ${items}`,
        body: { metadata: { name: 'a', labels: { x: 'y' } }, data: { k: 'v' } },
        status: 201,
      },
      {
        send: `GET ${items}`,
        headers: { accept: `application/json;as=Table;v=v1;g=${metaGroup},application/json` },
        status: 200,
        json: {
          kind: 'Table',
          apiVersion: `${metaGroup}/v1`,
          metadata: { resourceVersion: /^\d+$/ },
          columnDefinitions: [
            { name: 'Name', type: 'string', format: 'name' },
            { name: 'Data', type: 'string', format: '', priority: 0 },
            { name: 'Age', type: 'string', format: '', priority: 0 },
          ],
          rows: [
            {
              cells: ['a', 1, /^\d+s$/],
              object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' }, data: absent },
            },
          ],
        },
      },
      {
        send: `GET ${items}/a?includeObject=Object`,
        headers: { accept: `application/json;as=Table;v=v1;g=${metaGroup}` },
        status: 200,
        json: { kind: 'Table', rows: [{ object: { kind: 'ConfigMap', data: { k: 'v' } } }] },
      },
      {
        send: `GET ${items}?includeObject=None`,
        headers: { accept: `application/json;as=Table;v=v1;g=${metaGroup}` },
        status: 200,
        json: { rows: [{ object: null }] },
      },
      {
        send: `GET ${items}/a`,
        headers: { accept: `application/json;as=PartialObjectMetadata;v=v1;g=${metaGroup}` },
        status: 200,
        json: {
          kind: 'PartialObjectMetadata',
          apiVersion: `${metaGroup}/v1`,
          metadata: { labels: { x: 'y' } },
          data: absent,
        },
      },
      {
        send: `GET ${items}`,
        headers: { accept: `application/json;as=PartialObjectMetadataList;v=v1;g=${metaGroup}` },
        status: 200,
        json: { kind: 'PartialObjectMetadataList', items: [{ kind: 'PartialObjectMetadata' }] },
      },
      {
        send: `GET ${items}/a`,
        headers: { accept: 'application/yaml' },
        status: 200,
        text: ['kind: ConfigMap\n', 'data:\n  k: v\n'],
        answerHeaders: { 'content-type': 'application/yaml' },
      },
      { send: `GET ${items}/a?pretty=true`, status: 200, text: ['{\n  "kind": "ConfigMap",\n'] },
      { send: `GET ${items}/a`, headers: { accept: 'text/html, */*;q=0.1' }, status: 200 },
      {
        send: `GET ${items}/a`,
        headers: { accept: 'application/json;q=0.1,application/yaml' },
        status: 200,
        answerHeaders: { 'content-type': 'application/yaml' },
      },
    ],
  },
  {
    name: 'large answers are compressed for who asks',
    steps: [
      {
        send: `POST ${items}`,
        body: configMap('large', { k: 'x'.repeat(200_000) }),
        status: 201,
      },
      {
        send: `GET ${items}/large`,
        headers: { 'accept-encoding': 'gzip' },
        status: 200,
        answerHeaders: { 'content-encoding': 'gzip' },
      },
      {
        send: `GET ${items}`,
        headers: { 'accept-encoding': 'gzip' },
        status: 200,
        answerHeaders: { 'content-encoding': 'gzip' },
      },
      { send: `GET ${items}/large`, status: 200, answerHeaders: { 'content-encoding': absent } },
      { send: `POST ${items}`, body: configMap('small'), status: 201 },
      {
        send: `GET ${items}/small`,
        headers: { 'accept-encoding': 'gzip' },
        status: 200,
        answerHeaders: { 'content-encoding': absent },
      },
    ],
  },
  {
    name: 'one object in several versions of its group',
    steps: [
      {
        send: 'POST /apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers',
        body: {
          metadata: { name: 'h' },
          spec: {
            maxReplicas: 3,
            scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
            targetCPUUtilizationPercentage: 70,
          },
        },
        status: 201,
        json: { apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 70 } },
      },
      {
        send: 'GET /apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers/h',
        status: 200,
        json: {
          apiVersion: 'autoscaling/v2',
          spec: {
            metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 70 } } }],
          },
        },
      },
      {
        send: 'PATCH /apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers/h',
        headers: mergePatch,
        body: { spec: { maxReplicas: 5 } },
        status: 200,
        json: { apiVersion: 'autoscaling/v1', spec: { maxReplicas: 5, targetCPUUtilizationPercentage: 70 } },
      },
      {
        send: 'GET /apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers',
        status: 200,
        json: { apiVersion: 'autoscaling/v1', items: [{ spec: { targetCPUUtilizationPercentage: 70 } }] },
      },
    ],
  },
  {
    name: 'a timeout in the query must be a duration',
    steps: [
      { send: `GET ${items}?timeout=10s`, status: 200 },
      {
        send: `GET ${items}?timeout=soon`,
        status: 400,
        json: failure(400, 'BadRequest', /invalid duration/),
      },
    ],
  },
]
