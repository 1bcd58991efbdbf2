/**
 * JSON Patch, RFC 6902, over JSON Pointer, RFC 6901. Our own, because a patch comes from outside: copies are bounded,
 * and keys such as `__proto__` are plain keys.
 */

import type { Result } from '../../store/contract.ts'
import { fail, ok } from '../../store/contract.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { setOwn } from '../own.ts'
import { sameJson } from '../same-json.ts'
import { cloneJson, isDeeperThan, jsonSize, type MutableJson, type MutableObject } from './mutable-json.ts'

const operationsMax = 10_000
/** `copy` may add this many values in all. */
const copiedValuesMax = 100_000
/** Deeper results are refused: what walks them does so on the call stack. */
const nestingMax = 1000

/** `Malformed`: not a list of objects. `Rejected`: an operation means nothing, or not to this document. */
export interface JsonPatchFailure {
  readonly code: 'Malformed' | 'TooMany' | 'Rejected'
  readonly message: string
}

type Operation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: Pointer; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: Pointer }
  | { readonly op: 'move' | 'copy'; readonly path: Pointer; readonly from: Pointer }

/** Reference tokens, unescaped. */
type Pointer = readonly string[]

type JsonPatch = readonly Operation[]

/** Checks the form of a patch (RFC 6902) and its size, before anything is applied. */
export function parseJsonPatch(value: JsonValue): Result<JsonPatch, JsonPatchFailure> {
  if (!Array.isArray(value)) return fail(malformed('a JSON patch is an array of operations'))
  if (value.length > operationsMax) {
    return fail({
      code: 'TooMany',
      message: `The allowed maximum operations in a JSON patch is ${operationsMax}, got ${value.length}`,
    })
  }
  const operations: Operation[] = []
  for (const [index, entry] of value.entries()) {
    if (!isJsonObject(entry)) return fail(malformed(`operation ${index}: not an object`))
    const operation = parseOperation(entry)
    if (typeof operation === 'string')
      return fail({ code: 'Rejected', message: `operation ${index}: ${operation}` })
    operations.push(operation)
  }
  return ok(operations)
}

function malformed(message: string): JsonPatchFailure {
  return { code: 'Malformed', message }
}

/** The operation, or what is wrong with it. */
function parseOperation(entry: JsonObject): Operation | string {
  const { op } = entry
  const path = parsePointer(entry['path'])
  if (path === undefined) return 'path is not a JSON pointer'
  switch (op) {
    case 'add':
    case 'replace':
    case 'test':
      return entry['value'] === undefined ? `${op} needs a value` : { op, path, value: entry['value'] }
    case 'remove':
      return { op, path }
    case 'move':
    case 'copy': {
      const from = parsePointer(entry['from'])
      return from === undefined ? 'from is not a JSON pointer' : { op, path, from }
    }
    default:
      return `op is ${JSON.stringify(op)}, expected add, remove, replace, move, copy or test`
  }
}

