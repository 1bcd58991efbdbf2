/** The words in OpenAPI documents: from the comments of the `.proto` sources, and common ones. */

import t from 'tap'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/json.ts'
import { createNames, type DialectName, dialectNames } from '../../../src/names/names.ts'
import { createOpenApiVersion2 } from '../../../src/openapi/version2.ts'
import { createOpenApiVersion3 } from '../../../src/openapi/version3.ts'
import { loadDescriptions, loadIndex, loadPackage } from '../../../src/schema/load.ts'
import { createTypeRegistry } from '../../../src/types/registry.ts'

/** With everything on that can be. */
interface Schemas {
  readonly version2: JsonObject
  /** Of the core group. */
  readonly version3: JsonObject
}

function schemas(dialect: DialectName): Schemas {
  const names = createNames(dialect)
  const runtimeConfig = new Map([['api/all', true]])
  const featureGates = new Map([['AllAlpha', true]])
  const types = createTypeRegistry({ names, runtimeConfig, featureGates })
  if (!types.ok) throw new Error(types.failure.message)
  const options = { names, types: types.value, gitVersion: 'v1.30.0', hash: () => '' }
  const core = createOpenApiVersion3(options).document('api/v1')?.bytes ?? Buffer.from('null')
  return {
    version2: objectAt(JSON.parse(createOpenApiVersion2(options).json().bytes.toString()), 'definitions'),
    version3: objectAt(JSON.parse(core.toString()), 'components', 'schemas'),
  }
}

/** Follows names; {} where one is missing. */
function objectAt(value: JsonValue, ...path: readonly string[]): JsonObject {
  const found = path.reduce<JsonValue>(
    (inner, name) => (isJsonObject(inner) ? (inner[name] ?? null) : null),
    value,
  )
  return isJsonObject(found) ? found : {}
}

function isDescribed(schema: JsonObject): boolean {
  return typeof schema['description'] === 'string' && /^\w.*\.$/.test(schema['description'])
}

for (const dialect of dialectNames) {
  t.test(`dialect ${dialect}: every kind says what it is`, (t) => {
    const { version2 } = schemas(dialect)
    const kinds = Object.keys(version2).filter(
      (name) => 'x-kubernetes-group-version-kind' in objectAt(version2, name),
    )
    t.ok(kinds.length > 150, `${kinds.length} kinds`)
    t.same(
      kinds.filter((name) => !isDescribed(objectAt(version2, name))),
      [],
    )
    t.end()
  })
}

t.test('every definition is described, and every field of it', (t) => {
  const { version2 } = schemas('kubernetes')
  t.ok(Object.keys(version2).length > 620, 'all of them')
  const wordless = Object.keys(version2).flatMap((name) => {
    const schema = objectAt(version2, name)
    const properties = objectAt(schema, 'properties')
    const fields = Object.keys(properties).filter((field) => !isDescribed(objectAt(properties, field)))
    return [...(isDescribed(schema) ? [] : [name]), ...fields.map((field) => `${name}.${field}`)]
  })
  t.same(wordless, [])
  t.end()
})

t.test('how a description stands beside a reference', (t) => {
  const { version2, version3 } = schemas('kubernetes')
  const lifecycle = ['io.k8s.api.core.v1.Container', 'properties', 'lifecycle']
  const description = 'What to do after the start and before the end of the container.'
  t.same(
    objectAt(version3, ...lifecycle),
    { description, allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.Lifecycle' }] },
    'version 3: wrapped',
  )
  t.same(
    objectAt(version2, ...lifecycle),
    { description, $ref: '#/definitions/io.k8s.api.core.v1.Lifecycle' },
    'version 2: beside it',
  )
  const spec = objectAt(version3, 'io.k8s.api.core.v1.Pod', 'properties', 'spec')
  t.same(spec['default'], {}, 'the default stays')
  t.end()
})

t.test('the texts are alike in both dialects, so they name neither', (t) => {
  const branded = Object.entries(loadDescriptions()).flatMap(([message, texts]) =>
    Object.entries(texts)
      .filter(([, text]) => /kubernetes\.io|k8s|cluster\.io|\{(groups|labels|product)\}/i.test(text))
      .map(([field]) => `${message}.${field}`),
  )
  t.same(branded, [])
  t.end()
})

/** What a description must say where the name or the schema promises it. */
const promises = [
  { of: /Seconds$/, says: /second/i },
  { of: /(Percent|Percentage)$/, says: /percent/i },
  { of: /Bytes$/, says: /bytes/i },
] as const

t.test('units, defaults and values stand in the descriptions', (t) => {
  const descriptions = loadDescriptions()
  const silent: string[] = []
  for (const packageId of Object.keys(loadIndex().packages)) {
    for (const [message, { fields }] of Object.entries(loadPackage(packageId))) {
      for (const [name, , , , extras] of fields) {
        const text = descriptions[`${packageId}.${message}`]?.[name]
        if (text === undefined) continue // common words, made for all
        const field = `${packageId}.${message}.${name}: ${text}`
        for (const { of, says } of promises) if (of.test(name) && !says.test(text)) silent.push(field)
        const { default: fallback } = extras ?? {}
        if (fallback !== undefined && !isPlain(fallback) && !saysDefault(text, fallback)) silent.push(field)
      }
    }
  }
  t.same(silent, [])
  t.end()
})

/** What is there without being said: empty values, and the first of the states of a status. */
function isPlain(fallback: JsonValue): boolean {
  return fallback === '' || fallback === false || fallback === 'Pending' || fallback === 'Active'
}

/** The value itself, where it is one word; permission bits in octal. */
function saysDefault(text: string, fallback: JsonValue): boolean {
  const value = fallback === 0o644 ? '0644' : String(fallback)
  const isWord = typeof fallback !== 'object' && !value.includes('{')
  return isWord ? text.includes(`Default: ${value}`) : /default/i.test(text)
}
