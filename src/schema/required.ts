/**
 * Required fields that are not given, all at once. Numbers and booleans cannot be missing: zero is what their
 * absence means. What is below an absent message counts as missing only when that message exists anyway.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { required } from '../status/causes.ts'
import type { Cause } from '../status/status.ts'
import type { Field, MessageType, ValueType } from './descriptor.ts'
import { formatPath, type PathSegment } from './path.ts'

/** Published as required, but always accepted when empty, or judged elsewhere (owners: with the metadata). */
const mayBeEmpty: ReadonlySet<string> = new Set([
  'apps/v1.StatefulSetSpec.serviceName',
  'batch/v1.PodFailurePolicy.rules',
  'core/v1.HTTPHeader.value',
  'core/v1.LimitRangeSpec.limits',
  'core/v1.Sysctl.value',
  'discovery/v1.EndpointSlice.endpoints',
  'meta/v1.OwnerReference.apiVersion',
  'meta/v1.OwnerReference.kind',
  'meta/v1.OwnerReference.name',
  'meta/v1.OwnerReference.uid',
  'storage/v1.CSINodeSpec.drivers',
  'storage/v1.TokenRequest.audience',
])

type Check = (value: JsonValue | undefined, path: PathSegment[], causes: Cause[]) => void

const checks = new WeakMap<MessageType, Check>()

/** `status` of a root message is the server's, and not looked at. */
export function missingRequired(message: MessageType, object: JsonObject): Cause[] {
  const causes: Cause[] = []
  checkOf(message)(object, [], causes)
  return causes
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
  const skipped = message.root ? 'status' : undefined
  return (value, path, causes) => {
    members ??= [...message.jsonFields.values()]
      .filter(({ name }) => name !== skipped)
      .flatMap((field) => {
        const check = fieldCheck(field, mayBeEmpty.has(`${message.id}.${field.name}`))
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

function fieldCheck({ type, pointer, required: isRequired }: Field, empty: boolean): Check | undefined {
  const inner = valueCheck(type)
  const canBeMissing =
    isRequired && !empty && (pointer || type.kind === 'list' || type.kind === 'map' || isText(type))
  const exists = type.kind === 'message' && !pointer
  if (!canBeMissing && inner === undefined) return undefined
  return (value, path, causes) => {
    if (canBeMissing && (value === undefined || value === '')) causes.push(required(formatPath(path)))
    else if (value !== undefined || exists) inner?.(value, path, causes)
  }
}

function isText(type: ValueType): boolean {
  return type.kind === 'scalar' && (type.scalar === 'string' || type.scalar === 'bytes')
}

function valueCheck(type: ValueType): Check | undefined {
  switch (type.kind) {
    case 'scalar':
      return undefined
    case 'message': {
      const { message } = type
      return message.jsonForm === undefined ? (...given) => checkOf(message)(...given) : undefined
    }
    case 'list': {
      const element = valueCheck(type.element)
      if (element === undefined) return undefined
      return (value, path, causes) => {
        if (!Array.isArray(value)) return
        for (const [i, one] of value.entries()) {
          path.push(i)
          element(one, path, causes)
          path.pop()
        }
      }
    }
    case 'map': {
      const member = valueCheck(type.value)
      if (member === undefined) return undefined
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
