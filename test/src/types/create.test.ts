/**
 * What a 1.30 server adds to a small object, kind by kind: defaults, what its strategy decides, and what JSON prints
 * of empty members. Added elsewhere, and so not here: values of admission plugins and of allocators (cluster IPs,
 * node ports).
 */

import t from 'tap'
import { isJsonObject, type JsonValue } from '../../../src/json.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import { container } from './create-case.ts'
import { coreCases } from './create-core.ts'
import { groupCases } from './create-groups.ts'
import { allGates, codec, created, everything, types } from './types.ts'

const registry = types(everything)
const objects = codec()

for (const { of, body, added } of [...coreCases, ...groupCases]) {
  t.test(`${of} ${JSON.stringify(body).slice(0, 60)}`, (t) => {
    const [apiVersion = '', kind = ''] = of.split(' ')
    const object = { apiVersion, kind, metadata: { name: 'thing' }, ...body }
    const answer = created(registry, objects, object as ApiObject)
    t.strictSame(
      answer,
      withAdded(object, { 'metadata.uid': 'uid-1', 'metadata.creationTimestamp': null, ...added }),
    )
    t.end()
  })
}

function withAdded(body: unknown, added: Readonly<Record<string, JsonValue>>): unknown {
  const expected = structuredClone(body)
  for (const [path, value] of Object.entries(added)) {
    const steps = path.split('.')
    const last = steps.pop() ?? ''
    let at = expected as Record<string, unknown>
    for (const step of steps) {
      at[step] ??= {}
      at = at[step] as Record<string, unknown>
    }
    if (value === '(gone)') delete at[last]
    else if (value !== '(absent)') at[last] = value
  }
  return expected
}

t.test('fields behind a closed gate are dropped, and kept where they are in use', (t) => {
  const gated = { resourceClaims: [{ name: 'x' }] }
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    spec: { containers: [container], ...gated },
  }
  const claims = (pod: ApiObject) => (isJsonObject(pod['spec']) ? pod['spec']['resourceClaims'] : undefined)
  const closed = created(registry, objects, body as unknown as ApiObject)
  t.equal(claims(closed), undefined)
  const open = created(types(everything, allGates), codec(allGates), body as unknown as ApiObject)
  t.match(claims(open), [{ name: 'x' }])
  const { strategy } = registry.kind('', 'v1', 'Pod') ?? {}
  const update = structuredClone(open)
  strategy?.prepareForUpdate?.(update, open, { now: '' })
  t.match(claims(update), [{ name: 'x' }], 'written while the gate was open')
  strategy?.prepareForUpdate?.(update, closed, { now: '' })
  t.equal(claims(update), undefined)
  t.end()
})
