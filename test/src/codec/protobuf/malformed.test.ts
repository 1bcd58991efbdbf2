/** What clients may send: bytes that are no message, or strange ones. Nothing throws, nothing is read beyond the end. */

import t from 'tap'
import { protobufBody } from '../../../../src/codec/protobuf/body.ts'
import { decodeProtobuf } from '../../../../src/codec/protobuf/decode.ts'
import { encodeDocument } from '../../../../src/codec/protobuf/documents.ts'
import { objectWriter } from '../../../../src/codec/protobuf/encode.ts'
import { openEnvelope } from '../../../../src/codec/protobuf/envelope.ts'
import type { JsonObject } from '../../../../src/json.ts'
import { createRandom } from '../../../support/random.ts'
import { filled } from '../../types/filled.ts'
import { allGates, codec, everything, types } from '../../types/types.ts'
import { encodeMessage } from './encode-message.ts'

const registry = types(everything, allGates)
const configMap = registry.message('core/v1.ConfigMap')
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

interface Row {
  readonly what: string
  readonly message: string
  readonly wire: string
  readonly offset: number
  readonly path: string
  readonly says: RegExp
}

const refused: readonly Row[] = [
  {
    what: 'a length beyond the end',
    message: 'core/v1.ConfigMap',
    wire: '0a 05 0a 01 61',
    offset: 2,
    path: 'metadata',
    says: /5 bytes are announced, 3 are left/,
  },
  {
    what: 'a length beyond its own message, though not beyond the body',
    message: 'core/v1.ConfigMap',
    wire: '0a 02 0a 05 61 61 61 61 61',
    offset: 4,
    path: 'metadata.name',
    says: /5 bytes are announced, 0 are left/,
  },
  {
    what: 'a length of more than 32 bits',
    message: 'core/v1.ConfigMap',
    wire: '0a ff ff ff ff ff 01',
    offset: 1,
    path: 'metadata',
    says: /too large/,
  },
  {
    what: 'a number that does not end',
    message: 'core/v1.ConfigMap',
    wire: '20 ff ff',
    offset: 3,
    path: 'immutable',
    says: /ends inside a number/,
  },
  {
    what: 'a number of eleven bytes',
    message: 'core/v1.ConfigMap',
    wire: '20 ff ff ff ff ff ff ff ff ff ff 01',
    offset: 1,
    path: 'immutable',
    says: /more than ten bytes/,
  },
  {
    what: 'another wire type',
    message: 'core/v1.ConfigMap',
    wire: '22 01 00',
    offset: 1,
    path: 'immutable',
    says: /wire type is 2, expected 0/,
  },
  {
    what: 'field number 0',
    message: 'core/v1.ConfigMap',
    wire: '02 00',
    offset: 0,
    path: '',
    says: /0 is no field number/,
  },
  {
    what: 'a wire type that there is not',
    message: 'core/v1.ConfigMap',
    wire: '7e 00',
    offset: 1,
    path: '',
    says: /6 is no wire type/,
  },
  {
    what: 'a text that is not UTF-8, in a map',
    message: 'core/v1.ConfigMap',
    wire: '12 06 0a 01 6b 12 01 ff',
    offset: 7,
    path: 'data[k]',
    says: /not valid UTF-8/,
  },
  {
    what: 'no quantity',
    message: 'core/v1.ResourceRequirements',
    wire: '0a 0a 0a 03 63 70 75 12 03 0a 01 78',
    offset: 10,
    path: 'limits[cpu]',
    says: /not a quantity/,
  },
  {
    what: 'a time that no calendar has',
    message: 'core/v1.ConfigMap',
    wire: '0a 0c 42 0a 08 ff ff ff ff ff ff ff ff 7f',
    offset: 3,
    path: 'metadata.creationTimestamp',
    says: /out of range/,
  },
  {
    what: 'no JSON where JSON should be',
    message: 'apps/v1.ControllerRevision',
    wire: '12 04 0a 02 7b 61',
    offset: 3,
    path: 'data',
    says: /not a JSON text/,
  },
  {
    what: 'a place in a list',
    message: 'core/v1.Pod',
    wire: '12 07 12 00 12 03 0a 02 61',
    offset: 8,
    path: 'spec.containers[1].name',
    says: /2 bytes are announced, 1 are left/,
  },
  {
    what: 'a group that does not end',
    message: 'core/v1.ConfigMap',
    wire: '7b 7b 08 01',
    offset: 4,
    path: '',
    says: /ends inside a group/,
  },
  {
    what: 'a group that did not begin',
    message: 'core/v1.ConfigMap',
    wire: '7c',
    offset: 1,
    path: '',
    says: /did not begin/,
  },
]

