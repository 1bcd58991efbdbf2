/**
 * OpenAPI version 2 in protobuf, as clients up to release 1.27 ask for it. Values that may be anything are YAML text
 * there; JSON is YAML.
 *
 * Source: the message `openapi.v2.Document` of the OpenAPI description in protobuf.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'

/** Bytes of the fields of one message. */
type Fields = readonly Buffer[]

/** The document as the `openapi.v2.Document` that clients ask for by its protobuf media type. */
export function encodeVersion2(document: JsonObject): Buffer {
  return Buffer.concat([
    ...text(1, document['swagger']),
    ...message(2, [
      ...text(1, memberOf(document, 'info')['title']),
      ...text(2, memberOf(document, 'info')['version']),
    ]),
    ...message(
      8,
      entries(memberOf(document, 'paths')).flatMap(([path, item]) => named(2, path, pathFields(item))),
    ),
    ...message(
      9,
      entries(memberOf(document, 'definitions')).flatMap(([name, schema]) =>
        named(1, name, schemaFields(schema)),
      ),
    ),
  ])
}

const methods = [
  ['get', 2],
  ['put', 3],
  ['post', 4],
  ['delete', 5],
  ['patch', 8],
] as const

function pathFields(item: JsonObject): Fields {
  return [
    ...methods.flatMap(([method, number]) => {
      const operation = item[method]
      return isJsonObject(operation) ? message(number, operationFields(operation)) : []
    }),
    ...objectsOf(item['parameters']).flatMap((parameter) => message(9, parameterFields(parameter))),
  ]
}

function operationFields(operation: JsonObject): Fields {
  const responses = entries(memberOf(operation, 'responses')).flatMap(([code, response]) =>
    named(1, code, message(1, responseFields(response))),
  )
  return [
    ...texts(1, operation['tags']),
    ...text(5, operation['operationId']),
    ...texts(6, operation['produces']),
    ...texts(7, operation['consumes']),
    ...objectsOf(operation['parameters']).flatMap((parameter) => message(8, parameterFields(parameter))),
    ...message(9, responses),
    ...texts(10, operation['schemes']),
    ...extensions(13, operation),
  ]
}

function responseFields(response: JsonObject): Fields {
  const { schema } = response
  return [
    ...text(1, response['description']),
    ...(isJsonObject(schema) ? message(2, message(1, schemaFields(schema))) : []),
  ]
}

/** ParametersItem: a body, or one of four places; query and path are in use. */
function parameterFields(parameter: JsonObject): Fields {
  const { schema } = parameter
  const [description, name, place] = [parameter['description'], parameter['name'], parameter['in']]
  const required = parameter['required'] === true
  if (isJsonObject(schema)) {
    const fields = [...text(1, description), ...text(2, name), ...text(3, place), ...flag(4, required)]
    return message(1, message(1, [...fields, ...message(5, schemaFields(schema))]))
  }
  const fields = [...flag(1, required), ...text(2, place), ...text(3, description), ...text(4, name)]
  const inPath = place === 'path'
  const type = text(inPath ? 5 : 6, parameter['type'])
  return message(1, message(2, message(inPath ? 4 : 3, [...fields, ...type])))
}

function schemaFields(schema: JsonObject): Fields {
  const { items, additionalProperties, type } = schema
  const properties = entries(memberOf(schema, 'properties')).flatMap(([name, property]) =>
    named(1, name, schemaFields(property)),
  )
  return [
    ...text(1, schema['$ref']),
    ...text(2, schema['format']),
    ...text(3, schema['title']),
    ...text(4, schema['description']),
    ...(schema['default'] === undefined ? [] : message(5, anything(schema['default']))),
    ...texts(19, schema['required']),
    ...listOf(schema['enum']).flatMap((value) => message(20, anything(value))),
    ...(isJsonObject(additionalProperties)
      ? message(21, message(1, schemaFields(additionalProperties)))
      : additionalProperties === true
        ? message(21, flag(2, true))
        : []),
    ...(type === undefined ? [] : message(22, text(1, type))),
    ...(isJsonObject(items) ? message(23, message(1, schemaFields(items))) : []),
    ...(properties.length === 0 ? [] : message(25, properties)),
    ...extensions(31, schema),
  ]
}

function extensions(number: number, object: JsonObject): Fields {
  return Object.entries(object)
    .filter(([name]) => name.startsWith('x-'))
    .flatMap(([name, value]) => named(number, name, anything(value ?? null)))
}

function anything(value: JsonValue): Fields {
  return text(2, JSON.stringify(value))
}

/** A named value: `{name = 1, value = 2}`. */
function named(number: number, name: string, value: Fields): Fields {
  return message(number, [...text(1, name), ...message(2, value)])
}

function memberOf(object: JsonObject, name: string): JsonObject {
  const member = object[name]
  return isJsonObject(member) ? member : {}
}

function entries(object: JsonObject): readonly (readonly [string, JsonObject])[] {
  return Object.keys(object).map((name) => [name, memberOf(object, name)])
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return listOf(value).filter(isJsonObject)
}

function message(number: number, fields: Fields): Fields {
  return delimited(number, Buffer.concat(fields))
}

function text(number: number, value: JsonValue | undefined): Fields {
  return typeof value === 'string' && value !== '' ? delimited(number, Buffer.from(value)) : []
}

function texts(number: number, values: JsonValue | undefined): Fields {
  return listOf(values).flatMap((value) => text(number, value))
}

function flag(number: number, value: boolean): Fields {
  return value ? [varint(number << 3), varint(1)] : []
}

function delimited(number: number, bytes: Buffer): Fields {
  return [varint((number << 3) | 2), varint(bytes.length), bytes]
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  return Buffer.from([...bytes, rest])
}
