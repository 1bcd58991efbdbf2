/**
 * Sets of fields. A set is its own wire form (FieldsV1), so stored sets are used as they come and sets that did not
 * change are written back as they came:
 *
 *     { "f:spec": { "f:replicas": {}, "f:selector": { ".": {}, "f:app": {} } } }
 *
 *     is { spec.replicas, spec.selector, spec.selector.app }: a path is a member when its node is empty or holds
 *     ".", and `spec` above is not. The root is never a member: {} at the root is the empty set.
 *
 * Sets are never changed once made; operations share the parts that did not change. Steps are in the order of
 * `compareElements`, so equal sets have equal texts.
 */

import { compareElements, self } from './element.ts'

export interface FieldSet {
  readonly [element: string]: FieldSet
}

/** A set while it is made. */
export interface MutableSet {
  [element: string]: MutableSet
}

export const emptySet: FieldSet = Object.freeze({})
const member: FieldSet = emptySet

/** Holds no path; of a node below the root: it is a member without parts. */
export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false
  return true
}

/** Of a node below the root: is its own path in the set? */
export function isMember(node: FieldSet | undefined): boolean {
  return node !== undefined && (node[self] !== undefined || isEmptySet(node))
}

/** Of a node: are there members below it? */
export function hasParts(node: FieldSet | undefined): boolean {
  if (node === undefined) return false
  for (const element in node) if (element !== self) return true
  return false
}

/** A node made of membership and parts; undefined when it would hold nothing. */
function nodeOf(isIn: boolean, parts: FieldSet): FieldSet | undefined {
  if (isEmptySet(parts)) return isIn ? member : undefined
  return isIn ? { [self]: member, ...parts } : parts
}

function withSelf(node: FieldSet): FieldSet {
  return node[self] !== undefined || isEmptySet(node) ? node : { [self]: member, ...node }
}

/** Members of either. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a
  return isEmptySet(a) ? b : unionParts(a, b)
}

function unionNode(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a)) return withSelf(b)
  if (isEmptySet(b)) return withSelf(a)
  return unionParts(a, b)
}

function unionParts(a: FieldSet, b: FieldSet): FieldSet {
  const elementsA = Object.keys(a)
  const elementsB = Object.keys(b)
  const out: MutableSet = {}
  let changed = false
  let j = 0
  for (const element of elementsA) {
    let other = elementsB[j]
    while (other !== undefined && compareElements(other, element) < 0) {
      out[other] = childOf(b, other)
      changed = true
      other = elementsB[++j]
    }
    const mine = childOf(a, element)
    if (other === element) {
      j++
      const merged = unionNode(mine, childOf(b, element))
      if (merged !== mine) changed = true
      out[element] = merged
    } else {
      out[element] = mine
    }
  }
  for (; j < elementsB.length; j++) {
    const element = elementsB[j] ?? ''
    out[element] = childOf(b, element)
    changed = true
  }
  return changed ? out : a
}

/** The node of a step that the set has. */
export function childOf(set: FieldSet, element: string): FieldSet {
  return set[element] ?? member
}

/** Members of `a` that are not members of `b`. Taking a path away leaves its parts. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false)
}

/** The same, but taking a path away takes its parts along. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true)
}

function subtract(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet {
  let touched = false
  for (const element in b) {
    if (element !== self && a[element] !== undefined) {
      touched = true
      break
    }
  }
  if (!touched) return a
  const out: MutableSet = {}
  let changed = false
  for (const element in a) {
    if (element === self) continue
    const mine = childOf(a, element)
    const other = b[element]
    const left = other === undefined ? mine : subtractNode(mine, other, recursive)
    if (left !== mine) changed = true
    if (left !== undefined) out[element] = left
  }
  if (!changed) return a
  return a[self] === undefined ? out : { [self]: member, ...out }
}

function subtractNode(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet | undefined {
  const isTaken = isMember(b)
  if (isTaken && recursive) return undefined
  const isIn = isMember(a)
  if (!hasParts(a)) return isIn && isTaken ? undefined : a
  const rest = subtract(a, b, recursive)
  if (rest === a && !(isIn && isTaken)) return a
  return nodeOf(isIn && !isTaken, partsOf(rest))
}

/** A node without its own membership. */
function partsOf(node: FieldSet): FieldSet {
  if (node[self] === undefined) return node
  const { [self]: _, ...parts } = node
  return parts
}

/** Members of both. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a
  const out: MutableSet = {}
  for (const element in a) {
    const other = b[element]
    if (element === self || other === undefined) continue
    const mine = childOf(a, element)
    const node = nodeOf(isMember(mine) && isMember(other), intersection(mine, other))
    if (node !== undefined) out[element] = node
  }
  return out
}

/** The same members; the order of steps does not matter. */
export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true
  const elements = Object.keys(a)
  if (elements.length !== Object.keys(b).length) return false
  return elements.every((element) => {
    const other = b[element]
    return other !== undefined && equalSets(childOf(a, element), other)
  })
}

/** Members of `a` are all members of `b`. */
export function isSubset(a: FieldSet, b: FieldSet): boolean {
  for (const element in a) {
    if (element === self) continue
    const mine = childOf(a, element)
    const other = b[element]
    if (other === undefined || (isMember(mine) && !isMember(other)) || !isSubset(mine, other)) return false
  }
  return true
}

/** All members: those of one node before those below it. */
export function pathsOf(set: FieldSet): readonly (readonly string[])[] {
  const paths: (readonly string[])[] = []
  collectPaths(set, [], paths)
  return paths
}

function collectPaths(node: FieldSet, path: readonly string[], paths: (readonly string[])[]): void {
  const elements = Object.keys(node).filter((element) => element !== self)
  for (const element of elements) if (isMember(node[element])) paths.push([...path, element])
  for (const element of elements) collectPaths(childOf(node, element), [...path, element], paths)
}
