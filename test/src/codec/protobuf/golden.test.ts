/** Byte strings made by hand from the published wire format. */

import t from 'tap'
import { protobufBody } from '../../../../src/codec/protobuf/body.ts'
import { decodeProtobuf } from '../../../../src/codec/protobuf/decode.ts'
import {
  encodeDocument,
  encodeErrorFrame,
  encodeFrame,
  encodeStatus,
} from '../../../../src/codec/protobuf/documents.ts'
import { objectWriter } from '../../../../src/codec/protobuf/encode.ts'
import { listPieces } from '../../../../src/codec/protobuf/list.ts'
import type { JsonObject } from '../../../../src/json.ts'
import { badRequest } from '../../../../src/status/failures.ts'
import { toStatus } from '../../../../src/status/status.ts'
import { types } from '../../types/types.ts'
import { encodeMessage } from './encode-message.ts'

const registry = types()

/** Hexadecimal bytes, blanks for the eye, and text in quotes. */
function bytes(...parts: readonly string[]): Buffer {
  const texts = parts.join(' ').matchAll(/'([^']*)'|([0-9a-f]{2})/g)
  return Buffer.concat(
    [...texts].map(([, text, hex]) =>
      text === undefined ? Buffer.from(hex ?? '', 'hex') : Buffer.from(text),
    ),
  )
}

/** Metadata with a name of one letter: what is no pointer is always there. */
const metadataOf = (letter: string) => `0a 01 '${letter}' 12 00 1a 00 22 00 2a 00 32 00 38 00 42 00`

interface Row {
  readonly what: string
  readonly message: string
  readonly json: JsonObject
  readonly wire: Buffer
}

const rows: readonly Row[] = [
  {
    what: 'maps are entries in the order of their keys; empty texts and numbers are written',
    message: 'core/v1.ConfigMap',
    json: { metadata: { name: 'a' }, data: { b: '2', 10: 'x' } },
    wire: bytes('0a 11', metadataOf('a'), "12 07 0a 02 '10' 12 01 'x'  12 06 0a 01 'b' 12 01 '2'"),
  },
  {
    what: 'a pointer is written where it is set, zero or not',
    message: 'core/v1.ConfigMap',
    json: { metadata: { name: 'a' }, immutable: false },
    wire: bytes('0a 11', metadataOf('a'), '20 00'),
  },
  {
    what: 'bytes, and an empty one in a map',
    message: 'core/v1.Secret',
    json: { metadata: { name: 'a' }, data: { e: '', k: 'AP8=' } },
    wire: bytes('0a 11', metadataOf('a'), "12 05 0a 01 'e' 12 00  12 07 0a 01 'k' 12 02 00 ff  1a 00"),
  },
  {
    what: 'times are seconds and no nanoseconds',
    message: 'meta/v1.Condition',
    json: {
      type: 'T',
      status: 'True',
      lastTransitionTime: '2001-09-09T01:46:40Z',
      reason: 'R',
      message: '',
    },
    wire: bytes("0a 01 'T' 12 04 'True' 18 00 22 08 08 80 94 eb dc 03 10 00 2a 01 'R' 32 00"),
  },
  {
    what: 'a time before 1970 takes ten bytes',
    message: 'meta/v1.ManagedFieldsEntry',
    json: { manager: 'm', time: '1969-12-31T23:59:59Z' },
    wire: bytes("0a 01 'm' 12 00 1a 00 22 0d 08 ff ff ff ff ff ff ff ff ff 01 10 00 32 00 42 00"),
  },
  {
    what: 'owned fields are JSON in a message',
    message: 'meta/v1.ManagedFieldsEntry',
    json: { manager: 'm', fieldsV1: { 'f:a': {} } },
    wire: bytes("0a 01 'm' 12 00 1a 00 32 00 3a 0c 0a 0a '{\"f:a\":{}}' 42 00"),
  },
  {
    what: 'an integer or a string says which it is',
    message: 'core/v1.HTTPGetAction',
    json: { port: 80 },
    wire: bytes('0a 00 12 06 08 00 10 50 1a 00 1a 00 22 00'),
  },
  {
    what: 'a string in its place',
    message: 'core/v1.HTTPGetAction',
    json: { port: 'web' },
    wire: bytes("0a 00 12 09 08 01 10 00 1a 03 'web' 1a 00 22 00"),
  },
  {
    what: 'what is required is no exception: an absent list is not there',
    message: 'core/v1.PodAffinityTerm',
    json: { topologyKey: 'z' },
    wire: bytes("1a 01 'z'"),
  },
  {
    what: 'quantities are texts in messages',
    message: 'core/v1.ResourceRequirements',
    json: { limits: { cpu: '100m' } },
    wire: bytes("0a 0d 0a 03 'cpu' 12 06 0a 04 '100m'"),
  },
  {
    what: 'inline messages nest: a probe and its handler',
    message: 'core/v1.Probe',
    json: { exec: { command: ['a', ''] }, initialDelaySeconds: -1 },
    wire: bytes("0a 07 0a 05 0a 01 'a' 0a 00  10 ff ff ff ff ff ff ff ff ff 01  18 00 20 00 28 00 30 00"),
  },
  {
    what: 'numbers of a list stand one by one',
    message: 'core/v1.PodSecurityContext',
    json: { supplementalGroups: [1, 300, 9007199254740991] },
    wire: bytes('20 01 20 ac 02 20 ff ff ff ff ff ff ff 0f'),
  },
  {
    what: 'a map of lists has a message around each list',
    message: 'authentication/v1.UserInfo',
    json: { extra: { k: ['a', 'b'] } },
    wire: bytes("0a 00 12 00 22 0b 0a 01 'k' 12 06 0a 01 'a' 0a 01 'b'"),
  },
  {
    what: 'a message that is a pointer is not there unless set',
    message: 'apps/v1.StatefulSetUpdateStrategy',
    json: { type: 'OnDelete' },
    wire: bytes("0a 08 'OnDelete'"),
  },
]

