/** Where embedded resources stand in an object. Schemas without any cost nothing. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { PathSegment } from '../../schema/path.ts'
import type { Structural } from './structural.ts'
import { isConcernedBy } from './walk.ts'

const hasEmbedded = isConcernedBy(({ embeddedResource }) => embeddedResource)

/** Each embedded resource in a value, the outer ones first. The path is the visitor's for the time of the call alone. */
export function visitEmbedded(
  structural: Structural,
  value: JsonObject,
  visitor: (resource: JsonObject, path: readonly PathSegment[]) => void,
): void {
  const path: PathSegment[] = []
  const visit = (value: JsonValue, node: Structural): void => {
    if (typeof value !== 'object' || value === null || !hasEmbedded(node)) return
    if (Array.isArray(value)) visitElements(value, node)
    else if (isJsonObject(value)) visitObject(value, node)
  }
  const visitElements = (list: readonly JsonValue[], { items }: Structural): void => {
    if (items === undefined) return
    for (const [index, element] of list.entries()) {
      path.push(index)
      visit(element, items)
      path.pop()
    }
  }
  const visitObject = (object: JsonObject, node: Structural): void => {
    if (node.embeddedResource) visitor(object, path)
    for (const name of Object.keys(object)) {
      const property = node.properties.get(name)
      const schema = property ?? node.additionalProperties
      if (schema === undefined || schema === true) continue
      path.push(property === undefined ? { key: name } : name)
      visit(object[name] ?? null, schema)
      path.pop()
    }
  }
  visit(value, structural)
}
