/** How field sets come to be: of paths, or of what a client wrote. Their steps end up in order. */

import { isJsonObject, type JsonValue } from '../json.ts'
import { canonicalElement, compareElements, self } from './element.ts'
import { childOf, emptySet, type FieldSet, isEmptySet, type MutableSet } from './field-set.ts'

/** A set of these paths. */
export function setOf(paths: Iterable<readonly string[]>): FieldSet {
  const builder = createSetBuilder()
  for (const path of paths) builder.insert(path, path.length)
  return builder.build()
}

export interface SetBuilder {
  /** Adds the first `length` steps of `path` as a member; none = nothing. */
  insert(path: readonly string[], length: number): void
  /** The set; the builder is spent. */
  build(): FieldSet
}

export function createSetBuilder(): SetBuilder {
  let root: MutableSet | undefined
  const descend = (path: readonly string[], length: number): MutableSet => {
    root ??= {}
    let node = root
    for (let depth = 0; depth < length; depth++) {
      const element = path[depth] ?? ''
      let next = node[element]
      if (next === undefined) {
        next = {}
        node[element] = next
      } else if (isEmptySet(next)) {
        next[self] = {} // was a member without parts, gets parts now
      }
      node = next
    }
    return node
  }
  return {
    insert(path, length) {
      if (length === 0) return
      const parent = descend(path, length - 1)
      const element = path[length - 1] ?? ''
      const node = parent[element]
      if (node === undefined) parent[element] = {}
      else if (!isEmptySet(node)) node[self] = {}
    },
    build: () => (root === undefined ? emptySet : inOrder(root)),
  }
}

/** The same set with its steps in order. */
function inOrder(set: FieldSet): FieldSet {
  const elements = Object.keys(set)
  const sorted = isInOrder(elements)
  if (!sorted) sortElements(elements)
  const out: MutableSet = {}
  let changed = !sorted
  for (const element of elements) {
    const node = childOf(set, element)
    const ordered = isEmptySet(node) ? node : inOrder(node)
    if (ordered !== node) changed = true
    out[element] = ordered
  }
  return changed ? out : set
}

/** Few as a rule, and nearly in order: then moving each to its place costs less than a sort that copies them. */
function sortElements(elements: string[]): void {
  if (elements.length > 24) {
    elements.sort(compareElements)
    return
  }
  for (let at = 1; at < elements.length; at++) {
    const element = elements[at] ?? ''
    let to = at
    for (; to > 0 && compareElements(elements[to - 1] ?? '', element) > 0; to--)
      elements[to] = elements[to - 1] ?? ''
    elements[to] = element
  }
}

function isInOrder(elements: readonly string[]): boolean {
  for (let at = 1; at < elements.length; at++) {
    if (compareElements(elements[at - 1] ?? '', elements[at] ?? '') >= 0) return false
  }
  return true
}

/** Deepest path of a set that is taken from a client. */
const depthMax = 128

/**
 * Reads a set that a client wrote: canonical, steps of later releases dropped. Undefined = not a field set (a step
 * that is none, a node that is no object, deeper than 128 steps).
 */
export function parseFieldSet(value: JsonValue | undefined): FieldSet | undefined {
  if (!isJsonObject(value)) return undefined
  const builder = createSetBuilder()
  return collectParsed(value, [], builder) ? builder.build() : undefined
}

function collectParsed(value: JsonValue | undefined, path: string[], builder: SetBuilder): boolean {
  if (!isJsonObject(value) || path.length > depthMax) return false
  const elements = Object.keys(value)
  if (elements.length === 0) builder.insert(path, path.length)
  for (const raw of elements) {
    const element = canonicalElement(raw)
    if (element === null) return false
    if (element === undefined) continue
    if (element === self) {
      builder.insert(path, path.length)
      continue
    }
    path.push(element)
    const valid = collectParsed(value[raw], path, builder)
    path.pop()
    if (!valid) return false
  }
  return true
}
