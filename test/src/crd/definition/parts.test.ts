/** Columns, scale and conversion of a definition. */

import t from 'tap'
import { type Row, runTable, version } from './widgets.ts'

const table: readonly Row[] = [
  [
    { [`${version}.additionalPrinterColumns`]: [{ name: '', type: '', jsonPath: '' }] },
    [
      'spec.additionalPrinterColumns[0].name: Required value',
      'spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[0].JSONPath: Required value',
    ],
  ],
  [
    {
      [`${version}.additionalPrinterColumns`]: [
        { name: 'A', type: 'text', format: 'int8', jsonPath: 'spec.a' },
        { name: 'B', type: 'date', format: 'date-time', jsonPath: '.metadata.creationTimestamp' },
      ],
    },
    [
      'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[0].format: Invalid value: "int8": must be one of byte,date,date-time,double,float,int32,int64,password',
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec.a": must be a simple json path starting with .',
    ],
  ],
  [
    { [`${version}.subresources`]: { scale: {} } },
    [
      'spec.subresources.scale.specReplicasPath: Required value',
      'spec.subresources.scale.statusReplicasPath: Required value',
    ],
  ],
  [
    {
      [`${version}.subresources`]: {
        scale: {
          specReplicasPath: '.status.size',
          statusReplicasPath: 'status',
          labelSelectorPath: '.selector',
        },
      },
    },
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".status.size": should be a json path under .spec',
      'spec.subresources.scale.statusReplicasPath: Invalid value: "status": must be a simple json path starting with .',
      'spec.subresources.scale.labelSelectorPath: Invalid value: ".selector": should be a json path under either .spec or .status',
    ],
  ],
  [
    {
      'spec.versions.1': {
        name: 'v2',
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: 'object' } },
        subresources: { scale: { specReplicasPath: 'x', statusReplicasPath: '.status.size' } },
      },
    },
    [
      'spec.versions[1].subresources.scale.specReplicasPath: Invalid value: "x": must be a simple json path starting with .',
    ],
  ],
  [
    { 'spec.conversion': { strategy: 'Magic' } },
    ['spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"'],
  ],
  [
    {
      'spec.conversion': {
        strategy: 'None',
        webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://a.b/c' } },
      },
    },
    [
      'spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook',
      'spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook',
    ],
  ],
  [
    { 'spec.conversion': { strategy: 'Webhook' } },
    [
      'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
      'spec.conversion.conversionReviewVersions: Required value',
    ],
  ],
  [
    {
      'spec.conversion': {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v2', 'v2', 'V3'], clientConfig: {} },
      },
    },
    [
      'spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required',
      'spec.conversion.conversionReviewVersions[1]: Invalid value: "v2": duplicate version',
      "spec.conversion.conversionReviewVersions[2]: Invalid value: \"V3\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      'spec.conversion.conversionReviewVersions: Invalid value: []string{"v2", "v2", "V3"}: must include at least one of v1, v1beta1',
    ],
  ],
  [
    {
      'spec.conversion': {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { url: 'http://me:secret@host/path?a=b#c' },
        },
      },
    },
    [
      'spec.conversion.webhookClientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
      'spec.conversion.webhookClientConfig.url: Invalid value: "me:secret": user information is not permitted in the URL',
      'spec.conversion.webhookClientConfig.url: Invalid value: "c": fragments are not permitted in the URL',
      'spec.conversion.webhookClientConfig.url: Invalid value: "a=b": query parameters are not permitted in the URL',
    ],
  ],
  [
    {
      'spec.conversion': {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1beta1'], clientConfig: { url: 'https://host:port/' } },
      },
    },
    [
      'spec.conversion.webhookClientConfig.url: Required value: url must be a valid URL: parse "https://host:port/": invalid port ":port" after host; desired format: https://host[/path]',
    ],
  ],
  [
    {
      'spec.conversion': {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { service: { namespace: 'a', name: 'b', port: 70000, path: '/a//B/' } },
        },
      },
    },
    [
      'spec.conversion.webhookClientConfig.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive',
      'spec.conversion.webhookClientConfig.service.path: Invalid value: "/a//B/": segment[1] may not be empty',
      "spec.conversion.webhookClientConfig.service.path: Invalid value: \"/a//B/\": segment[2]: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
]

runTable(t, table)