for (const { what, message, json, wire } of rows) {
  t.test(`${message}: ${what}`, (t) => {
    const type = registry.message(message)
    t.equal(encodeMessage(type, json).toString('hex'), wire.toString('hex'), 'written')
    const decoded = decodeProtobuf(type, wire)
    t.strictSame(decoded, { ok: true, value: json }, 'read')
    t.end()
  })
}

const kind = { apiVersion: 'v1', kind: 'ConfigMap' }
const configMap = registry.message('core/v1.ConfigMap')
const document = bytes(
  "6b 38 73 00  0a 0f 0a 02 'v1' 12 09 'ConfigMap'  12 13 0a 11",
  metadataOf('a'),
  '1a 00 22 00',
)

t.test('a document: prefix, kind, object', (t) => {
  const written = encodeDocument(kind, objectWriter(configMap), { metadata: { name: 'a' } })
  t.equal(written.toString('hex'), document.toString('hex'))
  const body = protobufBody('application/x', { ...kind, message: configMap })
  t.strictSame(body.parse(document), { ok: true, value: { ...kind, metadata: { name: 'a' } } })
  t.end()
})

t.test('a frame of a watch: length, type, document', (t) => {
  const written = encodeFrame('ADDED', kind, objectWriter(configMap), { metadata: { name: 'a' } })
  const expected = Buffer.concat([bytes("00 00 00 39  0a 05 'ADDED'  12 30 0a 2e"), document])
  t.equal(written.toString('hex'), expected.toString('hex'))
  t.end()
})

t.test('a list: metadata, then items, whatever the pieces', (t) => {
  const expected = Buffer.concat([
    bytes("6b 38 73 00  0a 13 0a 02 'v1' 12 0d 'ConfigMapList'  12 34"),
    bytes("0a 08 0a 00 12 02 '77' 1a 00"),
    bytes('12 13 0a 11', metadataOf('a')),
    bytes('12 13 0a 11', metadataOf('b')),
    bytes('1a 00 22 00'),
  ])
  const write = objectWriter(configMap)
  const form = {
    typeMeta: { apiVersion: 'v1', kind: 'ConfigMapList' },
    metadata: { number: 1, write: objectWriter(registry.message('meta/v1.ListMeta')) },
    items: { number: 2, write },
  }
  for (const keptBytesMax of [0, 1, 1000]) {
    for (const pieceBytes of [1, 1000]) {
      const limits = { keptBytesMax, pieceBytes }
      const reads: string[] = []
      const read = (name: string) => {
        reads.push(name)
        return { metadata: { name } }
      }
      const pieces = [...listPieces(form, { resourceVersion: '77' }, ['a', 'b'], read, limits)]
      t.equal(Buffer.concat(pieces).toString('hex'), expected.toString('hex'), JSON.stringify(limits))
      t.equal(pieces.length, pieceBytes === 1 ? 3 : 1, 'in pieces')
      t.equal(reads.length, { 0: 4, 1: 3, 1000: 2 }[keptBytesMax], 'what is kept is encoded once')
    }
  }
  t.end()
})

t.test('a status, and the frame that ends a watch with it', (t) => {
  const message = registry.message('meta/v1.Status')
  const written = encodeStatus(message, toStatus(badRequest('no')))
  const expected = bytes(
    "6b 38 73 00  0a 0c 0a 02 'v1' 12 06 'Status'  12 24",
    "0a 06 0a 00 12 00 1a 00  12 07 'Failure' 1a 02 'no' 22 0a 'BadRequest' 30 90 03",
    '1a 00 22 00',
  )
  t.equal(written.toString('hex'), expected.toString('hex'))
  const frame = encodeErrorFrame(message, toStatus(badRequest('no')))
  const head = bytes("00 00 00 47  0a 05 'ERROR'  12 3e 0a 3c")
  t.equal(frame.toString('hex'), Buffer.concat([head, expected]).toString('hex'))
  t.end()
})