function parsePointer(text: JsonValue | undefined): Pointer | undefined {
  if (typeof text !== 'string') return undefined
  if (text === '') return []
  if (!text.startsWith('/')) return undefined
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Changes the document in place and gives the result; after a failure the document is of no use. */
export function applyJsonPatch(
  document: MutableJson,
  patch: JsonPatch,
): Result<MutableJson, JsonPatchFailure> {
  const state: State = { root: document, copied: 0 }
  for (const [index, operation] of patch.entries()) {
    const problem = apply(state, operation)
    if (problem !== undefined) {
      const path = formatPointer(operation.path)
      return fail({
        code: 'Rejected',
        message: `operation ${index}: ${operation.op} operation does not apply: ${problem} (path "${path}")`,
      })
    }
  }
  return isDeeperThan(state.root, nestingMax)
    ? fail({ code: 'Rejected', message: `the result nests more than ${nestingMax} levels deep` })
    : ok(state.root)
}

interface State {
  root: MutableJson
  copied: number
}

function apply(state: State, operation: Operation): string | undefined {
  switch (operation.op) {
    case 'add':
      return add(state, operation.path, cloneJson(operation.value))
    case 'replace':
      return replace(state, operation.path, cloneJson(operation.value))
    case 'remove':
      return remove(state, operation.path)
    case 'test':
      return test(state, operation.path, operation.value)
    case 'move':
      return move(state, operation.from, operation.path)
    case 'copy':
      return copy(state, operation.from, operation.path)
  }
}

function test(state: State, path: Pointer, expected: JsonValue): string | undefined {
  const found = lookUp(state.root, path)
  // An absent member passes for null, as clients of this API know it.
  if (found === undefined && expected === null) return undefined
  return found !== undefined && sameJson(found, expected) ? undefined : `the value is not the expected one`
}

function add(state: State, path: Pointer, value: MutableJson): string | undefined {
  const last = path.at(-1)
  if (last === undefined) {
    state.root = value
    return undefined
  }
  const parent = lookUp(state.root, path.slice(0, -1))
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : arrayIndex(last, parent.length + 1)
    if (index === undefined) return `index ${last} is out of bounds`
    parent.splice(index, 0, value)
    return undefined
  }
  if (!isObject(parent)) return missing(path.slice(0, -1))
  setOwn(parent, last, value)
  return undefined
}

function replace(state: State, path: Pointer, value: MutableJson): string | undefined {
  const last = path.at(-1)
  if (last === undefined) {
    state.root = value
    return undefined
  }
  const parent = lookUp(state.root, path.slice(0, -1))
  if (Array.isArray(parent)) {
    const index = arrayIndex(last, parent.length)
    if (index === undefined) return missing(path)
    parent[index] = value
    return undefined
  }
  if (!isObject(parent) || !Object.hasOwn(parent, last)) return missing(path)
  setOwn(parent, last, value)
  return undefined
}

function remove(state: State, path: Pointer): string | undefined {
  const last = path.at(-1)
  if (last === undefined) return 'the whole document cannot be removed'
  const parent = lookUp(state.root, path.slice(0, -1))
  if (Array.isArray(parent)) {
    const index = arrayIndex(last, parent.length)
    if (index === undefined) return missing(path)
    parent.splice(index, 1)
    return undefined
  }
  if (!isObject(parent) || !Object.hasOwn(parent, last)) return missing(path)
  delete parent[last]
  return undefined
}

function move(state: State, from: Pointer, path: Pointer): string | undefined {
  if (path.length > from.length && from.every((token, index) => token === path[index]))
    return 'a value cannot be moved into itself'
  const value = lookUp(state.root, from)
  if (value === undefined) return missing(from)
  if (from.length === 0) return undefined
  return remove(state, from) ?? add(state, path, value)
}

function copy(state: State, from: Pointer, path: Pointer): string | undefined {
  const value = lookUp(state.root, from)
  if (value === undefined) return missing(from)
  state.copied += jsonSize(value, copiedValuesMax - state.copied)
  if (state.copied > copiedValuesMax) return `copies add more than ${copiedValuesMax} values`
  return add(state, path, cloneJson(value))
}

function lookUp(root: MutableJson, path: Pointer): MutableJson | undefined {
  let at: MutableJson | undefined = root
  for (const token of path) {
    if (Array.isArray(at)) {
      const index = arrayIndex(token, at.length)
      at = index === undefined ? undefined : at[index]
    } else if (isObject(at)) {
      at = Object.hasOwn(at, token) ? at[token] : undefined
    } else {
      return undefined
    }
  }
  return at
}

/** RFC 6901, section 4: digits without leading zeros. */
function arrayIndex(token: string, length: number): number | undefined {
  if (!/^(0|[1-9]\d*)$/.test(token)) return undefined
  const index = Number(token)
  return index < length ? index : undefined
}

function isObject(value: MutableJson | undefined): value is MutableObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function missing(path: Pointer): string {
  return `there is nothing at "${formatPointer(path)}"`
}

function formatPointer(path: Pointer): string {
  return path.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
