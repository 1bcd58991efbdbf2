/** What all that is compiled from a schema shares: how one gets from a message to those below it. */

import { isJsonObject, type JsonValue } from '../json.ts'
import type { Field, MessageType, ValueType } from './descriptor.ts'
import type { PathSegment } from './path.ts'

/** The message in values of the type, however deep in lists and maps; undefined = they hold scalars. */
export function messageOf(type: ValueType): MessageType | undefined {
  switch (type.kind) {
    case 'scalar':
      return undefined
    case 'message':
      return type.message
    case 'list':
      return messageOf(type.element)
    case 'map':
      return messageOf(type.value)
  }
}

/**
 * Makes something of a message when it is first asked for, and keeps it. `make` must not ask for another at once:
 * messages may contain themselves.
 */
export function madeOnce<T extends object>(make: (message: MessageType) => T): (message: MessageType) => T {
  const made = new WeakMap<MessageType, T>()
  return (message) => {
    let one = made.get(message)
    if (one === undefined) {
      one = make(message)
      made.set(message, one)
    }
    return one
  }
}

/** Tells of a message whether `isWanted` holds of it or of any message below it. Looks once. */
export function leadsTo(
  isWanted: (message: MessageType) => boolean,
  fieldsOf: (message: MessageType) => Iterable<Field> = ({ jsonFields }) => jsonFields.values(),
): (message: MessageType) => boolean {
  const known = new WeakMap<MessageType, boolean>()
  return (message) => {
    const before = known.get(message)
    if (before !== undefined) return before
    const seen = new Set([message])
    for (const one of seen) {
      if (known.get(one) === true || isWanted(one)) {
        known.set(message, true)
        return true
      }
      for (const { type } of fieldsOf(one)) {
        const inner = messageOf(type)
        if (inner !== undefined && known.get(inner) !== false) seen.add(inner)
      }
    }
    for (const one of seen) known.set(one, false)
    return false
  }
}

/** Looks at a value; `path` leads to it, and is the visitor's for the time of the call alone. */
export type Visit<T> = (value: JsonValue | undefined, path: PathSegment[], found: T) => void

/** Visits each element of lists and maps of the type with `leaf`. What is no list or map where one should be is passed over. */
export function visitLeaves<T>(type: ValueType, leaf: Visit<T>): Visit<T> {
  switch (type.kind) {
    case 'scalar':
    case 'message':
      return leaf
    case 'list': {
      const element = visitLeaves(type.element, leaf)
      return (value, path, found) => {
        if (!Array.isArray(value)) return
        for (let i = 0; i < value.length; i++) {
          path.push(i)
          element(value[i], path, found)
          path.pop()
        }
      }
    }
    case 'map': {
      const member = visitLeaves(type.value, leaf)
      return (value, path, found) => {
        if (!isJsonObject(value)) return
        for (const key of Object.keys(value)) {
          path.push({ key })
          member(value[key], path, found)
          path.pop()
        }
      }
    }
  }
}
