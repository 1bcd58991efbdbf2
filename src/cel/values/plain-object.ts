/** Objects of JSON: only what is their own counts. */

export type PlainObject = Readonly<Record<string, unknown>>

/** An object as JSON makes them: of no class. */
export function isPlainObject(json: unknown): json is PlainObject {
  if (typeof json !== 'object' || json === null) return false
  const prototype: unknown = Object.getPrototypeOf(json)
  return prototype === Object.prototype || prototype === null
}

/** An own property; `undefined` when there is none. */
export function ownProperty(json: PlainObject, name: string): unknown {
  return Object.hasOwn(json, name) ? json[name] : undefined
}
