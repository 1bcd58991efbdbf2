import t from 'tap'
import type { JsonObject } from '../../../src/json.ts'
import { missingRequired } from '../../../src/schema/required.ts'
import { types } from '../types/types.ts'

t.test('all that is missing is named at once', (t) => {
  const table: [message: string, object: JsonObject, missing: string[]][] = [
    ['core/v1.ConfigMap', {}, []],
    ['core/v1.Pod', {}, ['spec.containers']],
    ['core/v1.Pod', { spec: { containers: [] } }, []],
    [
      'core/v1.Pod',
      // What a source of a volume must have, the rules of volumes say.
      { spec: { containers: [{ image: 'x' }, { name: '' }], volumes: [{ hostPath: {} }] } },
      ['spec.volumes[0].name', 'spec.containers[0].name', 'spec.containers[1].name'],
    ],
    ['apps/v1.Deployment', {}, ['spec.selector', 'spec.template.spec.containers']],
    [
      'apps/v1.Deployment',
      { spec: { selector: {}, template: { spec: { containers: [] } } }, status: { conditions: [{}] } },
      [],
    ],
    ['rbac/v1.RoleBinding', { roleRef: { kind: 'Role' } }, ['roleRef.apiGroup', 'roleRef.name']],
    ['scheduling/v1.PriorityClass', {}, []],
    [
      'apiextensions/v1.CustomResourceDefinition',
      { spec: { names: {} } },
      // What a definition must have, the rules of definitions say.
      [],
    ],
    ['core/v1.Container', { name: 'a', env: [{}], ports: [{}] }, ['env[0].name']],
  ]
  const registry = types()
  for (const [message, object, missing] of table) {
    const causes = missingRequired(registry.message(message), object)
    t.strictSame(
      causes.map(({ field }) => field),
      missing,
      `${message} ${JSON.stringify(object)}`,
    )
    for (const cause of causes) t.match(cause, { reason: 'FieldValueRequired', message: 'Required value' })
  }
  t.end()
})
