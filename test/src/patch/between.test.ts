/** A patch made from two documents, applied to the first, gives the second. RFC 6902, RFC 7386. */

import t from 'tap'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/json.ts'
import { applyJsonPatch, parseJsonPatch } from '../../../src/patch/json-patch.ts'
import { applyMergePatch } from '../../../src/patch/merge-patch.ts'
import { cloneJson } from '../../../src/patch/mutable-json.ts'
import { sameJson } from '../../../src/same-json.ts'
import { createRandom, type Random } from '../../support/random.ts'

const names = ['a', 'b', 'a/b', 'm~n', '', '0', '-', '__proto__', 'constructor', 'é "']

/** `nulls`: a merge patch cannot say null. */
function randomValue(random: Random, depth: number, nulls: boolean): JsonValue {
  const kind = random.below(depth > 0 ? 8 : 5)
  switch (kind) {
    case 0:
      return nulls ? null : 0
    case 1:
      return random.below(2) === 0
    case 2:
      return random.below(3) - 1
    case 3:
    case 4:
      return random.pick(names)
    case 5:
      return Array.from({ length: random.below(4) }, () => randomValue(random, depth - 1, nulls))
    default:
      return randomObject(random, depth - 1, nulls)
  }
}

function randomObject(random: Random, depth: number, nulls: boolean): JsonObject {
  const members = names
    .filter(() => random.below(3) === 0)
    .map((name) => [name, randomValue(random, depth, nulls)] as const)
  return Object.fromEntries(members)
}

/** Another document that shares much with the first. */
function neighbour(value: JsonValue, random: Random, nulls: boolean): JsonValue {
  if (random.below(6) === 0) return randomValue(random, 2, nulls)
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[])
      .filter(() => random.below(6) > 0)
      .map((one) => neighbour(one, random, nulls))
  }
  if (!isJsonObject(value)) return value
  const kept = Object.entries(value)
    .filter(() => random.below(6) > 0)
    .map(([name, part]) => [name, neighbour(part ?? null, random, nulls)] as const)
  return { ...Object.fromEntries(kept), ...(random.below(3) === 0 ? randomObject(random, 1, nulls) : {}) }
}

const membersOf = (object: JsonObject): readonly string[] => Object.keys(object)
const own = (object: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** RFC 7386: members that are gone are null, objects are gone into, all else is replaced. */
function mergeBetween(from: JsonObject, to: JsonObject): JsonObject {
  const entries: (readonly [string, JsonValue])[] = []
  for (const name of membersOf(from)) if (own(to, name) === undefined) entries.push([name, null])
  for (const name of membersOf(to)) {
    const [before, after] = [own(from, name), own(to, name) ?? null]
    if (sameJson(before, after)) continue
    entries.push([
      name,
      isJsonObject(after) ? mergeBetween(isJsonObject(before) ? before : {}, after) : after,
    ])
  }
  return Object.fromEntries(entries)
}

const pointer = (path: readonly (string | number)[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** RFC 6902: tests of what is there, then adds, removals from the end of arrays, and replacements. */
function operationsBetween(
  from: JsonValue,
  to: JsonValue,
  path: readonly (string | number)[] = [],
): JsonValue[] {
  if (sameJson(from, to)) return []
  if (isJsonObject(from) && isJsonObject(to)) {
    return [
      ...membersOf(from).flatMap((name): JsonValue[] => {
        const after = own(to, name)
        const at = [...path, name]
        return after === undefined
          ? [
              { op: 'test', path: pointer(at), value: own(from, name) ?? null },
              { op: 'remove', path: pointer(at) },
            ]
          : operationsBetween(own(from, name) ?? null, after, at)
      }),
      ...membersOf(to)
        .filter((name) => own(from, name) === undefined)
        .map(
          (name): JsonValue => ({ op: 'add', path: pointer([...path, name]), value: own(to, name) ?? null }),
        ),
    ]
  }
  if (Array.isArray(from) && Array.isArray(to)) {
    const [before, after]: readonly (readonly JsonValue[])[] = [from, to]
    if (before === undefined || after === undefined) return []
    const shared = Math.min(before.length, after.length)
    return [
      ...before.slice(0, shared).flatMap((one, i) => operationsBetween(one, after[i] ?? null, [...path, i])),
      ...before.slice(shared).map((): JsonValue => ({ op: 'remove', path: pointer([...path, shared]) })),
      ...after.slice(shared).map(
        (value, i): JsonValue => ({
          op: 'add',
          path: pointer([...path, i % 2 === 0 ? shared + i : '-']),
          value,
        }),
      ),
    ]
  }
  return [{ op: 'replace', path: pointer(path), value: to }]
}

const rounds = 1000
const seed = 4711

t.test(`merge patch (seed ${seed})`, (t) => {
  const random = createRandom(seed)
  for (let round = 0; round < rounds; round++) {
    const from = randomObject(random, 3, false)
    const other = neighbour(from, random, false)
    const to = isJsonObject(other) ? other : {}
    const patch = mergeBetween(from, to)
    const found = applyMergePatch(cloneJson(from), patch)
    if (sameJson(found, to)) continue
    t.same(found, to, `round ${round}: ${JSON.stringify({ from, patch })}`)
    break
  }
  t.end()
})

t.test(`a merge patch applied twice is applied once (seed ${seed})`, (t) => {
  const random = createRandom(seed + 1)
  for (let round = 0; round < rounds; round++) {
    const patch = neighbour(randomObject(random, 3, true), random, true)
    const once = applyMergePatch(cloneJson(randomObject(random, 3, true)), patch)
    const twice = applyMergePatch(cloneJson(once), patch)
    if (sameJson(once, twice)) continue
    t.same(twice, once, `round ${round}: ${JSON.stringify(patch)}`)
    break
  }
  t.end()
})

t.test(`JSON Patch (seed ${seed})`, (t) => {
  const random = createRandom(seed + 2)
  for (let round = 0; round < rounds; round++) {
    const from = randomValue(random, 4, true)
    const to = neighbour(from, random, true)
    const operations = operationsBetween(from, to)
    const patch = parseJsonPatch(operations)
    if (!patch.ok) throw new Error(`round ${round}: ${patch.failure.message}`)
    const patched = applyJsonPatch(cloneJson(from), patch.value)
    const found = patched.ok ? patched.value : patched.failure.message
    if (sameJson(found, to)) continue
    t.same(found, to, `round ${round}: ${JSON.stringify({ from, operations })}`)
    break
  }
  t.end()
})
