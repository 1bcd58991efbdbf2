/** Reads a member of what was parsed from JSON. Throws when there is no object to have it. */
export function fieldOf(parsed: unknown, name: string): unknown {
  if (typeof parsed !== 'object' || parsed === null) throw new TypeError(`no object around ${name}`)
  return Reflect.get(parsed, name)
}
