/**
 * An independent reader and writer of the wire format: protobufjs, with the `.proto` sources as they stand. Between
 * its objects and JSON stands what the sources say in comments: how leaf messages look in JSON, and what is inline.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import protobuf from 'protobufjs'
import type { JsonObject, JsonValue } from '../../../../src/json.ts'
import { root as projectRoot } from '../../../house/sources.ts'

type Fields = Record<string, unknown>

const types = join(projectRoot, 'src', 'types')

/** All messages of the sources: `core.v1.Pod`, `Quantity`. */
export function loadSources(): protobuf.Root {
  const root = new protobuf.Root()
  const parse = (file: string) => protobuf.parse(readFileSync(file, 'utf8'), root, { keepCase: true })
  parse(join(types, 'scalars.proto'))
  for (const entry of readdirSync(types, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    for (const file of readdirSync(join(types, entry.name)))
      if (file.endsWith('.proto')) parse(join(types, entry.name, file))
  }
  parseOwn(root)
  root.resolveAll()
  return root
}

/** What the wire has and the sources do not need. */
function parseOwn(root: protobuf.Root): void {
  protobuf.parse(
    `syntax = "proto3";
     message TypeMeta { string apiVersion = 1; string kind = 2; }
     message Unknown { TypeMeta typeMeta = 1; bytes raw = 2; string contentEncoding = 3; string contentType = 4; }
     message WatchEvent { string type = 1; RawExtension object = 2; }
     message AnyList { meta.v1.ListMeta metadata = 1; repeated bytes items = 2; }`,
    root,
    { keepCase: true },
  )
}

export function typeOf(root: protobuf.Root, id: string): protobuf.Type {
  return root.lookupType(id.replace('/', '.'))
}

export function decodeWith(type: protobuf.Type, bytes: Uint8Array): Fields {
  return type.toObject(type.decode(bytes), { longs: Number, bytes: String })
}

/** Does this field nest on the wire, but not in JSON? */
function isInline(field: protobuf.Field): boolean {
  return optionOf(field, '(inline)') === true
}

function optionOf(element: protobuf.ReflectionObject, name: string): unknown {
  const options: unknown = element.parsedOptions
  if (!Array.isArray(options)) return element.options?.[name]
  for (const option of options) {
    const found: unknown = new Map(Object.entries(Object(option))).get(name)
    if (found !== undefined) return found
  }
  return undefined
}

function jsonName(field: protobuf.Field): string {
  const name = optionOf(field, 'json_name')
  return typeof name === 'string' ? name : field.name
}

/** What protobufjs decoded, as JSON prints it. */
export function toJson(
  type: protobuf.Type,
  fields: Fields,
  into: Record<string, JsonValue> = {},
): JsonObject {
  for (const field of type.fieldsArray) {
    const value = fields[field.name]
    if (value === undefined) continue
    const inner = field.resolvedType
    if (isInline(field) && inner instanceof protobuf.Type) toJson(inner, value as Fields, into)
    else into[jsonName(field)] = fieldToJson(field, value)
  }
  return into
}

function fieldToJson(field: protobuf.Field, value: unknown): JsonValue {
  if (field instanceof protobuf.MapField)
    return Object.fromEntries(
      Object.entries(value as Fields).map(([key, one]) => [key, oneToJson(field, one)]),
    )
  return field.repeated ? (value as unknown[]).map((one) => oneToJson(field, one)) : oneToJson(field, value)
}

function oneToJson(field: protobuf.Field, value: unknown): JsonValue {
  const inner = field.resolvedType
  return inner instanceof protobuf.Type ? messageToJson(inner, value as Fields) : (value as JsonValue)
}

function messageToJson(type: protobuf.Type, fields: Fields): JsonValue {
  switch (type.fullName) {
    case '.Quantity':
      return String(fields['string'])
    case '.IntOrString':
      return fields['type'] === 1 ? String(fields['strVal']) : Number(fields['intVal'])
    case '.Time':
      return fields['seconds'] === undefined ? null : `${isoSeconds(fields)}Z`
    case '.MicroTime':
      return fields['seconds'] === undefined
        ? null
        : `${isoSeconds(fields)}.${String(Number(fields['nanos']) / 1000).padStart(6, '0')}Z`
    case '.RawExtension':
    case '.Json':
      return fields['raw'] === undefined
        ? null
        : JSON.parse(Buffer.from(String(fields['raw']), 'base64').toString())
  }
  const json = toJson(type, fields)
  switch (optionOf(type, '(jsonForm)')) {
    case 'list':
      return json['items'] ?? []
    case 'schemaOrList':
      return json['jSONSchemas'] ?? json['schema'] ?? null
    case 'schemaOrBool':
      return json['schema'] ?? json['allows'] ?? false
    case 'schemaOrStrings':
      return json['property'] ?? json['schema'] ?? null
    default:
      return json
  }
}

function isoSeconds(fields: Fields): string {
  return new Date(Number(fields['seconds']) * 1000).toISOString().slice(0, 19)
}

/** JSON as protobufjs takes it. */
export function fromJson(type: protobuf.Type, json: JsonObject): Fields {
  const fields: Fields = {}
  for (const field of type.fieldsArray) {
    const inner = field.resolvedType
    if (isInline(field) && inner instanceof protobuf.Type) {
      fields[field.name] = fromJson(inner, json)
      continue
    }
    const value = json[jsonName(field)]
    if (value !== undefined && value !== null) fields[field.name] = fieldFromJson(field, value)
  }
  return fields
}

function fieldFromJson(field: protobuf.Field, value: JsonValue): unknown {
  if (field instanceof protobuf.MapField)
    return Object.fromEntries(
      Object.entries(value as JsonObject).map(([key, one]) => [key, oneFromJson(field, one)]),
    )
  return field.repeated
    ? (value as JsonValue[]).map((one) => oneFromJson(field, one))
    : oneFromJson(field, value)
}

function oneFromJson(field: protobuf.Field, value: JsonValue | undefined): unknown {
  const inner = field.resolvedType
  if (inner instanceof protobuf.Type) return messageFromJson(inner, value ?? null)
  return field.type === 'bytes' ? Buffer.from(String(value), 'base64') : value
}

function messageFromJson(type: protobuf.Type, value: JsonValue): Fields {
  switch (type.fullName) {
    case '.Quantity':
      return { string: value }
    case '.IntOrString':
      return typeof value === 'string'
        ? { type: 1, intVal: 0, strVal: value }
        : { type: 0, intVal: value, strVal: '' }
    case '.Time':
    case '.MicroTime': {
      if (value === null) return {}
      const text = String(value)
      return { seconds: Math.floor(Date.parse(text) / 1000), nanos: Number(text.slice(20, -1)) * 1000 }
    }
    case '.RawExtension':
    case '.Json':
      return value === null ? {} : { raw: Buffer.from(JSON.stringify(value)) }
  }
  const isList = Array.isArray(value)
  const isObject = typeof value === 'object' && value !== null && !isList
  switch (optionOf(type, '(jsonForm)')) {
    case 'list':
      return fromJson(type, { items: value })
    case 'schemaOrList':
      return fromJson(type, isList ? { jSONSchemas: value } : { schema: value })
    case 'schemaOrBool':
      return fromJson(type, isObject ? { allows: true, schema: value } : { allows: value })
    case 'schemaOrStrings':
      return fromJson(type, isList ? { property: value } : { schema: value })
    default:
      return fromJson(type, value as JsonObject)
  }
}
