/** What a definition and its resource may be called, and who may define what in which group. */

import t from 'tap'
import { type Row, runTable } from './widgets.ts'

const table: readonly Row[] = [
  [
    { 'metadata.name': 'gadgets.example.com' },
    ['metadata.name: Invalid value: "gadgets.example.com": must be spec.names.plural+"."+spec.group'],
  ],
  [
    { 'metadata.name': undefined, 'metadata.generateName': 'widgets-' },
    [
      'metadata.generateName: Invalid value: "widgets-": must be spec.names.plural+"."+spec.group',
      'metadata.name: Required value: name or generateName is required',
    ],
  ],
  [
    { 'spec.group': 'Example.com' },
    [
      'metadata.name: Invalid value: "widgets.example.com": must be spec.names.plural+"."+spec.group',
      "spec.group: Invalid value: \"Example.com\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    { 'spec.group': 'example', 'metadata.name': 'widgets.example' },
    ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
  ],
  [
    { 'spec.group': undefined },
    [
      'metadata.name: Invalid value: "widgets.example.com": must be spec.names.plural+"."+spec.group',
      'spec.group: Required value',
    ],
  ],
  [
    { 'spec.scope': 'Global' },
    ['spec.scope: Unsupported value: "Global": supported values: "Cluster", "Namespaced"'],
  ],
  [{ 'spec.scope': '' }, ['spec.scope: Required value']],
  [
    { 'spec.names.plural': 'Widgets' },
    [
      'metadata.name: Invalid value: "widgets.example.com": must be spec.names.plural+"."+spec.group',
      "spec.names.plural: Invalid value: \"Widgets\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { 'spec.names.singular': 'wid get' },
    [
      "spec.names.singular: Invalid value: \"wid get\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { 'spec.names.kind': 'Wid_get', 'spec.names.listKind': '9List' },
    [
      "spec.names.singular: Invalid value: \"wid_get\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.names.kind: Invalid value: \"Wid_get\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.names.listKind: Invalid value: \"9List\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { 'spec.names.kind': undefined },
    [
      'spec.names.singular: Required value',
      'spec.names.kind: Required value',
      'spec.names.listKind: Required value',
    ],
  ],
  [
    { 'spec.names.listKind': 'Widget' },
    ['spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same'],
  ],
  [
    { 'spec.names.shortNames': ['wd', 'W'], 'spec.names.categories': ['all', 'of it'] },
    [
      "spec.names.shortNames[1]: Invalid value: \"W\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.names.categories[1]: Invalid value: \"of it\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { 'spec.group': 'x.kubernetes.io', 'metadata.name': 'widgets.x.kubernetes.io' },
    [
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  ],
  [
    {
      'spec.group': 'k8s.io',
      'metadata.name': 'widgets.k8s.io',
      'metadata.annotations': { 'api-approved.kubernetes.io': 'soon' },
    },
    [
      'metadata.annotations[api-approved.kubernetes.io]: Invalid value: "soon": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  ],
  [
    {
      'spec.group': 'a.k8s.io',
      'metadata.name': 'widgets.a.k8s.io',
      'metadata.annotations': { 'api-approved.kubernetes.io': 'unapproved, a test' },
    },
    [],
  ],
  [
    {
      'spec.group': 'a.k8s.io',
      'metadata.name': 'widgets.a.k8s.io',
      'metadata.annotations': { 'api-approved.kubernetes.io': 'https://example.com/pull/1' },
    },
    [],
  ],
  [{ 'spec.group': 'ak8s.io', 'metadata.name': 'widgets.ak8s.io' }, []],
]

runTable(t, table)
