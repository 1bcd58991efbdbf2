/** JSON Merge Patch, RFC 7386. */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { setOwn } from '../own.ts'
import { cloneJson, type MutableJson, type MutableObject } from './mutable-json.ts'

/** Changes the document in place and gives the result. */
export function applyMergePatch(document: MutableJson, patch: JsonValue): MutableJson {
  return isJsonObject(patch) ? mergeInto(document, patch) : cloneJson(patch)
}

function mergeInto(document: MutableJson | undefined, patch: JsonObject): MutableObject {
  const target: MutableObject = isMutableObject(document) ? document : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue
    if (value === null) delete target[name]
    else if (isJsonObject(value)) {
      const before = Object.hasOwn(target, name) ? target[name] : undefined
      setOwn(target, name, mergeInto(before, value))
    } else setOwn(target, name, cloneJson(value))
  }
  return target
}

function isMutableObject(value: MutableJson | undefined): value is MutableObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
