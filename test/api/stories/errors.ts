/** Every way to be refused. Source: specification, "Errors", "Limits". */

import type { SuiteNames } from '../server-under-test.ts'
import { absent, configMap, failure, mergePatch, type StoryMaker, strategicPatch } from '../story.ts'

const items = '/api/v1/namespaces/{ns}/configmaps'
const json = { 'content-type': 'application/json' }

function bindings(names: SuiteNames): string {
  return `/apis/rbac.authorization.${names.groupDomain}/v1/namespaces/{ns}/rolebindings`
}

function binding(names: SuiteNames, role: string): object {
  const apiGroup = `rbac.authorization.${names.groupDomain}`
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'readers' },
    subjects: [{ kind: 'Group', name: 'readers', apiGroup }],
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
  }
}

export const errorStories: StoryMaker = (names) => [
  {
    name: 'the role of a binding is fixed',
    steps: [
      {
        send: `POST ${bindings(names)}`,
        body: binding(names, 'view'),
        status: 201,
      },
      {
        send: `PUT ${bindings(names)}/readers`,
        body: binding(names, 'edit'),
        status: 400,
        json: failure(400, 'Invalid', /roleRef: Invalid value: .*cannot change roleRef/),
      },
      { send: `PUT ${bindings(names)}/readers`, body: binding(names, 'view'), status: 200 },
    ],
  },
  {
    name: 'who is not known, or may not',
    steps: [
      {
        send: `GET ${items}`,
        as: 'anonymous',
        status: 403,
        json: failure(
          403,
          'Forbidden',
          'configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "{ns}"',
        ),
      },
      {
        send: `GET ${items}`,
        headers: { authorization: 'Bearer wrong' },
        status: 401,
        json: failure(401, 'Unauthorized', 'Unauthorized'),
      },
      { send: 'GET /healthz', headers: { authorization: 'Bearer wrong' }, status: 401 },
      {
        send: `GET ${items}`,
        as: 'user',
        status: 403,
        json: failure(
          403,
          'Forbidden',
          'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "{ns}"',
        ),
      },
      {
        send: 'GET /apis/apps/v1/namespaces/{ns}/deployments/x/scale',
        as: 'user',
        status: 403,
        json: failure(
          403,
          'Forbidden',
          'deployments.apps "x" is forbidden: User "jane" cannot get resource "deployments/scale" in API group "apps" in the namespace "{ns}"',
        ),
      },
      {
        send: 'GET /api/v1/nodes',
        as: 'user',
        status: 403,
        json: failure(
          403,
          'Forbidden',
          'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
        ),
      },
      {
        send: 'GET /metrics',
        as: 'user',
        status: 403,
        json: failure(403, 'Forbidden', 'forbidden: User "jane" cannot get path "/metrics"'),
      },
    ],
  },
  {
    name: 'paths that name nothing, and methods that do not fit',
    steps: [
      {
        send: 'GET /api/v1/foos',
        status: 404,
        json: failure(404, 'NotFound', 'the server could not find the requested resource'),
      },
      { send: 'GET /apis/apps/v9/deployments', status: 404 },
      { send: 'GET /apis/nope.example.com/v1', status: 404 },
      { send: `GET ${items}/a/nope`, status: 404 },
      { send: `GET ${items}/a/status/more`, status: 404 },
      { send: 'GET /api/v1/configmaps/a', status: 404 },
      { send: 'GET /api/v1/namespaces/{ns}/nodes', status: 404 },
      { send: 'GET /nope', status: 404, text: ['404 page not found'] },
      { send: 'GET /api/v1/namespaces/%zz/configmaps', status: 400 },
      { send: 'GET /api/v1/namespaces/%C3/configmaps', status: 400 },
      {
        send: `PUT ${items}`,
        body: configMap('a'),
        status: 405,
        json: failure(
          405,
          'MethodNotAllowed',
          'the server does not allow this method on the requested resource',
        ),
      },
      { send: `POST ${items}/a`, body: configMap('a'), status: 405 },
      { send: 'POST /api/v1/configmaps', body: configMap('a'), status: 405 },
      { send: `OPTIONS ${items}`, status: 405 },
      { send: 'POST /version', body: {}, status: 405 },
    ],
  },
  {
    name: 'bodies that cannot be read',
    steps: [
      { send: `POST ${items}`, headers: json, body: '', status: 400, text: ['no body'] },
      {
        send: `POST ${items}`,
        headers: json,
        body: '{"metadata":}',
        status: 400,
        json: failure(400, 'BadRequest', /unexpected "}" at byte 12 \(line 1, column 13\), expected a value/),
      },
      {
        send: `POST ${items}`,
        headers: json,
        body: Buffer.from([0x7b, 0xff, 0x7d]),
        status: 400,
        text: ['UTF-8'],
      },
      {
        send: `POST ${items}`,
        headers: json,
        body: '[]',
        status: 400,
        text: ['expected an object, found an array'],
      },
      { send: `POST ${items}`, headers: json, body: 'null', status: 400 },
      { send: `POST ${items}`, headers: json, body: '['.repeat(100_000), status: 400, text: ['levels deep'] },
      {
        send: `POST ${items}`,
        headers: json,
        body: `{"metadata":{"name":"deep","annotations":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}}`,
        status: 400,
      },
      {
        send: `POST ${items}`,
        headers: { 'content-type': 'text/plain' },
        body: 'hello',
        status: 415,
        json: failure(415, 'UnsupportedMediaType', /application\/json, application\/yaml/),
      },
      {
        send: `PATCH ${items}/a`,
        headers: json,
        body: '{}',
        status: 415,
        json: failure(415, 'UnsupportedMediaType', /application\/merge-patch\+json/),
      },
      {
        send: `POST ${items}`,
        headers: { 'content-type': 'application/yaml' },
        body: 'metadata: [unclosed',
        status: 400,
        text: ['not valid YAML'],
      },
      {
        send: `POST ${items}`,
        headers: { 'content-type': 'application/yaml' },
        body: 'metadata:\n  name: from-yaml\ndata:\n  mode: "0644"\n',
        status: 201,
        json: { metadata: { name: 'from-yaml' }, data: { mode: '0644' } },
      },
    ],
  },
  {
    name: 'bodies and objects that are too large',
    steps: [
      {
        send: `POST ${items}`,
        headers: json,
        body: `{"metadata":{"name":"huge"},"data":{"k":"${'x'.repeat(3 * 1024 * 1024)}"}}`,
        status: 413,
        json: failure(413, 'RequestEntityTooLarge', /limit is 3145728/),
      },
      {
        send: `POST ${items}`,
        headers: json,
        body: `{"metadata":{"name":"large"},"data":{"k":"${'x'.repeat(1_600_000)}"}}`,
        status: 422,
        json: failure(422, 'Invalid', /data: Too long: must have at most 1048576 bytes/),
      },
      {
        send: 'POST /apis/apps/v1/namespaces/{ns}/controllerrevisions',
        headers: json,
        body: `{"metadata":{"name":"large"},"revision":1,"data":{"k":"${'x'.repeat(1_600_000)}"}}`,
        status: 413,
        json: failure(413, 'RequestEntityTooLarge', /request is too large/),
      },
      { send: `GET ${items}/large`, status: 404 },
    ],
  },
  {
    name: 'bodies that are not what the path takes',
    steps: [
      {
        send: `POST ${items}`,
        body: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' } },
        status: 400,
        json: failure(
          400,
          'BadRequest',
          'the API version in the data (apps/v1) does not match the expected API version (v1)',
        ),
      },
      {
        send: `POST ${items}`,
        body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
        status: 400,
        json: failure(400, 'BadRequest', /^Secret in version "v1" cannot be handled as a ConfigMap: /),
      },
      {
        send: `POST ${items}`,
        body: { metadata: { name: 'a', namespace: 'elsewhere' } },
        status: 400,
        json: failure(
          400,
          'BadRequest',
          'the namespace of the provided object does not match the namespace sent on the request',
        ),
      },
      { send: `POST ${items}`, body: configMap('a'), status: 201, save: { v: 'metadata.resourceVersion' } },
      {
        send: `POST ${items}`,
        body: configMap('a'),
        status: 409,
        json: {
          reason: 'AlreadyExists',
          message: 'configmaps "a" already exists',
          details: { name: 'a', kind: 'configmaps' },
        },
      },
      {
        send: `PUT ${items}/a`,
        body: configMap('b'),
        status: 400,
        json: failure(400, 'BadRequest', 'the name of the object (b) does not match the name on the URL (a)'),
      },
      { send: `PUT ${items}/a`, body: { data: {} }, status: 400, text: ['name must be provided'] },
      {
        send: `PUT ${items}/a`,
        body: { metadata: { name: 'a', namespace: 'elsewhere' } },
        status: 400,
      },
      {
        send: `POST ${items}`,
        body: { metadata: { name: 'c', resourceVersion: '5' } },
        status: 400,
        text: ['resourceVersion should not be set on objects to be created'],
      },
      {
        send: `POST ${items}`,
        body: { metadata: { name: 'typed' }, data: { n: 5 } },
        status: 400,
        text: ['data'],
      },
      { send: `GET ${items}/typed`, status: 404 },
    ],
  },
  {
    name: 'objects that are not valid',
    steps: [
      {
        send: `POST ${items}`,
        body: { metadata: { name: 'Not_A_Name' } },
        status: 422,
        json: {
          reason: 'Invalid',
          message:
            /^ConfigMap "Not_A_Name" is invalid: metadata\.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain/,
          details: {
            name: 'Not_A_Name',
            kind: 'ConfigMap',
            causes: [{ reason: 'FieldValueInvalid', field: 'metadata.name', message: /^Invalid value: / }],
          },
        },
      },
      {
        send: `POST ${items}`,
        body: { metadata: {} },
        status: 422,
        json: failure(422, 'Invalid', /metadata\.name: Required value: name or generateName is required/),
      },
      {
        send: `POST ${items}`,
        body: { metadata: { name: 'a', labels: { '-bad': 'x', ok: 'not ok!' } } },
        status: 422,
        json: {
          message: /is invalid: \[metadata\.labels: Invalid value: .*, metadata\.labels: Invalid value: /,
        },
      },
      {
        send: `POST ${items}`,
        body: { metadata: { name: 'a', annotations: { big: 'x'.repeat(270_000) } } },
        status: 422,
        text: ['Too long'],
      },
      {
        send: `POST ${items}`,
        body: { metadata: { name: 'a', finalizers: ['orphan', 'foregroundDeletion'] } },
        status: 422,
      },
      {
        send: `POST ${items}`,
        body: {
          metadata: { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '' }] },
        },
        status: 422,
        text: ['metadata.ownerReferences.uid'],
      },
      {
        send: 'POST /apis/apps/v1/namespaces/{ns}/deployments',
        body: { metadata: { name: 'd' }, spec: { template: {} } },
        status: 422,
        json: {
          message: /^Deployment\.apps "d" is invalid: /,
          details: { group: 'apps', kind: 'Deployment' },
        },
      },
    ],
  },
  {
    name: 'duplicate fields are reported or refused, and the last one counts',
    steps: [
      {
        send: `POST ${items}`,
        headers: { 'content-type': 'application/json' },
        body: '{"metadata":{"name":"a","name":"b"},"data":{"k":"1","k":"2"},"bar":1}',
        status: 201,
        json: { metadata: { name: 'b' }, data: { k: '2' } },
        answerHeaders: {
          warning:
            /^299 - "duplicate field \\"metadata\.name\\"", 299 - "duplicate field \\"data\.k\\"", 299 - "unknown field \\"bar\\""$/,
        },
      },
      {
        send: `POST ${items}?fieldValidation=Ignore`,
        headers: { 'content-type': 'application/yaml' },
        body: 'metadata: {name: c}\ndata:\n  k: one\n  k: two\n',
        status: 201,
        json: { data: { k: 'two' } },
        answerHeaders: { warning: absent },
      },
      {
        send: `PUT ${items}/c?fieldValidation=Strict`,
        headers: { 'content-type': 'application/yaml' },
        body: 'metadata: {name: c}\ndata:\n  k: one\n  k: two\n',
        status: 400,
        json: failure(
          400,
          'BadRequest',
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.k"',
        ),
      },
    ],
  },
  {
    name: 'numbers that would change on their way are refused',
    steps: [
      {
        send: 'POST /api/v1/namespaces/{ns}/pods',
        headers: { 'content-type': 'application/json' },
        body: '{"metadata":{"name":"p"},"spec":{"activeDeadlineSeconds":9007199254740993}}',
        status: 400,
        text: ['spec.activeDeadlineSeconds: expected an integer (int64, within 2^53)'],
      },
    ],
  },
  {
    name: 'unknown fields are dropped, reported, or refused',
    steps: [
      {
        send: `POST ${items}`,
        body: { metadata: { name: 'a', foo: 1 }, bar: {} },
        status: 201,
        answerHeaders: {
          warning: /^299 - "unknown field \\"metadata\.foo\\"", 299 - "unknown field \\"bar\\""$/,
        },
      },
      { send: `GET ${items}/a`, status: 200, text: ['"name":"a"'] },
      {
        send: `POST ${items}?fieldValidation=Strict`,
        body: { metadata: { name: 'b', foo: 1 }, bar: {} },
        status: 400,
        json: failure(
          400,
          'BadRequest',
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.foo", unknown field "bar"',
        ),
      },
      {
        send: `PATCH ${items}/a?fieldValidation=Strict`,
        headers: mergePatch,
        body: { bar: 1 },
        status: 422,
        json: failure(
          422,
          'Invalid',
          /^ "" is invalid: patch: Invalid value: "\{.*\}": strict decoding error: unknown field "bar"$/,
        ),
      },
      {
        send: `PATCH ${items}/a?fieldValidation=Strict`,
        headers: strategicPatch,
        body: { bar: [1, { b: null, a: 'x' }] },
        status: 422,
        json: failure(
          422,
          'Invalid',
          ' "" is invalid: patch: Invalid value: "map[bar:[1 map[a:x b:<nil>]]]": strict decoding error: unknown field "bar"',
        ),
      },
      {
        send: `POST ${items}?fieldValidation=Ignore`,
        body: { metadata: { name: 'c' }, bar: 1 },
        status: 201,
      },
      { send: `POST ${items}?fieldValidation=Nope`, body: configMap('d'), status: 422, text: ['Ignore'] },
    ],
  },
  {
    name: 'forms that cannot be given',
    steps: [
      {
        send: `GET ${items}`,
        headers: { accept: 'application/xml' },
        status: 406,
        json: failure(406, 'NotAcceptable', /only the following media types are accepted: application\/json/),
      },
      { send: `GET ${items}?watch=1`, headers: { accept: 'application/yaml' }, status: 406 },
      { send: `GET ${items}`, headers: { accept: 'application/json;as=Table;g=wrong;v=v1' }, status: 406 },
    ],
  },
]
