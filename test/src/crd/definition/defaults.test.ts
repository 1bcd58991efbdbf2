/** Defaults must be what their own places accept. */

import t from 'tap'
import { properties, type Row, runTable, schema } from './widgets.ts'

const table: readonly Row[] = [
  [
    { [`${properties}.size.default`]: 'two' },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[size].default: Invalid value: "string":  in body must be of type integer: "string"',
    ],
  ],
  [
    { [`${properties}.size.default`]: -1 },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[size].default: Invalid value: -1:  in body should be greater than or equal to 0',
    ],
  ],
  [{ [`${properties}.size.default`]: null }, []],
  [
    { [`${schema}.properties.spec.default`]: { size: 1, shape: 'round' } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: map[string]interface {}{"shape":"round", "size":1}: must not have unknown fields',
    ],
  ],
  [
    { [`${schema}.properties.spec.default`]: { ports: [{ port: 1 }, {}], tags: [1] } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].default.ports[1].port: Required value',
      'spec.validation.openAPIV3Schema.properties[spec].default.tags[0]: Invalid value: "integer": tags[0] in body must be of type string: "integer"',
    ],
  ],
  [{ [`${schema}.properties.spec.default`]: {} }, []],
  [{ [`${properties}.ports.items.properties.port.default`]: 80 }, []],
  [
    { [`${schema}.default`]: { spec: {} } },
    [
      'spec.validation.openAPIV3Schema.default.apiVersion: Required value: must not be empty',
      'spec.validation.openAPIV3Schema.default.kind: Required value: must not be empty',
    ],
  ],
  [
    { [`${schema}.properties.kind`]: { type: 'string', default: 'Widget' } },
    [
      'spec.validation.openAPIV3Schema.properties[kind].default: Forbidden: must not be set in top-level kind',
    ],
  ],
  [
    {
      [`${properties}.inner`]: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
        default: { kind: 'A b', apiVersion: 'a/b/c' },
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[inner].default.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      "spec.validation.openAPIV3Schema.properties[spec].properties[inner].default.kind: Invalid value: \"A b\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    {
      [`${properties}.inner`]: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
        default: { metadata: 1, apiVersion: 'v1', kind: 'A' },
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[inner].default.metadata: Invalid value: 1: json: cannot unmarshal number into Go value of type v1.ObjectMeta',
    ],
  ],
  [
    {
      [`${properties}.inner`]: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        properties: {
          kind: { type: 'string', default: 'No kind' },
          apiVersion: { type: 'string', default: 'v1' },
        },
      },
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].properties[inner].properties[kind].default: Invalid value: \"No kind\": must result in valid metadata: kind: Invalid value: \"No kind\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
]

runTable(t, table)
