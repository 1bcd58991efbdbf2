/** Custom resources in OpenAPI documents: their schemas, paths and lists, and what a change of them makes anew. */

import { createHash } from 'node:crypto'
import t from 'tap'
import { readStructural } from '../../../src/crd/schema/read.ts'
import { customMessage } from '../../../src/crd/shape/message.ts'
import type { JsonObject, JsonValue } from '../../../src/json.ts'
import { createNames } from '../../../src/names/names.ts'
import { createOpenApiVersion2 } from '../../../src/openapi/version2.ts'
import { createOpenApiVersion3 } from '../../../src/openapi/version3.ts'
import { createTypeRegistry } from '../../../src/types/registry.ts'
import { apiVersionOf, type ResourceType, type TypeRegistry } from '../../../src/types/resource.ts'

const names = createNames('kubernetes')
const made = createTypeRegistry({ names, runtimeConfig: new Map(), featureGates: new Map() })
if (!made.ok) throw new Error(made.failure.message)
const builtIn = made.value
const group = 'stable.example.com'

function customType(version: string, schema: JsonObject, more: Partial<ResourceType> = {}): ResourceType {
  const deployments = builtIn.resource('apps', 'v1', 'deployments')
  if (deployments === undefined) throw new Error('there are deployments')
  const kind = { group, version, kind: 'CronTab' }
  const message = customMessage(readStructural(schema), kind, builtIn.message('meta/v1.ObjectMeta'))
  const scale = deployments.subresources.get('scale')
  const status = deployments.subresources.get('status')
  if (scale === undefined || status === undefined) throw new Error('deployments have both')
  return {
    ...deployments,
    ...kind,
    apiVersion: apiVersionOf(kind),
    listKind: 'CronTabList',
    plural: 'crontabs',
    singular: 'crontab',
    message,
    storageMessage: message,
    subresources: new Map([
      ['status', { ...status, kind, message }],
      ['scale', scale],
    ]),
    selectableFields: new Set(['metadata.name', 'metadata.namespace']),
    custom: {
      definition: `crontabs.${group}`,
      deprecation: undefined,
      terminating: false,
      guard: () => undefined,
    },
    ...more,
  }
}

/** A registry whose custom types change. */
function registryOf(current: () => readonly ResourceType[]): TypeRegistry {
  let [generation, last] = [0, current()]
  return {
    get generation() {
      if (current() !== last) generation++
      last = current()
      return generation
    },
    onChange: builtIn.onChange,
    refresh: builtIn.refresh,
    places: builtIn.places,
    stored: builtIn.stored,
    get groups() {
      const versions = current().map(({ version }) => version)
      return versions.length === 0 ? builtIn.groups : [...builtIn.groups, { group, versions }]
    },
    get resources() {
      return [...builtIn.resources, ...current()]
    },
    resource: builtIn.resource,
    kind: builtIn.kind,
    message: builtIn.message,
  }
}

let hashed = 0
const hash = (bytes: Buffer): string => {
  hashed++
  return createHash('sha512').update(bytes).digest('hex').toUpperCase()
}

function documents(current: () => readonly ResourceType[]) {
  const options = { names, types: registryOf(current), gitVersion: 'v1.30.0', hash }
  return { version3: createOpenApiVersion3(options), version2: createOpenApiVersion2(options) }
}

// biome-ignore lint/suspicious/noExplicitAny: documents are walked by name, a wrong one fails the test
const parsed = (bytes: Buffer | undefined): any => JSON.parse((bytes ?? Buffer.from('null')).toString())

