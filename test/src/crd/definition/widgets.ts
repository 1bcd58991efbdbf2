/** A definition to change, and how tables of what is refused are run. */

import type { Test } from 'tap'
import { changed, differing, type Json, refusals, shown } from '../../types/validation.ts'

const spec = {
  type: 'object',
  properties: {
    size: { type: 'integer', minimum: 0 },
    name: { type: 'string' },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port'],
      items: {
        type: 'object',
        required: ['port'],
        properties: { port: { type: 'integer' }, name: { type: 'string' } },
      },
    },
    port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
  },
}

/** One version, which is valid. */
export const widgets: Json = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
      },
    ],
  },
}

/** Paths for {@link changed}. */
export const version = 'spec.versions.0'
export const schema = `${version}.schema.openAPIV3Schema`
export const properties = `${schema}.properties.spec.properties`

/** What is changed of {@link widgets}, and the causes for which it is then refused; none = it is accepted. */
export type Row = readonly [changes: Readonly<Record<string, unknown>>, causes: readonly string[]]

export function runTable(t: Test, rows: readonly Row[]): void {
  for (const [changes, causes] of rows) {
    t.test(JSON.stringify(changes).slice(0, 110), (t) => {
      const found = refusals(changed(widgets, changes))
      t.strictSame(differing(shown(found), causes), [])
      for (const { reason } of found) t.match(reason, /^FieldValue[A-Z]/)
      t.end()
    })
  }
}
