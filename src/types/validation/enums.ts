/**
 * Values that are not among those the schema allows, wherever they stand in an object, all at once. Empty texts mean
 * "not said", and `status` is the server's: neither is looked at. The walk over a message is compiled at first use and
 * visits only what leads to an enumeration.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { Field, MessageType } from '../../schema/descriptor.ts'
import { formatPath } from '../../schema/path.ts'
import { leadsTo, madeOnce, messageOf, type Visit, visitLeaves } from '../../schema/walk.ts'
import { notSupported } from '../../status/causes.ts'
import type { Causes } from './checks.ts'

type Check = Visit<Causes>

/** Narrower than the schema says: these values exist, but none may use them any more. */
const supportedNow: ReadonlyMap<string, readonly string[]> = new Map(
  ['ValidatingWebhook', 'MutatingWebhook'].map((name) => [
    `admissionregistration/v1.${name}.sideEffects`,
    ['None', 'NoneOnDryRun'],
  ]),
)

const leadsToEnum = leadsTo((message) => fieldsOf(message).some(isClosed), fieldsOf)
const checkOf = madeOnce(messageCheck)

export function checkEnums(causes: Causes, message: MessageType, object: JsonObject): void {
  if (leadsToEnum(message)) checkOf(message)(object, [], causes)
}

function fieldsOf(message: MessageType): readonly Field[] {
  if (message.jsonForm !== undefined) return []
  return [...message.jsonFields.values()].filter(({ name }) => !message.root || name !== 'status')
}

function isClosed(field: Field): boolean {
  return field.enum !== undefined && !field.enumOpen
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
    return visitLeaves(
      field.type,
      valueCheck(supportedNow.get(`${message.id}.${field.name}`) ?? field.enum ?? []),
    )
  }
  const inner = messageOf(field.type)
  if (inner === undefined || !leadsToEnum(inner)) return undefined
  return visitLeaves(field.type, (value, path, causes) => checkOf(inner)(value, path, causes))
}

function valueCheck(values: readonly string[]): Check {
  const known = new Set<JsonValue | undefined>(values)
  const shown = values.filter((value) => value !== '').sort()
  return (value, path, causes) => {
    if (value !== '' && !known.has(value)) causes.push(notSupported(formatPath(path), value, shown))
  }
}
