/** Rules and selectable fields of a definition: what is wrong with them is told with the rest, and when. */

import t from 'tap'
import { newDefinitionCauses } from '../../../../src/crd/definition/rules.ts'
import { names } from '../../types/types.ts'
import { changed, differing, refusals, shown } from '../../types/validation.ts'
import { properties, type Row, runTable, schema, version, widgets } from './widgets.ts'

const rules = `${properties}.size.x-kubernetes-validations`
const at = 'spec.validation.openAPIV3Schema.properties[spec].properties[size].x-kubernetes-validations[0]'

const table: readonly Row[] = [
  [{ [rules]: [{ rule: 'self > 0', message: 'none', reason: 'FieldValueForbidden' }] }, []],
  [{ [rules]: [{ rule: ' ' }] }, [`${at}.rule: Required value: rule is not specified`]],
  [
    { [rules]: [{ rule: 'self > 0', message: 'a\nb', fieldPath: '.x', reason: 'Because' }] },
    [
      `${at}.message: Invalid value: "a\\nb": message must not contain line breaks`,
      `${at}.reason: Unsupported value: "Because": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
      `${at}.fieldPath: Invalid value: ".x": fieldPath must be a valid path`,
    ],
  ],
  [
    { [rules]: [{ rule: 'self > "a"' }] },
    [`${at}.rule: Invalid value: apiextensions.ValidationRule{Rule:"self > \\"a\\""`],
  ],
  // What is wrong with the schema comes first: rules are not compiled then.
  [
    { [rules]: [{ rule: 'self > "a"' }], [`${schema}.properties.spec.properties.name.type`]: 'text' },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[name].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  ],
  // A default keeps the rules of its place.
  [
    { [rules]: [{ rule: 'self > 3', message: 'too small' }], [`${properties}.size.default`]: 1 },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[size].default: Invalid value: "integer": too small',
    ],
  ],
  // The gate is closed: nothing of it is looked at.
  [{ [`${version}.selectableFields`]: [{ jsonPath: 'nowhere' }] }, []],
]

runTable(t, table)

t.test('paths of selectable fields lead to scalars outside of the metadata', (t) => {
  const tooFar = Array.from({ length: 9 }, (_, i) => [`f${i}`, { type: 'string' }])
  const many = tooFar.map(([name]) => ({ jsonPath: `.spec.${String(name)}` }))
  const rows: [jsonPaths: object[], causes: string[]][] = [
    [[{ jsonPath: '.spec.size' }, { jsonPath: '.spec.name' }], []],
    [[{ jsonPath: '' }], ['spec.selectableFields[0].jsonPath: Required value']],
    [
      [{ jsonPath: 'spec.size' }],
      [
        'spec.selectableFields[0].jsonPath: Invalid value: "spec.size": is an invalid path: expected [ or . but got: spec',
      ],
    ],
    [
      [{ jsonPath: ".spec['size']" }],
      [
        'spec.selectableFields[0].jsonPath: Invalid value: ".spec[\'size\']": is an invalid path: array notation is not allowed',
      ],
    ],
    [
      [{ jsonPath: '.spec.nowhere' }],
      [
        'spec.selectableFields[0].jsonPath: Invalid value: ".spec.nowhere": is an invalid path: does not refer to a valid field',
      ],
    ],
    [
      [{ jsonPath: '.spec.tags' }, { jsonPath: '.spec.size' }, { jsonPath: '.spec.size' }],
      [
        'spec.selectableFields[0].jsonPath: Invalid value: ".spec.tags": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        'spec.selectableFields[2].jsonPath: Duplicate value: ".spec.size"',
      ],
    ],
    [
      [{ jsonPath: '.metadata.name' }],
      [
        'spec.selectableFields[0].jsonPath: Invalid value: ".metadata.name": must not point to fields in metadata',
      ],
    ],
    [many, ['spec.selectableFields: Too many: 9: must have at most 8 items']],
  ]
  for (const [fields, causes] of rows) {
    const body = changed(widgets, {
      [`${version}.selectableFields`]: fields,
      [`${schema}.properties.metadata`]: { type: 'object', properties: { name: { type: 'string' } } },
      'spec.names.singular': 'widget',
      'spec.names.listKind': 'WidgetList',
      'status.storedVersions': ['v1'],
    })
    Object.assign(
      body.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties,
      Object.fromEntries(tooFar),
    )
    t.strictSame(differing(shown(newDefinitionCauses(body, names)), causes), [], JSON.stringify(fields))
  }
  t.strictSame(shown(refusals(widgets)), [])
  t.end()
})
