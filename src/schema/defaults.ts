/**
 * Sets what is absent and has a default: the plain values of the schema, then the rule of the message, then the same
 * for its members. Messages that are not pointers exist even when they are not given, so their defaults apply too.
 * Runs on create, update and patch, wherever a message is reachable from the object.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { setOwn } from '../own.ts'
import type { Field, MessageType, ValueType } from './descriptor.ts'
import { formatQuantity, parseQuantity, roundUpToMilli } from './quantity.ts'
import { leadsTo, madeOnce, messageOf } from './walk.ts'

/** An object while it is being filled in. */
export type Draft = Record<string, JsonValue>

/** Fills in what a plain value cannot say. Runs when the plain defaults of the same message are set. */
export type DefaultRule = (object: Draft) => void

interface Defaulter {
  /** Changes the object, which must have passed the decoder. */
  apply(message: MessageType, object: JsonObject): void
}

type Filler = (value: JsonValue) => void

interface Child {
  readonly name: string
  /** Exists even when it is not given. */
  readonly always: boolean
  readonly fill: Filler
}

/** `rules`: by message id. */
export function createDefaulter(rules: ReadonlyMap<string, DefaultRule>): Defaulter {
  /** Is there anything to set in the message or below it? */
  const isConcerned = leadsTo(hasOwnDefaults)
  const fillerOf = madeOnce(messageFiller)

  function hasOwnDefaults(message: MessageType): boolean {
    if (rules.has(message.id)) return true
    for (const { default: fallback, type } of message.jsonFields.values()) {
      if (fallback !== undefined || isQuantities(type)) return true
    }
    return false
  }

  function messageFiller(message: MessageType): Filler {
    const fields = [...message.jsonFields.values()]
    const plain = fields.filter((field) => field.default !== undefined)
    const rule = rules.get(message.id)
    let children: readonly Child[] | undefined
    return (value) => {
      if (!isJsonObject(value)) return
      const object = value as Draft
      for (const field of plain) fillField(object, field)
      rule?.(object)
      children ??= fields.flatMap(childOf)
      for (const { name, always, fill } of children) {
        let member = object[name]
        if (member === undefined) {
          if (!always) continue
          member = {}
          object[name] = member
        }
        fill(member)
      }
    }
  }

  function childOf({ name, type, pointer }: Field): Child[] {
    const fill = valueFiller(type)
    return fill === undefined ? [] : [{ name, always: type.kind === 'message' && !pointer, fill }]
  }

  function valueFiller(type: ValueType): Filler | undefined {
    if (isQuantities(type)) return roundQuantities
    const message = messageOf(type)
    if (message === undefined || !isConcerned(message)) return undefined
    let filler: Filler | undefined
    const fill: Filler = (value) => {
      filler ??= fillerOf(message)
      filler(value)
    }
    if (type.kind === 'list') return (value) => (Array.isArray(value) ? value.forEach(fill) : undefined)
    if (type.kind === 'map')
      return (value) => (isJsonObject(value) ? Object.values(value).forEach(fillGiven) : undefined)
    return fill

    function fillGiven(value: JsonValue | undefined): void {
      if (value !== undefined) fill(value)
    }
  }

  return {
    apply(message, object) {
      if (isConcerned(message)) fillerOf(message)(object)
    },
  }
}

function fillField(object: Draft, { name, default: fallback, pointer }: Field): void {
  const value = object[name]
  if (value === undefined || (!pointer && isEmpty(value))) {
    object[name] = typeof fallback === 'object' ? structuredClone(fallback) : (fallback ?? null)
  }
}

/** The value that stands for absent where there is no pointer. */
export function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}

function isQuantities(type: ValueType): boolean {
  return type.kind === 'map' && type.value.kind === 'scalar' && type.value.scalar === 'quantity'
}

/** Amounts of resources are kept in milli units at the finest. The decoder has made them canonical. */
const finerThanMilli = /[nu]$|e-/

function roundQuantities(value: JsonValue): void {
  if (!isJsonObject(value)) return
  const amounts = value as Draft
  for (const name of Object.keys(amounts)) {
    const text = amounts[name]
    if (typeof text !== 'string' || !finerThanMilli.test(text)) continue
    const quantity = parseQuantity(text)
    if (quantity !== undefined) setOwn<JsonValue>(amounts, name, formatQuantity(roundUpToMilli(quantity)))
  }
}
