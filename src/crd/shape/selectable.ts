/**
 * Fields of custom resources that field selectors may use, beside name and namespace. They stand in the head of every
 * record, whatever version it was written through, so those of all versions do.
 *
 * Source: KEP-4358, custom resource field selectors.
 */

import type { JsonObject, JsonValue } from '../../json.ts'
import { objectsAt, textAt } from '../../types/columns/read.ts'
import { draftOf } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import { findAll } from './json-path/find.ts'
import type { PathNode } from './json-path/nodes.ts'
import { parseJsonPath } from './json-path/parse.ts'

/** What a version offers, as selectors name it: `spec.color`. */
export function selectableNames(version: JsonObject): readonly string[] {
  return objectsAt(version, 'selectableFields').map((field) => nameOf(textAt(field, 'jsonPath')))
}

function nameOf(jsonPath: string): string {
  return jsonPath.replace(/^\./, '')
}

/** Reads the fields that any of the versions offers; undefined = none does. */
export function selectableFieldsOf(
  versions: readonly JsonObject[],
): ((object: ApiObject) => Readonly<Record<string, string>>) | undefined {
  const names = new Set(versions.flatMap(selectableNames))
  if (names.size === 0) return undefined
  const paths = [...names].map((name) => ({ name, path: pathOf(name) }))
  return (object) => Object.fromEntries(paths.map(({ name, path }) => [name, textOf(path, draftOf(object))]))
}

function pathOf(name: string): readonly PathNode[] {
  const path = parseJsonPath(`.${name}`)
  return path.ok ? path.value : []
}

/** '' where there is nothing. */
function textOf(path: readonly PathNode[], object: JsonObject): string {
  const found = findAll(path, object)
  const value: JsonValue | undefined = found.ok ? found.value[0] : undefined
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''
}
