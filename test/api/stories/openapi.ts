/** What clients learn of the API itself. Source: specification, "Versioning"; OpenAPI Specification. */

import { absent, type Story, type StoryMaker } from '../story.ts'

const etag = /^"[0-9A-F]{128}"$/

const version3: Story = {
  name: 'OpenAPI 3: an index with hashes, a document for each group version',
  steps: [
    {
      send: 'GET /openapi/v3',
      status: 200,
      json: {
        paths: {
          'api/v1': { serverRelativeURL: /^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{128}$/ },
          'apis/apps/v1': { serverRelativeURL: /hash=/ },
        },
      },
      answerHeaders: { etag, vary: /Accept/, 'content-type': 'application/json' },
      save: { url: 'paths.apis/apps/v1.serverRelativeURL' },
    },
    {
      send: 'GET /openapi/v3/apis/apps/v1',
      status: 200,
      json: { openapi: '3.0.0', paths: { '/apis/apps/v1/deployments': { get: { tags: ['apps_v1'] } } } },
      answerHeaders: { etag, 'cache-control': 'no-cache, private', expires: absent },
    },
    {
      send: 'GET {url}',
      status: 200,
      answerHeaders: { etag, 'cache-control': 'public, immutable', expires: / GMT$/ },
    },
    {
      send: 'GET /openapi/v3/apis/apps/v1?hash=OLD',
      status: 301,
      answerHeaders: { location: '{url}' },
    },
    { send: 'GET /openapi/v3/apis/apps/v9', status: 404 },
    { send: 'GET /openapi/v3', headers: { accept: 'image/png' }, status: 406 },
    { send: 'POST /openapi/v3', status: 405 },
    { send: 'GET /openapi/v3', as: 'anonymous', status: 403 },
    { send: 'GET /openapi/v3', as: 'user', status: 200 },
  ],
}

const version2: Story = {
  name: 'OpenAPI 2: everything in one document',
  steps: [
    {
      send: 'GET /openapi/v2',
      status: 200,
      text: ['"swagger":"2.0"', '"operationId":"createCoreV1NamespacedPod"', '"#/definitions/'],
      answerHeaders: { etag },
    },
    {
      send: 'GET /openapi/v2',
      headers: { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' },
      status: 200,
      text: ['\n\u00032.0', 'x-kubernetes-group-version-kind'],
      answerHeaders: {
        etag,
        'content-type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
      },
    },
    { send: 'GET /openapi/v2', headers: { 'if-none-match': '*' }, status: 304 },
    { send: 'GET /openapi/v2', headers: { 'if-none-match': '"other"' }, status: 200 },
  ],
}

/** Deprecated, and still what people ask first. */
const componentStatuses: Story = {
  name: 'component statuses tell of the store',
  steps: [
    {
      send: 'GET /api/v1/componentstatuses',
      status: 200,
      json: {
        kind: 'ComponentStatusList',
        items: [{ metadata: { name: 'store' }, conditions: [{ type: 'Healthy', status: 'True' }] }],
      },
      answerHeaders: { warning: '299 - "v1 ComponentStatus is deprecated in v1.19+"' },
    },
    { send: 'GET /api/v1/componentstatuses?labelSelector=a', status: 200, json: { items: [] } },
    { send: 'GET /api/v1/componentstatuses/store', status: 200, json: { kind: 'ComponentStatus' } },
    { send: 'GET /api/v1/componentstatuses/other', status: 404 },
    { send: 'DELETE /api/v1/componentstatuses/store', status: 405 },
  ],
}

export const openApiStories: StoryMaker = () => [version3, version2, componentStatuses]
