/** Source: specification, "Headers and content types"; RFC 9110, section 12.5.1. */

import t from 'tap'
import { createNegotiator, type Offer } from '../../../src/codec/accept.ts'
import { createNames } from '../../../src/names/names.ts'

const names = createNames('kubernetes')
const everything: Offer = { transforms: new Set(['none', 'table', 'partial']), yaml: true, protobuf: true }
const plainOnly: Offer = { transforms: new Set(['none']), yaml: false }
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'

t.test('the first clause that can be given, by quality', (t) => {
  const negotiate = createNegotiator(names, everything)
  for (const [accept, expected] of [
    [undefined, 'json none'],
    ['*/*', 'json none'],
    ['application/*', 'json none'],
    ['application/yaml', 'yaml none'],
    ['application/json;q=0.5, application/yaml', 'yaml none'],
    ['application/yaml;q=0, application/json', 'json none'],
    ['application/vnd.kubernetes.protobuf, application/json', 'protobuf none'],
    ['application/json, application/vnd.kubernetes.protobuf', 'json none'],
    ['application/vnd.kubernetes.protobuf;stream=watch', 'protobuf none'],
    ['application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io, application/json', 'json none'],
    ['application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', 'protobuf partial'],
    ['application/vnd.cluster.protobuf', 'nothing'],
    [`${table},application/json`, 'json table'],
    [`${table.replace('v1', 'v2')},application/json`, 'json none'],
    ['application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io', 'json partial'],
    ['application/json;as=PartialObjectMetadata;v=v1;g=meta.cluster.io', 'nothing'],
    ['APPLICATION/JSON', 'json none'],
    ['text/html', 'nothing'],
    ['application/json;stream=watch', 'json none'],
    ['application/json;stream=other', 'nothing'],
  ] as const) {
    const found = negotiate(accept)
    t.equal(
      found === undefined ? 'nothing' : `${found.encoding} ${found.transform}`,
      expected,
      accept ?? 'absent',
    )
  }
  t.end()
})

t.test('only what the endpoint offers', (t) => {
  const negotiate = createNegotiator(names, plainOnly)
  t.equal(negotiate('application/yaml'), undefined)
  t.equal(negotiate('application/vnd.kubernetes.protobuf'), undefined)
  t.equal(negotiate(table), undefined)
  t.equal(negotiate(`${table},application/json`)?.transform, 'none')
  t.end()
})

t.test('remembers a bounded number of headers', (t) => {
  const negotiate = createNegotiator(names, everything)
  for (let i = 0; i < 2000; i++) negotiate(`application/json;x=${i}`)
  t.equal(negotiate('application/yaml')?.encoding, 'yaml')
  t.end()
})
