/**
 * Drops what a schema does not name, in place, and says where it stood.
 *
 * Of the root and of embedded resources apiVersion, kind and metadata are left alone: those are decoded elsewhere. Below
 * `x-kubernetes-preserve-unknown-fields` unknown members stay, but what is named there is pruned by its own schema. An
 * element of a list, or a member, of which nothing is known keeps its value when that is a scalar and loses all members
 * when it is an object.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { Structural } from './structural.ts'

/** `spec.foo[0].bar`, sorted. Members of maps are written like fields: `spec.labels.a`. */
export function prune(structural: Structural, value: JsonObject): readonly string[] {
  const walk: Walk = { path: [], unknown: [] }
  if (structural.preserveUnknownFields) keepMembers(value, structural, true, walk, 0)
  else pruneMembers(value, structural, true, walk, 0)
  return walk.unknown.length > 1 ? walk.unknown.sort() : walk.unknown
}

interface Walk {
  /** The places that lead to the value at hand: as many as its depth, the rest is of before. */
  readonly path: (string | number)[]
  readonly unknown: string[]
}

function pruneValue(value: JsonValue, node: Structural | undefined, walk: Walk, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (node?.preserveUnknownFields === true) keepValue(value, node, walk, depth)
  else if (Array.isArray(value)) eachElement(value, node?.items, pruneValue, walk, depth)
  else if (!isJsonObject(value)) return
  else if (node === undefined) dropMembers(value, walk, depth)
  else pruneMembers(value, node, node.embeddedResource, walk, depth)
}

function pruneMembers(
  value: JsonObject,
  node: Structural,
  isResource: boolean,
  walk: Walk,
  depth: number,
): void {
  const { properties, additionalProperties } = node
  for (const name of Object.keys(value)) {
    if (isResource && metaFields.has(name)) continue
    const property = properties.get(name)
    const member = value[name]
    if (property === undefined && additionalProperties === undefined) drop(value, name, walk, depth)
    else if (typeof member === 'object' && member !== null) {
      walk.path[depth] = name
      pruneValue(member, property ?? schemaOf(additionalProperties), walk, depth + 1)
    }
  }
}

/** What is kept as it came; the named parts of it are still pruned. */
function keepValue(value: JsonValue, node: Structural | undefined, walk: Walk, depth: number): void {
  if (node === undefined || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) eachElement(value, node.items, keepValue, walk, depth)
  else if (isJsonObject(value)) keepMembers(value, node, node.embeddedResource, walk, depth)
}

function keepMembers(
  value: JsonObject,
  node: Structural,
  isResource: boolean,
  walk: Walk,
  depth: number,
): void {
  const { properties, additionalProperties } = node
  if (properties.size === 0 && additionalProperties === undefined) return
  for (const name of Object.keys(value)) {
    if (isResource && metaFields.has(name)) continue
    const property = properties.get(name)
    if (property === undefined && additionalProperties === undefined) continue
    walk.path[depth] = name
    pruneValue(value[name] ?? null, property ?? schemaOf(additionalProperties), walk, depth + 1)
  }
}

function eachElement(
  list: readonly JsonValue[],
  items: Structural | undefined,
  visit: (value: JsonValue, node: Structural | undefined, walk: Walk, depth: number) => void,
  walk: Walk,
  depth: number,
): void {
  for (let index = 0; index < list.length; index++) {
    const element = list[index]
    if (typeof element !== 'object' || element === null) continue
    walk.path[depth] = index
    visit(element, items, walk, depth + 1)
  }
}

function dropMembers(value: JsonObject, walk: Walk, depth: number): void {
  for (const name of Object.keys(value)) drop(value, name, walk, depth)
}

function drop(value: JsonObject, name: string, walk: Walk, depth: number): void {
  // The caller owns the value.
  delete (value as Record<string, JsonValue>)[name]
  // What the root says of itself is known, even where its schema does not name it.
  if (depth === 0 && metaFields.has(name)) return
  walk.path[depth] = name
  walk.unknown.push(written(walk.path, depth + 1))
}

function schemaOf(additionalProperties: Structural | true | undefined): Structural | undefined {
  return additionalProperties === true ? undefined : additionalProperties
}

/** Described by meta/v1, not by the schema. */
const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

function written(path: readonly (string | number)[], length: number): string {
  let text = ''
  for (let at = 0; at < length; at++) {
    const place = path[at]
    text += typeof place === 'number' ? `[${place}]` : at === 0 ? place : `.${place}`
  }
  return text
}
