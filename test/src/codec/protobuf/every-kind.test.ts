/** Every built-in kind with every field filled, against an independent implementation of the wire format. */

import t from 'tap'
import { decodeProtobuf } from '../../../../src/codec/protobuf/decode.ts'
import { describeFailure } from '../../../../src/codec/protobuf/failure.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/json.ts'
import type { MessageType } from '../../../../src/schema/descriptor.ts'
import { normalizeMessage } from '../../../../src/schema/normalize.ts'
import { createRandom } from '../../../support/random.ts'
import { filled } from '../../types/filled.ts'
import { allGates, everything, types } from '../../types/types.ts'
import { encodeMessage } from './encode-message.ts'
import { decodeWith, fromJson, loadSources, toJson, typeOf } from './reflection.ts'

const seed = 20_240_502
t.comment(`seed ${seed}`)

const registry = types(everything, allGates)
const sources = loadSources()

const others = [
  'meta/v1.Status',
  'meta/v1.DeleteOptions',
  'meta/v1.PartialObjectMetadata',
  'meta/v1.ListMeta',
  'meta/v1.APIResourceList',
  'meta/v1.APIGroupList',
]
const messages: readonly MessageType[] = [
  ...new Set([
    ...registry.resources.flatMap((type) => [
      type.message,
      ...[...type.subresources.values()].map(({ message }) => message),
    ]),
    ...others.map((id) => registry.message(id)),
  ]),
]

/** apiVersion and kind are not on the wire, wherever they stand: every `v1` is one that the generator put there. */
function onWire(object: JsonObject): JsonObject {
  const json: JsonObject = JSON.parse(
    JSON.stringify(object, (_name, member: JsonValue) => {
      if (!isJsonObject(member) || member['apiVersion'] !== 'v1') return member
      const { kind: _kind, apiVersion: _apiVersion, ...rest } = member
      return rest
    }),
  )
  return json
}

function decode(message: MessageType, bytes: Buffer): JsonObject {
  const decoded = decodeProtobuf(message, bytes)
  if (!decoded.ok) throw new Error(describeFailure(decoded.failure))
  return decoded.value
}

for (const message of messages) {
  t.test(message.id, (t) => {
    const random = createRandom(seed)
    const type = typeOf(sources, message.id)
    for (const object of [filled(message, random), normalizeMessage(message, {})]) {
      const json = onWire(object)
      const bytes = encodeMessage(message, object)
      t.strictSame(
        normalizeMessage(message, toJson(type, decodeWith(type, bytes))),
        normalizeMessage(message, json),
        'the other one reads what is written',
      )
      t.strictSame(
        normalizeMessage(message, decode(message, bytes)),
        normalizeMessage(message, json),
        'what is written is read',
      )

      const theirs = Buffer.from(type.encode(type.fromObject(fromJson(type, json))).finish())
      t.strictSame(
        normalizeMessage(message, decode(message, theirs)),
        normalizeMessage(message, json),
        'what the other one writes is read',
      )
    }
    t.end()
  })
}

t.ok(messages.length > 60, 'there are built-in kinds')
