/**
 * Schemas of custom resource definitions may stand in JSON as something else: a list of schemas, a boolean, a list of
 * strings. On the wire each has a field of its own.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { JsonForm } from '../../schema/descriptor.ts'

/** The fields of the message that stand for a JSON value. */
export function formFields(form: JsonForm, value: JsonValue): JsonObject {
  if (isJsonObject(value))
    return form === 'schemaOrBool' ? { allows: true, schema: value } : { schema: value }
  switch (form) {
    case 'schemaOrBool':
      return { allows: value === true }
    case 'schemaOrStrings':
      return { property: value }
    case 'schemaOrList':
      return { jSONSchemas: value }
    case 'list':
      return { items: value }
  }
}

/** The JSON value that stands for the fields of a message. */
export function formValue(form: JsonForm, fields: JsonObject): JsonValue {
  const { schema, allows, property, jSONSchemas, items } = fields
  switch (form) {
    case 'schemaOrBool':
      return schema ?? allows ?? false
    case 'schemaOrStrings':
      return property ?? schema ?? []
    case 'schemaOrList':
      return jSONSchemas ?? schema ?? []
    case 'list':
      return items ?? []
  }
}
