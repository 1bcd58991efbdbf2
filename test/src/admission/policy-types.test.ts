/** What expressions would see of every built-in type. */

import t from 'tap'
import { typeOfResource } from '../../../src/admission/policies/type-check/resource-type.ts'
import { cel, compileExpression } from '../../../src/cel/expression.ts'
import { everything, types } from '../types/types.ts'

t.test('metadata of all that is stored', (t) => {
  const stored = types(everything).resources.filter(({ storage }) => storage !== undefined)
  t.ok(stored.length > 60, `${stored.length} types`)
  const source =
    "object.metadata.name.startsWith(object.kind) && object.metadata.labels.all(k, k != '') && object.metadata.creationTimestamp < timestamp('2100-01-01T00:00:00Z') && object.metadata.ownerReferences.exists(o, o.controller)"
  for (const type of stored) {
    const variables = new Map([['object', typeOfResource(type)]])
    const compiled = compileExpression(source, { variables }, cel.bool)
    t.ok(compiled.ok, `${type.apiVersion} ${type.kind} ${compiled.ok ? '' : compiled.failure.message}`)
    const wrong = compileExpression('object.nonsense == 1', { variables }, cel.bool)
    t.notOk(wrong.ok, `${type.kind} has no nonsense`)
  }
  t.end()
})

t.test('what fields are', (t) => {
  const registry = types(everything)
  const right: Readonly<Record<string, readonly string[]>> = {
    'apps/v1/deployments': [
      'object.spec.replicas > 1',
      "object.spec.template.spec.containers.all(c, c.image.contains('/') && c.ports.all(p, p.containerPort < 65536))",
      "quantity(object.spec.template.spec.containers[0].resources.limits['cpu']).isLessThan(quantity('4'))",
      'type(object.spec.strategy.rollingUpdate.maxSurge) == int',
      "object.spec.selector.matchLabels['a'] == 'b'",
    ],
    '/v1/pods': [
      "object.metadata.__namespace__ == 'x' || object.spec.nodeName == ''",
      'object.spec.hostNetwork',
    ],
    '/v1/secrets': ["object.data['a'] == b'x'"],
    'apiextensions.k8s.io/v1/customresourcedefinitions': [
      "object.spec.versions.all(v, v.schema.openAPIV3Schema.properties['spec'].type == 'object')",
    ],
  }
  for (const [place, sources] of Object.entries(right)) {
    const [group = '', version = '', plural = ''] = place.split('/')
    const type = registry.resource(group, version, plural)
    if (type === undefined) throw new TypeError(`no ${place}`)
    const variables = new Map([['object', typeOfResource(type)]])
    for (const source of sources) {
      const compiled = compileExpression(source, { variables }, cel.bool)
      t.ok(compiled.ok, `${source} ${compiled.ok ? '' : compiled.failure.message}`)
    }
  }
  t.end()
})
