/** Members of objects whose keys users choose: a label may be called `__proto__`. */

import type { JsonObject, JsonValue } from './json.ts'

/** Sets an own member, whatever its name is. */
export function setOwn<T>(target: Record<string, T>, name: string, value: T): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
  } else {
    target[name] = value
  }
}

/** A member of the object itself, whatever it is called. */
export function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}
