/** What the versions of a definition must be, each and together. */

import t from 'tap'
import { properties, type Row, runTable, version } from './widgets.ts'

const table: readonly Row[] = [
  [
    { 'spec.versions': [] },
    [
      'spec.versions: Invalid value: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: []string(nil): must have at least one stored version',
    ],
  ],
  [
    { [`${version}.name`]: 'V1' },
    [
      "spec.versions[0].name: Invalid value: \"V1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.version: Invalid value: \"V1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { [`${version}.storage`]: false },
    [
      'spec.versions: Invalid value: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: []string(nil): must have at least one stored version',
    ],
  ],
  [
    {
      'spec.versions.1': {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object' } },
      },
    },
    [
      'spec.versions: Invalid value: must contain unique version names',
      'spec.versions: Invalid value: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: []string{"v1"}: must have the storage version v1',
    ],
  ],
  [
    { 'spec.versions.1': { name: 'v2', served: false, storage: false } },
    ['spec.versions[1].schema.openAPIV3Schema: Required value: schemas are required'],
  ],
  [
    { [`${version}.schema`]: undefined },
    ['spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required'],
  ],
  [
    { [`${version}.deprecationWarning`]: 'old' },
    ['spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions'],
  ],
  [
    { [`${version}.deprecated`]: true, [`${version}.deprecationWarning`]: '' },
    ['spec.versions[0].deprecationWarning: Invalid value: "": must not be an empty string'],
  ],
  [
    { [`${version}.deprecated`]: true, [`${version}.deprecationWarning`]: 'é​' },
    [
      'spec.versions[0].deprecationWarning: Invalid value: "é\\u200b": must only contain printable UTF-8 characters; non-printable character found at index 2',
    ],
  ],
  [
    {
      [`${version}.deprecated`]: true,
      [`${version}.deprecationWarning`]:
        'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    },
    [
      'spec.versions[0].deprecationWarning: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be <= 256 characters long',
    ],
  ],
  [
    { 'spec.preserveUnknownFields': true },
    [
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
  ],
  [
    {
      'spec.preserveUnknownFields': true,
      [`${properties}.size.default`]: 1,
      'spec.conversion': {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://a.b/c' } },
      },
    },
    [
      'spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema',
      'spec.conversion.strategy: Invalid value: "Webhook": must be None if spec.preserveUnknownFields is true',
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
  ],
]

runTable(t, table)
