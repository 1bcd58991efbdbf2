/** What the server says of itself. Source: specification, "Groups and paths", "Health endpoints". */

import { absent, type StoryMaker } from '../story.ts'

export const discoveryStories: StoryMaker = ({ groupDomain }) => [
  {
    name: 'groups, versions and resources',
    steps: [
      {
        send: 'GET /api',
        status: 200,
        json: {
          kind: 'APIVersions',
          versions: ['v1'],
          serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0' }],
        },
      },
      {
        send: 'GET /apis',
        status: 200,
        text: ['"kind":"APIGroupList"', `"rbac.authorization.${groupDomain}"`],
      },
      {
        send: 'GET /apis/autoscaling',
        status: 200,
        json: {
          kind: 'APIGroup',
          name: 'autoscaling',
          versions: [
            { groupVersion: 'autoscaling/v2', version: 'v2' },
            { groupVersion: 'autoscaling/v1', version: 'v1' },
          ],
          preferredVersion: { groupVersion: 'autoscaling/v2', version: 'v2' },
        },
      },
      {
        send: 'GET /apis/apps/v1',
        status: 200,
        text: [
          '"groupVersion":"apps/v1"',
          '"name":"deployments","singularName":"deployment","namespaced":true,"kind":"Deployment"',
          '"shortNames":["deploy"],"categories":["all"],"storageVersionHash":"8aSe+NMegvE="',
          '{"name":"deployments/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get","patch","update"]}',
        ],
      },
      { send: 'GET /api/v1', status: 200, text: ['"name":"pods"', '"name":"namespaces/finalize"'] },
      { send: 'GET /apis/nope', status: 404 },
      { send: 'GET /', status: 200, text: ['"/apis"'] },
      {
        send: 'GET /version',
        status: 200,
        json: { major: '1', minor: '30', gitVersion: /^v1\.30/, platform: /\// },
      },
      { send: 'GET /version', as: 'anonymous', status: 200 },
    ],
  },
  {
    name: 'all in one document, kept by clients',
    steps: [
      {
        send: 'GET /apis',
        headers: {
          accept: `application/json;g=apidiscovery.${groupDomain};v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.${groupDomain};v=v2beta1;as=APIGroupDiscoveryList,application/json`,
        },
        status: 200,
        json: { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.${groupDomain}/v2` },
        answerHeaders: {
          'content-type': `application/json;g=apidiscovery.${groupDomain};v=v2;as=APIGroupDiscoveryList`,
          etag: /^"[0-9A-F]{40}"$/,
        },
      },
      {
        send: 'GET /api',
        headers: {
          accept: `application/json;g=apidiscovery.${groupDomain};v=v2beta1;as=APIGroupDiscoveryList`,
        },
        status: 200,
        json: {
          apiVersion: `apidiscovery.${groupDomain}/v2beta1`,
          items: [{ metadata: { name: absent }, versions: [{ version: 'v1', freshness: 'Current' }] }],
        },
      },
      {
        send: 'GET /api',
        headers: { accept: 'application/json;g=other;v=v2;as=APIGroupDiscoveryList' },
        status: 406,
      },
    ],
  },
  {
    name: 'health',
    steps: [
      { send: 'GET /healthz', as: 'anonymous', status: 200, text: ['ok'] },
      { send: 'GET /livez', as: 'anonymous', status: 200 },
      {
        send: 'GET /readyz?verbose',
        as: 'anonymous',
        status: 200,
        text: ['[+]ping ok\n', '[+]store ok\n', '[+]shutdown ok\n', 'readyz check passed\n'],
      },
      { send: 'GET /healthz?verbose', status: 200, text: ['healthz check passed'] },
      {
        send: 'GET /readyz?verbose&exclude=store&exclude=ping',
        status: 200,
        text: ['[+]store excluded: ok', '[+]ping excluded: ok'],
      },
      { send: 'GET /readyz/ping', status: 200, text: ['ok'] },
      { send: 'GET /readyz/nope', status: 404 },
      { send: 'GET /livez/shutdown', status: 404 },
    ],
  },
  {
    name: 'metrics',
    steps: [
      { send: 'GET /metrics', as: 'anonymous', status: 403 },
      {
        send: 'GET /metrics',
        status: 200,
        text: [
          'apiserver_request_total{',
          'apiserver_request_duration_seconds_bucket{',
          'apiserver_storage_objects{resource="namespaces"}',
          'store_revision ',
          'process_cpu_seconds_total',
        ],
        answerHeaders: { 'content-type': /^text\/plain; version=0\.0\.4/ },
      },
    ],
  },
]