for (const { what, message, wire, offset, path, says } of refused) {
  t.test(`${what} is refused`, (t) => {
    const decoded = decodeProtobuf(registry.message(message), hex(wire))
    if (decoded.ok) throw new Error(JSON.stringify(decoded.value))
    t.equal(decoded.failure.offset, offset, 'offset')
    t.equal(decoded.failure.path, path, 'path')
    t.match(decoded.failure.message, says)
    t.end()
  })
}

const taken = [
  {
    what: 'unknown fields of every wire type are skipped',
    message: 'core/v1.ConfigMap',
    wire: '78 ff 01  79 0102030405060708  7a 02 ffff  7d 01020304  7b 08 01 7b 7c 7c  20 01',
    json: { immutable: true },
  },
  {
    what: 'numbers in one piece',
    message: 'core/v1.PodSecurityContext',
    wire: '22 03 01 ac 02 20 05',
    json: { supplementalGroups: [1, 300, 5] },
  },
  {
    what: 'a message in two parts; the last value of a field counts',
    message: 'core/v1.ConfigMap',
    wire: '0a 06 0a 01 61 1a 01 6e  0a 03 0a 01 62  20 01 20 00',
    json: { metadata: { name: 'b', namespace: 'n' }, immutable: false },
  },
  {
    what: 'a zero takes back what came before',
    message: 'core/v1.ConfigMap',
    wire: '0a 05 0a 01 61 0a 00',
    json: { metadata: {} },
  },
  {
    what: 'a map entry without a key, or without a value',
    message: 'core/v1.ConfigMap',
    wire: '12 03 12 01 76  12 03 0a 01 6b',
    json: { data: { '': 'v', k: '' } },
  },
  { what: 'nothing', message: 'core/v1.ConfigMap', wire: '', json: {} },
]

for (const { what, message, wire, json } of taken) {
  t.test(`${what}: taken`, (t) => {
    t.strictSame(decodeProtobuf(registry.message(message), hex(wire)), { ok: true, value: json })
    t.end()
  })
}

t.test('a key may be called __proto__', (t) => {
  const object: JsonObject = JSON.parse('{"metadata":{},"data":{"__proto__":"x"}}')
  const decoded = decodeProtobuf(configMap, encodeMessage(configMap, object))
  t.equal(JSON.stringify(decoded), JSON.stringify({ ok: true, value: object }))
  t.equal(decoded.ok && Object.getPrototypeOf(decoded.value['data']), Object.prototype)
  t.end()
})

t.test('messages that nest without end are refused', (t) => {
  const schema = registry.message('apiextensions/v1.JSONSchemaProps')
  const not = schema.jsonFields.get('not')
  if (not === undefined) throw new Error('a schema has no "not"')
  const tag = Buffer.from([((not.number << 3) & 0x7f) | 2 | 0x80, (not.number << 3) >> 7])
  const parts: Buffer[] = []
  for (let depth = 0, length = 0; depth < 20_000; depth++) {
    const size = lengthBytes(length)
    parts.unshift(Buffer.concat([tag, size]))
    length += tag.length + size.length
  }
  const decoded = decodeProtobuf(schema, Buffer.concat(parts))
  t.match(decoded, { ok: false, failure: { message: /nest more than \d+ levels deep/ } })

  const raw = Buffer.from('['.repeat(5000))
  const data = Buffer.concat([Buffer.from([0x0a]), lengthBytes(raw.length), raw])
  const revision = Buffer.concat([Buffer.from([0x12]), lengthBytes(data.length), data])
  t.match(decodeProtobuf(registry.message('apps/v1.ControllerRevision'), revision), {
    ok: false,
    failure: { message: /nests more than \d+ levels deep/, path: 'data' },
  })
  t.end()
})

