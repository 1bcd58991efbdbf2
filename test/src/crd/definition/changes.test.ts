/** What a change of a definition may not do, what it goes on being allowed, and what the server decides of it. */

import t from 'tap'
import type { ApiObject } from '../../../../src/types/object.ts'
import { changed, differing, type Json, shown, typeOfBody, updateRefusals } from '../../types/validation.ts'
import { properties, schema, version, widgets } from './widgets.ts'

const { strategy } = typeOfBody(widgets)
const context = { now: '2024-01-01T00:00:00Z' }

/** As it is stored. */
function stored(body: Json, status: Json = {}): ApiObject {
  const object = structuredClone(body)
  Object.assign(object.spec.names, { singular: 'widget', listKind: 'WidgetList' })
  object.status = { storedVersions: ['v1'], ...status }
  return object
}

function changeRefusals(old: ApiObject, changes: Json): string[] {
  const object: ApiObject = changed(old, changes)
  strategy.prepareForUpdate?.(object, old, context)
  return shown(strategy.validateUpdate?.(object, old) ?? [])
}

const established = { conditions: [{ type: 'Established', status: 'True' }] }

t.test('what fixes where objects are stored does not change', (t) => {
  const table: [status: Json, changes: Json, causes: string[]][] = [
    [{}, { 'spec.scope': 'Cluster', 'spec.names.kind': 'Gadget' }, []],
    [
      established,
      { 'spec.scope': 'Cluster', 'spec.names.kind': 'Gadget' },
      [
        'spec.scope: Invalid value: "Cluster": field is immutable',
        'spec.names.kind: Invalid value: "Gadget": field is immutable',
      ],
    ],
    [
      {},
      { 'spec.group': 'example.org', 'spec.names.plural': 'gadgets' },
      [
        'spec.group: Invalid value: "example.org": field is immutable',
        'spec.names.plural: Invalid value: "gadgets": field is immutable',
      ],
    ],
    [established, { 'spec.names.singular': 'gadget', 'spec.names.shortNames': ['wd'] }, []],
    [
      {},
      { 'spec.preserveUnknownFields': true },
      [
        'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    ],
  ]
  for (const [status, changes, causes] of table)
    t.strictSame(
      differing(changeRefusals(stored(widgets, status), changes), causes),
      [],
      JSON.stringify(changes),
    )
  t.end()
})

const second = { name: 'v2', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }

t.test('versions in which objects may be stored are remembered', (t) => {
  const old = stored(widgets)
  const object: ApiObject = changed(old, { 'spec.versions.1': second, [`${version}.storage`]: false })
  strategy.prepareForUpdate?.(object, old, context)
  t.strictSame(object['status'], { storedVersions: ['v1', 'v2'] })
  t.strictSame(old['status'], { storedVersions: ['v1'] }, 'the old object stays as it is')
  t.strictSame(shown(strategy.validateUpdate?.(object, old) ?? []), [])
  t.strictSame(changeRefusals(old, { 'spec.versions.0': second }), [
    'status.storedVersions[0]: Invalid value: "v1": must appear in spec.versions',
  ])
  t.end()
})

t.test('what a definition did before, it may go on doing', (t) => {
  const set = { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } }
  const map = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a'],
    items: { type: 'object', properties: { a: { type: 'string' } } },
  }
  const path = `${properties}.more`
  const webhook = (versions: string[]): Json => ({
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: versions, clientConfig: { url: 'https://a.b/c' } },
  })
  const table: [what: string, allowed: Json, refused: string][] = [
    ['elements of a set', { [path]: set }, 'x-kubernetes-map-type'],
    ['keys of a map', { [path]: map }, 'must have a default or be a required property'],
    [
      'members of a default',
      { [`${schema}.properties.spec.default`]: { shape: 'round' } },
      'must not have unknown fields',
    ],
    ['review versions', { 'spec.conversion': webhook(['v7']) }, 'must include at least one of v1, v1beta1'],
  ]
  for (const [what, changes, detail] of table) {
    const broken = stored(changed(widgets, changes))
    t.strictSame(changeRefusals(broken, { 'metadata.labels': { a: 'b' } }), [], what)
    t.match(changeRefusals(stored(widgets), changes).join('\n'), detail, `${what}, new`)
  }
  t.end()
})

t.test('an approval that was not there may go on missing, but not go', (t) => {
  const without = { 'spec.group': 'x.k8s.io', 'metadata.name': 'widgets.x.k8s.io' }
  const approved = { ...without, 'metadata.annotations': { 'api-approved.kubernetes.io': 'unapproved' } }
  const [before, after] = [without, approved].map((changes) => stored(changed(widgets, changes)))
  if (before === undefined || after === undefined) throw new Error('there are two')
  t.strictSame(changeRefusals(before, { 'metadata.labels': { a: 'b' } }), [])
  t.strictSame(changeRefusals(before, approved), [])
  t.match(
    changeRefusals(after, { 'metadata.annotations': {} })[0],
    'protected groups must have approval annotation',
  )
  t.end()
})

t.test('versions without schemas, as definitions of before have them', (t) => {
  const without = stored(changed(widgets, { [`${version}.schema`]: undefined }))
  const pruned = [
    'spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned',
  ]
  t.strictSame(changeRefusals(without, { 'metadata.labels': { a: 'b' } }), pruned)
  const open = changed(without, { 'spec.preserveUnknownFields': true })
  t.strictSame(changeRefusals(open, { 'metadata.labels': { a: 'b' } }), [])
  t.strictSame(changeRefusals(stored(widgets), { [`${version}.schema`]: undefined }), [
    'spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required',
  ])
  t.end()
})

t.test('rules that were accepted may cost what they cost', (t) => {
  const costly = {
    [`${properties}.tags.items.x-kubernetes-validations`]: [{ rule: "self.matches('a+')" }],
  }
  const body = changed(widgets, costly)
  t.match(updateRefusals(widgets, body)[0], {
    field:
      'spec.validation.openAPIV3Schema.properties[spec].properties[tags].items.x-kubernetes-validations[0].rule',
    message: /^Forbidden: estimated rule cost exceeds budget/,
  })
  const alone = updateRefusals(body, changed(body, { 'metadata.labels': { a: 'b' } }))
  t.notMatch(shown(alone).join('\n'), 'estimated rule cost exceeds budget', 'the schema is as it was')
  t.end()
})

t.test('through status only names are looked at', (t) => {
  const old = stored(widgets)
  const object: ApiObject = changed(old, {
    'status.acceptedNames': { plural: 'Widgets', kind: 'Widget' },
    'spec.group': '',
  })
  t.strictSame(
    shown(strategy.validateStatusUpdate?.(object, old) ?? []).map((cause) => cause.slice(0, 55)),
    ['status.acceptedNames.plural: Invalid value: "Widgets": '.slice(0, 55)],
  )
  t.end()
})

t.test('nothing but the version that is stored is in a new status', (t) => {
  const object: ApiObject = changed(widgets, { 'status.conditions': [], 'spec.versions.1': second })
  strategy.prepareForCreate?.(object, context)
  t.strictSame(object['status'], { storedVersions: ['v1'] })
  t.end()
})