const spec: JsonObject = {
  type: 'object',
  description: 'What is wanted.',
  required: ['size', 'word'],
  properties: {
    size: { type: 'integer', format: 'int32', minimum: 1, maximum: 9, exclusiveMaximum: true, default: 3 },
    word: { type: 'string', nullable: true, enum: ['a', 'b'], pattern: '^[ab]$' },
    either: { 'x-kubernetes-int-or-string': true, allOf: [{ minLength: 1 }] },
    said: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    free: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { known: { type: 'string' } },
    },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    },
    template: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { data: { type: 'string' } },
    },
    map: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
    list: { type: 'array', nullable: true, items: { type: 'string' } },
    ruled: {
      type: 'string',
      not: { pattern: 'x' },
      'x-kubernetes-validations': [{ rule: "self != ''", message: 'say something' }],
    },
  },
}
const schema: JsonObject = { type: 'object', description: 'A table of times.', properties: { spec } }

const rules = [{ rule: "self != ''", message: 'say something' }]
const partsMarkers = { 'x-kubernetes-list-map-keys': ['name'], 'x-kubernetes-list-type': 'map' }
const part = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

const inVersion3: Record<string, JsonValue> = {
  size: {
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: 9,
    exclusiveMaximum: true,
    default: 3,
  },
  word: { type: 'string', nullable: true, enum: ['a', 'b'], pattern: '^[ab]$' },
  either: {
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    allOf: [{ minLength: 1 }],
    'x-kubernetes-int-or-string': true,
  },
  said: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
  any: { 'x-kubernetes-preserve-unknown-fields': true },
  free: {
    type: 'object',
    properties: { known: { type: 'string' } },
    'x-kubernetes-preserve-unknown-fields': true,
  },
  parts: { type: 'array', items: part, ...partsMarkers },
  map: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
  list: { type: 'array', nullable: true, items: { type: 'string' } },
  ruled: { type: 'string', not: { pattern: 'x' }, 'x-kubernetes-validations': rules },
}

const inVersion2: Record<string, JsonValue> = {
  ...inVersion3,
  word: { enum: ['a', 'b'], pattern: '^[ab]$' },
  either: { 'x-kubernetes-int-or-string': true },
  said: { 'x-kubernetes-int-or-string': true },
  free: { 'x-kubernetes-preserve-unknown-fields': true },
  list: {},
  ruled: { type: 'string', 'x-kubernetes-validations': rules },
}

t.test('version 3', (t) => {
  const { version3 } = documents(() => [customType('v1', schema)])
  const document = parsed(version3.document(`apis/${group}/v1`)?.bytes)
  const crontab = document.components.schemas['com.example.stable.v1.CronTab']
  t.match(crontab, {
    type: 'object',
    description: 'A table of times.',
    'x-kubernetes-group-version-kind': [{ group, version: 'v1', kind: 'CronTab' }],
  })
  t.same(Object.keys(crontab.properties), ['apiVersion', 'kind', 'metadata', 'spec'])
  const reference = '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
  t.same(crontab.properties.metadata.allOf, [{ $ref: reference }])
  const { properties, required, description } = crontab.properties.spec
  t.same(required, ['size', 'word'])
  t.equal(description, 'What is wanted.')
  for (const [name, expected] of Object.entries(inVersion3)) t.same(properties[name], expected, name)
  t.same(properties.template.required, ['kind', 'apiVersion'])
  t.same(Object.keys(properties.template.properties), ['apiVersion', 'data', 'kind', 'metadata'])

  const list = document.components.schemas['com.example.stable.v1.CronTabList']
  t.match(list, {
    required: ['items'],
    'x-kubernetes-group-version-kind': [{ group, version: 'v1', kind: 'CronTabList' }],
  })
  t.same(list.properties.items.items, { $ref: '#/components/schemas/com.example.stable.v1.CronTab' })
  t.match(document.components.schemas['io.k8s.api.autoscaling.v1.Scale'], { type: 'object' })

  const root = `/apis/${group}/v1`
  t.same(Object.keys(document.paths), [
    `${root}/crontabs`,
    `${root}/namespaces/{namespace}/crontabs`,
    `${root}/namespaces/{namespace}/crontabs/{name}`,
    `${root}/namespaces/{namespace}/crontabs/{name}/scale`,
    `${root}/namespaces/{namespace}/crontabs/{name}/status`,
  ])
  const { get, post } = document.paths[`${root}/namespaces/{namespace}/crontabs`]
  t.equal(get.operationId, 'listStableExampleComV1NamespacedCronTab')
  t.same(get.tags, ['stableExampleCom_v1'])
  t.same(Object.keys(post.requestBody.content), ['application/json', 'application/yaml'])
  t.same(Object.keys(post.responses['200'].content), ['application/json', 'application/yaml'])
  const scale = document.paths[`${root}/namespaces/{namespace}/crontabs/{name}/scale`].get
  t.same(scale['x-kubernetes-group-version-kind'], { group, version: 'v1', kind: 'CronTab' })
  t.equal(scale.operationId, 'readStableExampleComV1NamespacedCronTabScale')
  const { patch } = document.paths[`${root}/namespaces/{namespace}/crontabs/{name}`]
  t.same(Object.keys(patch.requestBody.content), [
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/apply-patch+yaml',
  ])
  t.end()
})

