/** OpenAPI version 3 of all built-in types, in both dialects. */

import { createHash } from 'node:crypto'
import t from 'tap'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/json.ts'
import { createNames, type DialectName, dialectNames } from '../../../src/names/names.ts'
import { createOpenApiVersion3, type OpenApiVersion3 } from '../../../src/openapi/version3.ts'
import { createTypeRegistry } from '../../../src/types/registry.ts'

function openApi(dialect: DialectName): OpenApiVersion3 {
  const names = createNames(dialect)
  const types = createTypeRegistry({ names, runtimeConfig: new Map(), featureGates: new Map() })
  if (!types.ok) throw new Error(types.failure.message)
  const hash = (bytes: Buffer): string => createHash('sha512').update(bytes).digest('hex').toUpperCase()
  return createOpenApiVersion3({ names, types: types.value, gitVersion: 'v1.30.0', hash })
}

function parsed(json: Buffer): JsonObject {
  const value: JsonValue = JSON.parse(json.toString())
  if (!isJsonObject(value)) throw new Error('a document is an object')
  return value
}

/** Follows names into a document; fails the test where one is missing. */
function at(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (inner, name) => (isJsonObject(inner) ? inner[name] : undefined),
    value,
  )
}

function references(value: JsonValue | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(references)
  if (!isJsonObject(value)) return []
  const own = typeof value['$ref'] === 'string' ? [value['$ref']] : []
  return [...own, ...Object.values(value).flatMap(references)]
}

for (const dialect of dialectNames) {
  t.test(`dialect ${dialect}: every document of the index is whole`, (t) => {
    const api = openApi(dialect)
    const index = at(parsed(api.index().bytes), 'paths')
    const paths = Object.keys(isJsonObject(index) ? index : {})
    t.ok(paths.includes('api/v1') && paths.includes('apis/apps/v1'), 'core and named groups')
    for (const path of paths) {
      const made = api.document(path)
      const document = parsed(made?.bytes ?? Buffer.from('null'))
      t.equal(at(index, path, 'serverRelativeURL'), `/openapi/v3/${path}?hash=${made?.hash}`, path)
      const schemas = at(document, 'components', 'schemas')
      const missing = references(document).filter(
        (reference) => at(schemas, reference.replace('#/components/schemas/', '')) === undefined,
      )
      t.same(missing, [], `${path}: every reference has its definition`)
      t.notSame(at(document, 'paths'), {}, `${path}: has paths`)
    }
    t.end()
  })
}

t.test('what clients look for in the document of apps/v1', (t) => {
  const document = parsed(openApi('kubernetes').document('apis/apps/v1')?.bytes ?? Buffer.from('null'))
  const item = '/apis/apps/v1/namespaces/{namespace}/deployments/{name}'
  const kind = { group: 'apps', version: 'v1', kind: 'Deployment' }
  t.same(at(document, 'paths', item, 'patch', 'x-kubernetes-group-version-kind'), kind)
  t.equal(at(document, 'paths', item, 'patch', 'x-kubernetes-action'), 'patch')
  const parameters = at(document, 'paths', item, 'patch', 'parameters')
  const named = Array.isArray(parameters) ? parameters.map((parameter) => at(parameter, 'name')) : []
  t.same(named, ['pretty', 'dryRun', 'fieldManager', 'fieldValidation', 'force'])

  const schemas = at(document, 'components', 'schemas')
  t.same(at(schemas, 'io.k8s.api.apps.v1.Deployment', 'x-kubernetes-group-version-kind'), [kind])
  t.match(at(schemas, 'io.k8s.api.core.v1.PodSpec', 'properties', 'containers'), {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    'x-kubernetes-patch-merge-key': 'name',
    'x-kubernetes-patch-strategy': 'merge',
  })
  t.same(at(schemas, 'io.k8s.api.core.v1.PodSpec', 'required'), ['containers'])
  t.same(at(schemas, 'io.k8s.api.apps.v1.DeploymentSpec', 'properties', 'replicas'), {
    description: 'How many pods there should be. Default: 1.',
    type: 'integer',
    format: 'int32',
    default: 1,
  })
  t.end()
})

t.test('a group that is not served has no document', (t) => {
  t.equal(openApi('kubernetes').document('apis/extensions/v1beta1'), undefined)
  t.end()
})
