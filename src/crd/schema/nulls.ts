/** Null where null is no value, and no default takes its place, is as good as absent: such members are left out. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { Structural } from './structural.ts'

/** In place, everywhere in the object. Elements of lists stay. */
export function dropNulls(structural: Structural, value: JsonObject): void {
  visit(value, structural)
}

function visit(value: JsonValue, node: Structural): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    const { items } = node
    if (items !== undefined) for (const element of value) visit(element, items)
  } else if (isJsonObject(value)) visitMembers(value, node)
}

function visitMembers(object: JsonObject, { properties, additionalProperties }: Structural): void {
  if (properties.size === 0 && additionalProperties === undefined) return
  for (const name of Object.keys(object)) {
    const schema = properties.get(name) ?? additionalProperties
    if (schema === undefined || schema === true) continue
    const member = object[name]
    if (member === null) {
      // The caller owns the object.
      if (!schema.nullable && schema.default === undefined) delete (object as Record<string, JsonValue>)[name]
    } else if (typeof member === 'object') visit(member, schema)
  }
}
