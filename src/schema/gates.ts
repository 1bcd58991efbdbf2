/**
 * Drops fields whose feature gate is off. On update a field stays when the old object uses it already: turning a
 * gate off shall not destroy what was written while it was on.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { MessageType, ValueType } from './descriptor.ts'

export interface GateKeeper {
  /** Changes the object. */
  drop(message: MessageType, object: JsonObject, old?: JsonObject): void
}

/** Called for every field that stands behind a closed gate and has a value. `key` names the field of the message. */
type Visit = (owner: Record<string, JsonValue>, name: string, key: string) => void
type Walk = (value: JsonValue, visit: Visit) => void

export function createGateKeeper(isOpen: (gate: string) => boolean): GateKeeper {
  const walks = new Map<MessageType, Walk | undefined>()

  /** Undefined: nothing in or below the message is behind a closed gate. */
  function walkOf(message: MessageType): Walk | undefined {
    if (walks.has(message)) return walks.get(message)
    if (!isConcerned(message)) {
      walks.set(message, undefined)
      return undefined
    }
    const walk = messageWalk(message)
    walks.set(message, walk)
    return walk
  }

  function isConcerned(message: MessageType): boolean {
    const seen = new Set([message])
    for (const one of seen) {
      for (const { featureGate, type } of one.jsonFields.values()) {
        if (featureGate !== undefined && !isOpen(featureGate)) return true
        const inner = messageOf(type)
        if (inner !== undefined && walks.get(inner) !== undefined) return true
        if (inner !== undefined && !walks.has(inner)) seen.add(inner)
      }
    }
    return false
  }

  function messageWalk(message: MessageType): Walk {
    const closed: string[] = []
    let children: readonly { name: string; walk: Walk }[] | undefined
    for (const { name, featureGate } of message.jsonFields.values()) {
      if (featureGate !== undefined && !isOpen(featureGate)) closed.push(name)
    }
    return (value, visit) => {
      if (!isJsonObject(value)) return
      const object = value as Record<string, JsonValue>
      for (const name of closed) {
        if (object[name] !== undefined) visit(object, name, `${message.id}.${name}`)
      }
      children ??= [...message.jsonFields.values()].flatMap(({ name, type }) => {
        const walk = valueWalk(type)
        return walk === undefined ? [] : [{ name, walk }]
      })
      for (const { name, walk } of children) {
        const member = object[name]
        if (member !== undefined) walk(member, visit)
      }
    }
  }

  function valueWalk(type: ValueType): Walk | undefined {
    if (type.kind === 'scalar') return undefined
    if (type.kind === 'message') return walkOf(type.message)
    const walk = valueWalk(type.kind === 'list' ? type.element : type.value)
    if (walk === undefined) return undefined
    return (value, visit) => {
      if (typeof value !== 'object' || value === null) return
      for (const member of Object.values(value)) if (member !== undefined) walk(member, visit)
    }
  }

  function usedKeys(walk: Walk, old: JsonObject | undefined): Set<string> {
    const used = new Set<string>()
    if (old !== undefined) walk(old, (_owner, _name, key) => used.add(key))
    return used
  }

  return {
    drop(message, object, old) {
      const walk = walkOf(message)
      if (walk === undefined) return
      let used: Set<string> | undefined
      walk(object, (owner, name, key) => {
        used ??= usedKeys(walk, old)
        if (!used.has(key)) delete owner[name]
      })
    },
  }
}

function messageOf(type: ValueType): MessageType | undefined {
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