t.test('version 2 leaves out what it cannot say', (t) => {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const { version2 } = documents(() => [customType('v1', schema), customType('v2', open)])
  const { definitions, paths } = parsed(version2.json().bytes)
  const { properties, required } = definitions['com.example.stable.v1.CronTab'].properties.spec
  t.same(required, ['size'])
  for (const [name, expected] of Object.entries(inVersion2)) t.same(properties[name], expected, name)
  t.same(definitions['com.example.stable.v2.CronTab'], {
    type: 'object',
    'x-kubernetes-group-version-kind': [{ group, version: 'v2', kind: 'CronTab' }],
  })
  t.ok(paths[`/apis/${group}/v1/crontabs`])
  t.ok(definitions['io.k8s.api.core.v1.Pod'])
  t.ok(version2.protobuf().bytes.includes('com.example.stable.v1.CronTab'))
  t.end()
})

t.test('fields that selectors may use', (t) => {
  const selectableFields = new Set(['metadata.name', 'metadata.namespace', 'spec.word'])
  const { version3, version2 } = documents(() => [customType('v1', schema, { selectableFields })])
  const { schemas } = parsed(version3.document(`apis/${group}/v1`)?.bytes).components
  for (const name of ['CronTab', 'CronTabList']) {
    const { 'x-kubernetes-selectable-fields': fields } = schemas[`com.example.stable.v1.${name}`]
    t.same(fields, [{ fieldPath: 'spec.word' }], name)
  }
  t.notMatch(version2.json().bytes.toString(), 'x-kubernetes-selectable-fields')
  t.end()
})

t.test('a change of definitions makes anew what it touches', (t) => {
  let current: readonly ResourceType[] = []
  const { version3, version2 } = documents(() => current)
  const before = parsed(version3.index().bytes).paths
  const empty = version2.json()
  const [one, two] = [customType('v1', schema), customType('v2', schema)]

  current = [one]
  hashed = 0
  const withOne = version3.index()
  t.equal(hashed, 2, 'one document and the index')
  t.same({ ...before, ...parsed(withOne.bytes).paths }, parsed(withOne.bytes).paths, 'the others stay')
  t.not(version2.json().hash, empty.hash)

  hashed = 0
  t.equal(version3.index(), withOne)
  version2.json()
  t.equal(hashed, 0, 'nothing changed')

  current = [one, two]
  const url = (index: Buffer) => parsed(index).paths[`apis/${group}/v1`].serverRelativeURL
  t.equal(url(version3.index().bytes), url(withOne.bytes), 'another version is another document')

  current = [customType('v1', { ...schema, description: 'Changed.' })]
  t.not(url(version3.index().bytes), url(withOne.bytes))
  t.equal(version3.document(`apis/${group}/v2`), undefined)

  current = []
  t.same(parsed(version3.index().bytes).paths, before)
  t.equal(version2.json().hash, empty.hash)
  t.end()
})