function lengthBytes(length: number): Buffer {
  const bytes: number[] = []
  let rest = length
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}

const mediaType = 'application/x'

t.test('envelopes', (t) => {
  const rows: readonly (readonly [string, string, RegExp])[] = [
    ['no prefix', '7b 7d', /do not start as a protobuf document does/],
    ['half a prefix', '6b 38', /do not start as a protobuf document does/],
    ['another encoding', '6b387300 1a 04 677a6970', /encoded in a way/],
    ['another content', '6b387300 22 01 79', /the object is "y", expected application\/x/],
    ['a kind that is cut', '6b387300 0a 05 0a 01', /announced/],
  ]
  for (const [what, wire, says] of rows)
    t.match(openEnvelope(hex(wire), mediaType), { ok: false, failure: { message: says } }, what)
  t.strictSame(
    openEnvelope(hex('6b387300'), mediaType),
    { ok: true, value: { apiVersion: '', kind: '', from: 4, to: 4 } },
    'an empty one is an empty object',
  )
  t.end()
})

t.test('bodies', (t) => {
  const expected = { apiVersion: 'v1', kind: 'ConfigMap', message: configMap }
  const body = protobufBody(mediaType, expected)
  const written = (apiVersion: string, kind: string) =>
    encodeDocument({ apiVersion, kind }, objectWriter(configMap), { immutable: true })
  t.match(body.parse(Buffer.alloc(0)), { ok: false, failure: { reason: 'BadRequest' } })
  t.strictSame(body.parse(written('', '')), { ok: true, value: { metadata: {}, immutable: true } })
  t.strictSame(
    body.parse(written('v2', 'ConfigMap')),
    { ok: true, value: { apiVersion: 'v2', kind: 'ConfigMap' } },
    'another kind is not looked into',
  )
  t.match(body.parse(hex('6b387300 12 02 20 ff')), {
    ok: false,
    failure: {
      reason: 'BadRequest',
      message:
        'the body is not a valid protobuf message: immutable: the message ends inside a number (at byte 8)',
    },
  })
  t.end()
})

t.test('bytes cut off and flipped at random', (t) => {
  const seed = 20_240_503
  t.comment(`seed ${seed}`)
  const random = createRandom(seed)
  const objects = codec(allGates)
  const kinds = [
    'core/v1.Pod',
    'core/v1.Secret',
    'apps/v1.StatefulSet',
    'autoscaling/v2.HorizontalPodAutoscaler',
  ]
  const messages = [...kinds, 'apiextensions/v1.CustomResourceDefinition'].map((id) => registry.message(id))
  const documents = messages.map((message) => {
    const typeMeta = { apiVersion: 'v1', kind: message.name }
    return {
      typeMeta,
      message,
      bytes: encodeDocument(typeMeta, objectWriter(message), filled(message, random)),
    }
  })
  let refusals = 0
  const rounds = 1500
  for (let round = 0; round < rounds; round++) {
    const { typeMeta, message, bytes } = random.pick(documents)
    const end = random.below(3) === 0 ? random.below(bytes.length) : bytes.length
    const strange = Buffer.from(bytes.subarray(0, end))
    for (let flips = random.below(4); flips > 0 && strange.length > 0; flips--) {
      const at = random.below(strange.length)
      strange[at] = (strange[at] ?? 0) ^ (1 << random.below(8))
    }
    const parsed = protobufBody(mediaType, { ...typeMeta, message }).parse(strange)
    if (parsed.ok) objects.decode(message, parsed.value)
    else refusals++
  }
  t.ok(refusals > rounds / 4, `${refusals} of ${rounds} refused`)
  t.ok(refusals < rounds, 'some are still messages')
  t.end()
})
