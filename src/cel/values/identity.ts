/** What tells elements of a set or map list apart, and how such lists add up (Kubernetes' list types). */

import type { ListIdentity } from '../types.ts'
import { isPlainObject, ownProperty } from './plain-object.ts'
import { ArrayList, CelDouble, CelList, CelMap, CelUint, type Value } from './value.ts'

/** The same text for elements that are the same one. Objects count by their key properties. */
export function identityOf(value: Value, identity: ListIdentity): string {
  if (identity.by === 'element' || !(value instanceof CelMap)) return canonical(value)
  return identity.keys.map((key) => canonical(value.get(key) ?? unseenKey(value, key))).join('\u0000')
}

/** A key that no expression can name. */
function unseenKey({ unseen }: CelMap, key: string): Value {
  return isPlainObject(unseen) ? (JSON.stringify(ownProperty(unseen, key)) ?? null) : null
}

function canonical(value: Value): string {
  if (value instanceof CelDouble || value instanceof CelUint) return `n${value.value}`
  if (typeof value === 'number' || typeof value === 'bigint') return `n${value}`
  if (value instanceof CelList) {
    const items: string[] = []
    for (let index = 0; index < value.size; index++) items.push(canonical(value.at(index)))
    return `[${items.join()}]`
  }
  if (value instanceof CelMap) {
    const entries = value.keys().map((key) => `${canonical(key)}:${canonical(value.get(key) ?? null)}`)
    return `{${entries.sort().join()}}`
  }
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

/**
 * The first list's elements in their order, each replaced by the second's of the same identity, then the second's
 * others.
 */
export function mergeLists(a: CelList, b: CelList, identity: ListIdentity): CelList {
  const merged = new Map<string, Value>()
  for (const list of [a, b]) {
    for (let index = 0; index < list.size; index++) {
      const item = list.at(index)
      merged.set(identityOf(item, identity), item)
    }
  }
  return new ArrayList([...merged.values()], identity)
}
