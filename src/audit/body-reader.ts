/** Answers that are YAML or protobuf as JSON text, for entries that show them. */

import { decodeProtobuf } from '../codec/protobuf/decode.ts'
import { openEnvelope, type TypeMeta } from '../codec/protobuf/envelope.ts'
import { reading } from '../codec/protobuf/failure.ts'
import { Reader, wire } from '../codec/protobuf/reader.ts'
import { parseYaml } from '../codec/yaml.ts'
import type { JsonObject } from '../json.ts'
import type { Names } from '../names/names.ts'
import type { MessageType } from '../schema/descriptor.ts'
import type { TypeRegistry } from '../types/resource.ts'
import type { BodyReader } from './answer.ts'

const nestingMax = 1000

export function createBodyReader({ protobufMediaType }: Names, types: TypeRegistry): BodyReader {
  return (contentType, body) => {
    if (contentType.startsWith('application/yaml')) {
      const parsed = parseYaml(body.toString('utf8'), nestingMax)
      return parsed.ok ? JSON.stringify(parsed.value) : undefined
    }
    if (!contentType.startsWith(protobufMediaType)) return undefined
    const envelope = openEnvelope(body, protobufMediaType)
    if (!envelope.ok) return undefined
    const { apiVersion, kind, from, to } = envelope.value
    const read = readObject(envelope.value, body.subarray(from, to), types)
    return read === undefined ? undefined : JSON.stringify({ kind, apiVersion, ...read })
  }
}

function readObject(typeMeta: TypeMeta, bytes: Buffer, types: TypeRegistry): JsonObject | undefined {
  if (typeMeta.kind === 'Status') return decoded(types.message('meta/v1.Status'), bytes)
  const message = messageOf(typeMeta, types)
  if (message !== undefined) return decoded(message, bytes)
  const item = messageOf({ ...typeMeta, kind: typeMeta.kind.replace(/List$/, '') }, types)
  return item === undefined ? undefined : readList(item, bytes, types)
}

function decoded(message: MessageType, bytes: Buffer): JsonObject | undefined {
  const read = decodeProtobuf(message, bytes)
  return read.ok ? read.value : undefined
}

function messageOf({ apiVersion, kind }: TypeMeta, types: TypeRegistry): MessageType | undefined {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  const type = types.kind(group, version, kind)
  if (type !== undefined) return type.message
  for (const { subresources } of types.resources)
    for (const { kind: shown, message } of subresources.values())
      if (shown.kind === kind && shown.group === group && shown.version === version) return message
  return undefined
}

/** All lists are alike: metadata, then items. */
const metadataTag = (1 << 3) | wire.bytes
const itemTag = (2 << 3) | wire.bytes

function readList(item: MessageType, bytes: Buffer, types: TypeRegistry): JsonObject | undefined {
  const listMeta = types.message('meta/v1.ListMeta')
  const list = reading(new Reader(bytes), (reader) => {
    let metadata: JsonObject = {}
    const items: JsonObject[] = []
    for (let tag = reader.tag(); tag !== undefined; tag = reader.tag()) {
      if (tag !== metadataTag && tag !== itemTag) {
        reader.skip(tag)
        continue
      }
      const length = reader.length()
      const part = bytes.subarray(reader.at, reader.at + length)
      reader.at += length
      if (tag === metadataTag) metadata = decoded(listMeta, part) ?? {}
      else items.push(decoded(item, part) ?? {})
    }
    return { metadata, items }
  })
  return list.ok ? list.value : undefined
}
