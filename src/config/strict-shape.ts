/** Whether a configuration file has the fields it may have, of the types they must have: nothing unknown is passed over. */

import { isJsonObject, type JsonValue } from '../json.ts'
import { formatPath, type PathSegment } from '../schema/path.ts'

export type Shape =
  | 'string'
  | 'boolean'
  | 'number'
  | { readonly list: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> }

/** Sentences with the path of each problem, in the order of the text. `null` counts as absent. */
export function shapeProblems(
  value: JsonValue,
  shape: Shape,
  path: readonly PathSegment[] = [],
): readonly string[] {
  if (value === null) return []
  if (typeof shape === 'string')
    return typeof value === shape ? [] : [`${formatPath(path)}: expected ${shape}, found ${kindOf(value)}`]
  if ('list' in shape) {
    if (!Array.isArray(value)) return [`${formatPath(path)}: expected list, found ${kindOf(value)}`]
    return value.flatMap((item, at) => shapeProblems(item, shape.list, [...path, at]))
  }
  if (!isJsonObject(value)) return [`${formatPath(path)}: expected object, found ${kindOf(value)}`]
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = [...path, name]
    if (!Object.hasOwn(shape.fields, name)) return [`unknown field ${JSON.stringify(formatPath(inner))}`]
    const known = shape.fields[name]
    return known === undefined || member === undefined ? [] : shapeProblems(member, known, inner)
  })
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'list'
  return value === null ? 'null' : typeof value
}
