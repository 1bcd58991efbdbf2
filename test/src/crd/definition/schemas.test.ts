/** What schemas may use of JSON Schema, and how their extensions go together. */

import t from 'tap'
import { properties, type Row, runTable, schema, version } from './widgets.ts'

const table: readonly Row[] = [
  [
    { [`${properties}.name.type`]: 'text' },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[name].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  ],
  [{ [`${schema}.id`]: 'x' }, ['spec.validation.openAPIV3Schema.id: Forbidden: id is not supported']],
  [
    { [`${schema}.$schema`]: 'http://json-schema.org/draft-04/schema' },
    ['spec.validation.openAPIV3Schema: Invalid value: "": OpenAPIV3Schema \'schema\' is not supported'],
  ],
  [
    {
      [`${schema}.properties.spec.$ref`]: '#/definitions/spec',
      [`${schema}.definitions`]: { spec: { type: 'object', uniqueItems: true } },
    },
    [
      'spec.validation.openAPIV3Schema.definitions: Forbidden: definitions is not supported',
      'spec.validation.openAPIV3Schema.properties[spec].$ref: Forbidden: $ref is not supported',
      'spec.validation.openAPIV3Schema.definitions[spec].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ],
  ],
  [
    {
      [`${schema}.properties.spec.patternProperties`]: { a: { type: 'string' } },
      [`${schema}.properties.spec.dependencies`]: { a: ['b'] },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].patternProperties: Forbidden: patternProperties is not supported',
      'spec.validation.openAPIV3Schema.properties[spec].dependencies: Forbidden: dependencies is not supported',
    ],
  ],
  [
    { [`${properties}.tags.additionalItems`]: false, [`${properties}.tags.uniqueItems`]: true },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[tags].additionalItems: Forbidden: additionalItems is not supported',
      'spec.validation.openAPIV3Schema.properties[spec].properties[tags].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ],
  ],
  [
    { [`${schema}.properties.spec.x-kubernetes-preserve-unknown-fields`]: false },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined',
    ],
  ],
  [
    { [`${version}.subresources`]: { status: {} }, [`${schema}.oneOf`]: [{ required: ['spec'] }] },
    [
      'spec.validation.openAPIV3Schema: Invalid value: only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled',
    ],
  ],
  [
    { [`${version}.subresources`]: { status: {} }, [`${schema}.type`]: 'array' },
    [
      'spec.validation.openAPIV3Schema.type: Invalid value: "array": only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
      'spec.validation.openAPIV3Schema.items: Required value: must be specified',
      'spec.validation.openAPIV3Schema.type: Invalid value: "array": must be object at the root',
    ],
  ],
  [
    { [`${properties}.tags.x-kubernetes-list-type`]: 'bag' },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[tags].x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"',
    ],
  ],
  [
    {
      [`${schema}.properties.spec.x-kubernetes-list-type`]: 'set',
      [`${properties}.tags.x-kubernetes-map-type`]: 'loose',
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[tags].type: Invalid value: "array": must be object if x-kubernetes-map-type is specified',
      'spec.validation.openAPIV3Schema.properties[spec].properties[tags].x-kubernetes-map-type: Unsupported value: "loose": supported values: "atomic", "granular"',
      'spec.validation.openAPIV3Schema.properties[spec].type: Invalid value: "object": must be array if x-kubernetes-list-type is specified',
    ],
  ],
  [
    { [`${properties}.tags.items`]: { type: 'object', properties: { a: { type: 'string' } } } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[tags].items.x-kubernetes-map-type: Invalid value: "null": must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  ],
  [
    {
      [`${properties}.tags.items`]: {
        type: 'array',
        items: { type: 'string' },
        'x-kubernetes-list-type': 'set',
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[tags].items.x-kubernetes-list-type: Invalid value: "set": must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  ],
  [
    { [`${properties}.tags.items`]: { type: 'string', nullable: true } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[tags].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set',
    ],
  ],
  [
    { [`${properties}.tags.x-kubernetes-list-map-keys`]: ['a'] },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[tags].x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty',
    ],
  ],
  [
    { [`${properties}.ports.x-kubernetes-list-map-keys`]: [] },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[ports].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map',
    ],
  ],
  [
    { [`${properties}.ports.x-kubernetes-list-map-keys`]: ['port', 'port', 'nowhere'] },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[ports].x-kubernetes-list-map-keys: Invalid value: []string{"port", "port", "nowhere"}: must not contain duplicate entries',
      'spec.validation.openAPIV3Schema.properties[spec].properties[ports].x-kubernetes-list-map-keys: Invalid value: []string{"port", "port", "nowhere"}: entries must all be names of item properties',
    ],
  ],
  [
    { [`${properties}.ports.x-kubernetes-list-type`]: undefined },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[ports].x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty',
    ],
  ],
  [
    { [`${properties}.ports.items`]: { type: 'string' } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[ports].items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map',
    ],
  ],
  [
    { [`${properties}.ports.items.properties.port`]: { type: 'array', items: { type: 'string' } } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[ports].items.properties[port].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
    ],
  ],
  [
    {
      [`${properties}.ports.items.required`]: [],
      [`${properties}.ports.items.properties.port.nullable`]: true,
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[ports].items.properties[port].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      'spec.validation.openAPIV3Schema.properties[spec].properties[ports].items.properties[port].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
    ],
  ],
]

runTable(t, table)
