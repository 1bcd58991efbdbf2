/**
 * Where objects live in the store: `<prefix>/<namespace>/<name>`, or `<prefix>/<name>` when cluster-scoped. Names are
 * UTF-8 as a binary string, as {@link Key} wants them. `/` is in no valid name, so a key has one reading, and the
 * objects of a namespace are one range.
 */

import type { Key, KeyRange } from '../../store/contract.ts'
import { key, keyAfterPrefix, keyBytesMax } from '../../store/contract.ts'
import type { ObjectName } from './contract.ts'

const nonAscii = /[^\0-\x7f]/

function toBinary(text: string): string {
  return nonAscii.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text
}

function fromBinary(text: string): string {
  return nonAscii.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text
}

/** The key of an object; undefined when nothing of that name can exist (`/` in it, empty, or too long for a key). */
export function objectKey(prefix: string, { namespace, name }: ObjectName): Key | undefined {
  if (name === '' || name.includes('/') || namespace.includes('/')) return undefined
  const text = `${prefix}/${namespace === '' ? '' : `${toBinary(namespace)}/`}${toBinary(name)}`
  // One byte is left for `keyAfter`.
  return text.length < keyBytesMax ? key(text) : undefined
}

/** The reverse of {@link objectKey}. The key must start with the prefix. */
export function nameOfKey(prefix: string, at: Key): ObjectName {
  const slash = at.indexOf('/', prefix.length + 1)
  if (slash < 0) return { namespace: '', name: fromBinary(at.slice(prefix.length + 1)) }
  return { namespace: fromBinary(at.slice(prefix.length + 1, slash)), name: fromBinary(at.slice(slash + 1)) }
}

/** Where objects can be: anywhere, in a namespace, or one object. Holds no key when there can be no such name. */
export function scopeRange(
  prefix: string,
  scope: { readonly namespace?: string; readonly name?: string },
): KeyRange {
  const { namespace, name } = scope
  if (namespace !== undefined && name !== undefined) {
    const at = objectKey(prefix, { namespace, name })
    return at === undefined ? noKeys(prefix) : { start: at, end: keyAfter(at) }
  }
  if (namespace === undefined || namespace === '') return rangeOfPrefix(`${prefix}/`)
  const text = `${prefix}/${toBinary(namespace)}/`
  return namespace.includes('/') || text.length > keyBytesMax ? noKeys(prefix) : rangeOfPrefix(text)
}

function rangeOfPrefix(text: string): KeyRange {
  return { start: key(text), end: keyAfterPrefix(text) }
}

/** Names are not empty, so nothing is stored at the bare prefix. */
function noKeys(prefix: string): KeyRange {
  const start = key(`${prefix}/`)
  return { start, end: keyAfter(start) }
}

/** The smallest key after this one. */
export function keyAfter(at: Key): Key {
  return key(`${at}\0`)
}
