/**
 * Values that are not among those the schema allows, wherever they stand in an object, all at once. Empty texts mean
 * "not said", and `status` is the server's: neither is looked at. The walk over a message is compiled at first use and
 * visits only what leads to an enumeration.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { Field, MessageType, ValueType } from '../../schema/descriptor.ts'
import { formatPath, type PathSegment } from '../../schema/path.ts'
import { notSupported } from '../../status/causes.ts'
import type { Causes } from './checks.ts'

type Check = (value: JsonValue | undefined, path: PathSegment[], causes: Causes) => void

/** Narrower than the schema says: these values exist, but none may use them any more. */
const supportedNow: ReadonlyMap<string, readonly string[]> = new Map(
  ['ValidatingWebhook', 'MutatingWebhook'].map((name) => [
    `admissionregistration/v1.${name}.sideEffects`,
    ['None', 'NoneOnDryRun'],
  ]),
)

const checks = new WeakMap<MessageType, Check>()
const leading = new WeakMap<MessageType, boolean>()

export function checkEnums(causes: Causes, message: MessageType, object: JsonObject): void {
  if (leadsToEnum(message)) checkOf(message)(object, [], causes)
}

/** Is there an enumeration in the message or below? */
function leadsToEnum(message: MessageType): boolean {
  const known = leading.get(message)
  if (known !== undefined) return known
  const seen = new Set([message])
  let found = false
  for (const one of seen) {
    for (const field of fieldsOf(one)) {
      if (isClosed(field)) found = true
      const inner = messageOf(field.type)
      if (inner !== undefined) seen.add(inner)
    }
    if (found) break
  }
  leading.set(message, found)
  return found
}

function fieldsOf(message: MessageType): readonly Field[] {
  if (message.jsonForm !== undefined) return []
  return [...message.jsonFields.values()].filter(({ name }) => !message.root || name !== 'status')
}

const isClosed = (field: Field): boolean => field.enum !== undefined && !field.enumOpen

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

function checkOf(message: MessageType): Check {
  let check = checks.get(message)
  if (check === undefined) {
    check = messageCheck(message)
    checks.set(message, check)
  }
  return check
}

function messageCheck(message: MessageType): Check {
  let members: readonly { name: string; check: Check }[] | undefined
  return (value, path, causes) => {
    if (!isJsonObject(value)) return
    members ??= fieldsOf(message).flatMap((field) => {
      const check = fieldCheck(message, field)
      return check === undefined ? [] : [{ name: field.name, check }]
    })
    for (const { name, check } of members) {
      const given = value[name]
      if (given === undefined) continue
      path.push(name)
      check(given, path, causes)
      path.pop()
    }
  }
}

function fieldCheck(message: MessageType, field: Field): Check | undefined {
  if (isClosed(field)) {
    return typeCheck(
      field.type,
      valueCheck(supportedNow.get(`${message.id}.${field.name}`) ?? field.enum ?? []),
    )
  }
  const inner = messageOf(field.type)
  if (inner === undefined || !leadsToEnum(inner)) return undefined
  return typeCheck(field.type, (value, path, causes) => checkOf(inner)(value, path, causes))
}

/** The check of a leaf, for what holds such leaves. */
function typeCheck(type: ValueType, leaf: Check): Check {
  switch (type.kind) {
    case 'scalar':
    case 'message':
      return leaf
    case 'list': {
      const element = typeCheck(type.element, leaf)
      return (value, path, causes) => {
        if (!Array.isArray(value)) return
        for (let i = 0; i < value.length; i++) {
          path.push(i)
          element(value[i], path, causes)
          path.pop()
        }
      }
    }
    case 'map': {
      const member = typeCheck(type.value, leaf)
      return (value, path, causes) => {
        if (!isJsonObject(value)) return
        for (const key of Object.keys(value)) {
          path.push({ key })
          member(value[key], path, causes)
          path.pop()
        }
      }
    }
  }
}

function valueCheck(values: readonly string[]): Check {
  const known = new Set<JsonValue | undefined>(values)
  const shown = values.filter((value) => value !== '').sort()
  return (value, path, causes) => {
    if (value !== '' && !known.has(value)) causes.push(notSupported(formatPath(path), value, shown))
  }
}
