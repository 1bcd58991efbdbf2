/** Schemas that are not structural, and what they may say of metadata. */

import t from 'tap'
import { properties, type Row, runTable, schema } from './widgets.ts'

const table: readonly Row[] = [
  [
    { [`${schema}.type`]: undefined },
    ['spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root'],
  ],
  [
    { [`${schema}.type`]: 'array' },
    [
      'spec.validation.openAPIV3Schema.items: Required value: must be specified',
      'spec.validation.openAPIV3Schema.type: Invalid value: "array": must be object at the root',
    ],
  ],
  [
    { [`${schema}.type`]: 'null' },
    [
      'spec.validation.openAPIV3Schema.type: Invalid value: "null": must be object at the root',
      'spec.validation.openAPIV3Schema.type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
      'spec.validation.openAPIV3Schema.type: Forbidden: type cannot be set to null, use nullable as an alternative',
    ],
  ],
  [
    { [`${schema}.properties.spec.type`]: undefined },
    [
      'spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields',
    ],
  ],
  [
    { [`${properties}.tags.items`]: {} },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[tags].items.type: Required value: must not be empty for specified array items',
    ],
  ],
  [
    { [`${properties}.tags.items`]: undefined },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[tags].items: Required value: must be specified',
    ],
  ],
  [
    { [`${properties}.tags.items`]: [{ type: 'string' }] },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[tags].items: Forbidden: items must be a schema object and not an array',
    ],
  ],
  [
    { [`${schema}.nullable`]: true },
    ['spec.validation.openAPIV3Schema.nullable: Forbidden: nullable cannot be true at the root'],
  ],
  [
    { [`${schema}.additionalProperties`]: true, [`${schema}.properties`]: undefined },
    ['spec.validation.openAPIV3Schema.additionalProperties: Forbidden: must not be used at the root'],
  ],
  [
    { [`${schema}.properties.spec.additionalProperties`]: { type: 'string' } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ],
  ],
  [
    {
      [`${schema}.properties.metadata`]: {
        type: 'object',
        properties: { name: { type: 'string' }, labels: { type: 'object' } },
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
  ],
  [
    {
      [`${schema}.properties.metadata`]: {
        type: 'object',
        properties: { name: { type: 'string', maxLength: 5 } },
      },
    },
    [],
  ],
  [
    { [`${schema}.properties.metadata`]: { type: 'string' } },
    ['spec.validation.openAPIV3Schema.properties[metadata].type: Invalid value: "string": must be object'],
  ],
  [
    { [`${schema}.properties.kind`]: { type: 'integer' } },
    ['spec.validation.openAPIV3Schema.properties[kind].type: Invalid value: "integer": must be string'],
  ],
  [
    {
      [`${schema}.properties.spec.allOf`]: [
        {
          type: 'object',
          title: 't',
          description: 'd',
          nullable: true,
          default: {},
          additionalProperties: true,
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].allOf[0].additionalProperties: Forbidden: must be undefined to be structural',
      'spec.validation.openAPIV3Schema.properties[spec].allOf[0].default: Forbidden: must be undefined to be structural',
      'spec.validation.openAPIV3Schema.properties[spec].allOf[0].description: Forbidden: must be empty to be structural',
      'spec.validation.openAPIV3Schema.properties[spec].allOf[0].nullable: Forbidden: must be false to be structural',
      'spec.validation.openAPIV3Schema.properties[spec].allOf[0].title: Forbidden: must be empty to be structural',
      'spec.validation.openAPIV3Schema.properties[spec].allOf[0].type: Forbidden: must be empty to be structural',
    ],
  ],
  [
    {
      [`${schema}.properties.spec.oneOf`]: [
        {
          'x-kubernetes-preserve-unknown-fields': true,
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-int-or-string': true,
          'x-kubernetes-list-type': 'set',
          'x-kubernetes-map-type': 'atomic',
          'x-kubernetes-list-map-keys': ['a'],
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].oneOf[0].x-kubernetes-embedded-resource: Forbidden: must be false to be structural',
      'spec.validation.openAPIV3Schema.properties[spec].oneOf[0].x-kubernetes-int-or-string: Forbidden: must be false to be structural',
      'spec.validation.openAPIV3Schema.properties[spec].oneOf[0].x-kubernetes-list-map-keys: Forbidden: must be empty to be structural',
      'spec.validation.openAPIV3Schema.properties[spec].oneOf[0].x-kubernetes-list-type: Forbidden: must be undefined to be structural',
      'spec.validation.openAPIV3Schema.properties[spec].oneOf[0].x-kubernetes-map-type: Forbidden: must be undefined to be structural',
      'spec.validation.openAPIV3Schema.properties[spec].oneOf[0].x-kubernetes-preserve-unknown-fields: Forbidden: must be false to be structural',
      'spec.validation.openAPIV3Schema.properties[spec].oneOf[0].type: Required value: must be object if x-kubernetes-map-type is specified',
      'spec.validation.openAPIV3Schema.properties[spec].oneOf[0].type: Required value: must be array if x-kubernetes-list-type is specified',
      'spec.validation.openAPIV3Schema.properties[spec].oneOf[0].x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty',
    ],
  ],
  [
    { [`${schema}.properties.spec.not`]: { properties: { metadata: { required: ['a'] } } } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].not.properties[metadata]: Forbidden: must not be specified in a nested context',
    ],
  ],
  [
    {
      [`${schema}.anyOf`]: [
        { properties: { spec: { properties: { nowhere: { minLength: 1 } } } } },
        { properties: { more: { items: { minimum: 1 } } } },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[more]: Required value: because it is defined in spec.validation.openAPIV3Schema.anyOf[1].properties[more]',
      'spec.validation.openAPIV3Schema.properties[spec].properties[nowhere]: Required value: because it is defined in spec.validation.openAPIV3Schema.anyOf[0].properties[spec].properties[nowhere]',
    ],
  ],
  [
    { [`${properties}.port.anyOf`]: [{ type: 'string' }, { type: 'integer' }] },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[port].anyOf[0].type: Forbidden: must be empty to be structural',
      'spec.validation.openAPIV3Schema.properties[spec].properties[port].anyOf[1].type: Forbidden: must be empty to be structural',
    ],
  ],
  [
    {
      [`${properties}.port.anyOf`]: undefined,
      [`${properties}.port.allOf`]: [
        { anyOf: [{ type: 'integer' }, { type: 'string' }] },
        { anyOf: [{ type: 'integer' }, { type: 'string' }] },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[port].allOf[1].anyOf[0].type: Forbidden: must be empty to be structural',
      'spec.validation.openAPIV3Schema.properties[spec].properties[port].allOf[1].anyOf[1].type: Forbidden: must be empty to be structural',
    ],
  ],
  [
    {
      [`${properties}.port.x-kubernetes-preserve-unknown-fields`]: true,
      [`${properties}.port.x-kubernetes-embedded-resource`]: true,
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[port].type: Required value: must be object if x-kubernetes-embedded-resource is true',
      'spec.validation.openAPIV3Schema.properties[spec].properties[port].x-kubernetes-embedded-resource: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
      'spec.validation.openAPIV3Schema.properties[spec].properties[port].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
    ],
  ],
  [
    { [`${properties}.name.pattern`]: '([a-z' },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[name].pattern: Invalid value: "([a-z": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ]: `[a-z`',
    ],
  ],
  [
    { [`${properties}.inner`]: { type: 'object', 'x-kubernetes-embedded-resource': true } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[inner].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
    ],
  ],
  [
    {
      [`${properties}.inner`]: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
        additionalProperties: true,
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[inner].additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set',
    ],
  ],
  [
    {
      [`${properties}.inner`]: {
        'x-kubernetes-embedded-resource': true,
        properties: { kind: { type: 'object' }, metadata: { type: 'array', items: { type: 'string' } } },
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[inner].properties[kind].type: Invalid value: "object": must be string',
      'spec.validation.openAPIV3Schema.properties[spec].properties[inner].properties[metadata].type: Invalid value: "array": must be object',
      'spec.validation.openAPIV3Schema.properties[spec].properties[inner].type: Required value: must be object if x-kubernetes-embedded-resource is true',
    ],
  ],
]

runTable(t, table)
