/** Fields that cannot change after creation. */

import type { JsonValue } from '../json.ts'
import { forbiddenField, invalidValue } from '../status/causes.ts'
import type { Cause } from '../status/status.ts'
import { draftOf } from './draft.ts'
import { semanticallyEqual } from './equality.ts'
import type { ApiObject } from './object.ts'

/** `spec.selector` of an object. */
export function valueAt(object: ApiObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = draftOf(object)
  for (const step of path.split('.')) {
    value =
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? (value as Record<string, JsonValue>)[step]
        : undefined
  }
  return value
}

export function isChanged(object: ApiObject, old: ApiObject, path: string): boolean {
  return !semanticallyEqual(valueAt(object, path), valueAt(old, path))
}

/** One cause for each of the paths whose value is another. */
export function immutable(
  ...paths: readonly string[]
): (object: ApiObject, old: ApiObject) => readonly Cause[] {
  return (object, old) => changedCauses(object, old, paths)
}

export function changedCauses(
  object: ApiObject,
  old: ApiObject,
  paths: readonly string[],
  detail = 'field is immutable',
): readonly Cause[] {
  return paths
    .filter((path) => isChanged(object, old, path))
    .map((path) => invalidValue(path, valueAt(object, path) ?? emptied(valueAt(old, path)), detail))
}

/** What a value that is gone is shown as. */
function emptied(before: JsonValue | undefined): JsonValue | undefined {
  return typeof before === 'string' ? '' : undefined
}

/** The same, for fields that the API calls forbidden rather than invalid. */
export function forbiddenChanges(
  object: ApiObject,
  old: ApiObject,
  paths: readonly string[],
  detail: string,
): readonly Cause[] {
  return paths.filter((path) => isChanged(object, old, path)).map((path) => forbiddenField(path, detail))
}
