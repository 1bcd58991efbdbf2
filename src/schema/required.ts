/**
 * Required fields that are not given, all at once. Numbers and booleans cannot be missing: zero is what their
 * absence means. What is below an absent message counts as missing only when that message exists anyway.
 */

import { isJsonObject, type JsonObject } from '../json.ts'
import { required } from '../status/causes.ts'
import type { Cause } from '../status/status.ts'
import type { Field, MessageType, ValueType } from './descriptor.ts'
import { formatPath } from './path.ts'
import { details, mayBeEmpty } from './required-fields.ts'
import { leadsTo, madeOnce, messageOf, type Visit, visitLeaves } from './walk.ts'

type Check = Visit<Cause[]>

const checkOf = madeOnce(messageCheck)
const leadsToRequired = leadsTo(
  (message) => fieldsOf(message).some((field) => canBeMissing(message, field)),
  fieldsOf,
)

/** `status` of a root message is the server's, and not looked at. */
export function missingRequired(message: MessageType, object: JsonObject): Cause[] {
  const causes: Cause[] = []
  if (leadsToRequired(message)) checkOf(message)(object, [], causes)
  return causes
}

function fieldsOf(message: MessageType): readonly Field[] {
  if (message.jsonForm !== undefined) return []
  return [...message.jsonFields.values()].filter(({ name }) => !message.root || name !== 'status')
}

function messageCheck(message: MessageType): Check {
  let members: readonly { name: string; check: Check }[] | undefined
  return (value, path, causes) => {
    members ??= fieldsOf(message).flatMap((field) => {
      const check = fieldCheck(message, field)
      return check === undefined ? [] : [{ name: field.name, check }]
    })
    const object = isJsonObject(value) ? value : {}
    for (const { name, check } of members) {
      path.push(name)
      check(object[name], path, causes)
      path.pop()
    }
  }
}

function fieldCheck(message: MessageType, field: Field): Check | undefined {
  const inner = valueCheck(field.type)
  const isNeeded = canBeMissing(message, field)
  const exists = field.type.kind === 'message' && !field.pointer
  if (!isNeeded && inner === undefined) return undefined
  const detail = details.get(`${message.id}.${field.name}`)
  return (value, path, causes) => {
    if (isNeeded && (value === undefined || value === '')) causes.push(required(formatPath(path), detail))
    else if (value !== undefined || exists) inner?.(value, path, causes)
  }
}

function canBeMissing({ id }: MessageType, { name, type, pointer, required }: Field): boolean {
  if (!required || mayBeEmpty.has(`${id}.${name}`)) return false
  return pointer || type.kind === 'list' || type.kind === 'map' || isText(type)
}

function isText(type: ValueType): boolean {
  return type.kind === 'scalar' && (type.scalar === 'string' || type.scalar === 'bytes')
}

/** Undefined: nothing in such a value can be missing. */
function valueCheck(type: ValueType): Check | undefined {
  const message = messageOf(type)
  if (message === undefined || !leadsToRequired(message)) return undefined
  return visitLeaves(type, (...given) => checkOf(message)(...given))
}
