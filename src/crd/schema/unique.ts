/** Which elements of a list are the same. Equal values are found by their text, so the cost is that of the list. */

import { isJsonObject, type JsonValue } from '../../json.ts'
import { own } from '../../own.ts'

export function hasDuplicates(list: readonly JsonValue[]): boolean {
  const seen = new Set<string>()
  for (const element of list) seen.add(identityOf(element))
  return seen.size < list.length
}

/** The same for equal values, and for them alone: members of objects are taken in the order of their names. */
export function identityOf(value: JsonValue | undefined): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  if (!isJsonObject(value)) return `[${value.map(identityOf).join(',')}]`
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${identityOf(own(value, name))}`)
  return `{${members.join(',')}}`
}
