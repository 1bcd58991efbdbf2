/**
 * Drops fields whose feature gate is off. On update a field stays when the old object uses it already: turning a
 * gate off shall not destroy what was written while it was on.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { Field, MessageType, ValueType } from './descriptor.ts'
import { leadsTo, madeOnce } from './walk.ts'

export interface GateKeeper {
  /** Changes the object. */
  drop(message: MessageType, object: JsonObject, old?: JsonObject): void
}

/** Called for every field that stands behind a closed gate and has a value. `key` names the field of the message. */
type Visit = (owner: Record<string, JsonValue>, name: string, key: string) => void
type Walk = (value: JsonValue, visit: Visit) => void

export function createGateKeeper(isOpen: (gate: string) => boolean): GateKeeper {
  const isClosed = ({ featureGate }: Field): boolean => featureGate !== undefined && !isOpen(featureGate)
  const isConcerned = leadsTo(({ jsonFields }) => [...jsonFields.values()].some(isClosed))
  const walkOf = madeOnce(messageWalk)

  function messageWalk(message: MessageType): Walk {
    const fields = [...message.jsonFields.values()]
    const closed = fields.filter(isClosed).map(({ name }) => name)
    let children: readonly { name: string; walk: Walk }[] | undefined
    return (value, visit) => {
      if (!isJsonObject(value)) return
      const object = value as Record<string, JsonValue>
      for (const name of closed) {
        if (object[name] !== undefined) visit(object, name, `${message.id}.${name}`)
      }
      children ??= fields.flatMap(({ name, type }) => {
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
    if (type.kind === 'message') return isConcerned(type.message) ? walkOf(type.message) : undefined
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
      if (!isConcerned(message)) return
      const walk = walkOf(message)
      let used: Set<string> | undefined
      walk(object, (owner, name, key) => {
        used ??= usedKeys(walk, old)
        if (!used.has(key)) delete owner[name]
      })
    },
  }
}
