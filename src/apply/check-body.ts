/**
 * Is an apply body of the type it is applied to? Field ownership needs every field declared, every value of its
 * kind, every list item told apart and none twice. All problems at once.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { depthMax } from '../schema/decode.ts'
import type { ScalarType } from '../schema/descriptor.ts'
import { plainText, sourceText, typeText } from '../status/plain-values.ts'
import { describeElement, fieldElement } from './element.ts'
import { isList } from './equality.ts'
import { itemElement } from './list-items.ts'
import type { ListShape, Shape, StructShape } from './shape.ts'

/** Longest list of problems in one answer; the rest is counted. */
const problemsMax = 50

interface Check {
  readonly problems: string[]
  path: string
}

/** Sentences that start with the path (`.spec.replicas: expected …`); empty = fine. */
export function checkBody(shape: StructShape, body: JsonObject): readonly string[] {
  if (isDeeperThan(body, depthMax)) return [`.: nested deeper than ${depthMax} levels`]
  const check: Check = { problems: [], path: '' }
  checkStruct(check, shape, body)
  return check.problems
}

/** Walks no deeper than that itself. */
function isDeeperThan(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  const parts: readonly (JsonValue | undefined)[] = isList(value) ? value : Object.values(value)
  return parts.some((part) => part !== undefined && isDeeperThan(part, levels - 1))
}

/** One problem as it is, several as a list. */
export function describeProblems(problems: readonly string[]): string {
  const [first = ''] = problems
  if (problems.length <= 1) return first
  const shown = problems.slice(0, problemsMax).map((problem) => `  ${problem}`)
  if (problems.length > problemsMax) shown.push(`  and ${problems.length - problemsMax} more`)
  return ['errors:', ...shown].join('\n')
}

function report(check: Check, problem: string): void {
  check.problems.push(`${check.path}: ${problem}`)
}

function within(check: Check, element: string, action: () => void): void {
  const { path } = check
  check.path = path + describeElement(element)
  action()
  check.path = path
}

function checkValue(check: Check, shape: Shape, value: JsonValue): void {
  if (value === null) return
  switch (shape.kind) {
    case 'leaf':
      checkScalar(check, shape.scalar, value)
      return
    case 'struct':
      checkStruct(check, shape, value)
      return
    case 'map':
      checkMap(check, shape.value, value)
      return
    case 'list':
      checkList(check, shape, value)
      return
    case 'deduced':
    case 'untracked':
      return
  }
}

function checkScalar(check: Check, scalar: ScalarType | 'any', value: JsonValue): void {
  const problem = scalarProblem(scalar, value)
  if (problem !== undefined) report(check, problem)
}

function scalarProblem(scalar: ScalarType | 'any', value: JsonValue): string | undefined {
  const kind = typeof value
  switch (scalar) {
    case 'string':
    case 'bytes':
      return kind === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${shorten(sourceText(value))}}`
    case 'bool':
      return kind === 'boolean' ? undefined : `expected boolean, got ${boxed(value)}`
    case 'int32':
    case 'int64':
    case 'double':
      return kind === 'number' ? undefined : `expected numeric (int or float), got ${typeText(value)}`
    case 'time':
    case 'microTime':
    case 'quantity':
    case 'intOrString':
    case 'any':
      return kind === 'object' ? `expected any scalar, got ${boxed(value)}` : undefined
    case 'json':
    case 'rawExtension':
      return undefined
  }
}

/** Longest value in a message, in characters. */
const shownMax = 120

/** As the original shows what it has wrapped. */
function boxed(value: JsonValue): string {
  return `&{${shorten(plainText(value))}}`
}

function shorten(text: string): string {
  return text.length <= shownMax ? text : `${text.slice(0, shownMax)}…`
}

function checkStruct(check: Check, shape: StructShape, value: JsonValue): void {
  if (!isJsonObject(value)) {
    if (!shape.isOpen) report(check, `expected map, got ${boxed(value)}`)
    return
  }
  for (const name in value) {
    const part = value[name]
    if (part === undefined) continue
    const field = shape.fields.get(name)
    within(check, field?.element ?? fieldElement(name), () =>
      checkField(check, field?.shape ?? shape.others, part),
    )
  }
}

function checkField(check: Check, shape: Shape | undefined, value: JsonValue): void {
  if (shape !== undefined) checkValue(check, shape, value)
  else report(check, 'field not declared in schema')
}

function checkMap(check: Check, shape: Shape, value: JsonValue): void {
  if (!isJsonObject(value)) {
    report(check, `expected map, got ${boxed(value)}`)
    return
  }
  for (const name in value) {
    const part = value[name]
    if (part !== undefined) within(check, fieldElement(name), () => checkValue(check, shape, part))
  }
}

function checkList(check: Check, shape: ListShape, value: JsonValue): void {
  if (!isList(value)) {
    report(check, `expected list, got ${boxed(value)}`)
    return
  }
  const seen = new Set<string>()
  for (const [index, item] of value.entries()) {
    if (shape.type === 'atomic') {
      within(check, `i:${index}`, () => checkValue(check, shape.item, item))
      continue
    }
    const element = itemElement(shape, item, true)
    if (!element.ok) {
      // What cannot be told apart has no path, and what is behind it no certain one.
      report(check, `element ${index}: ${element.failure}`)
      return
    }
    if (seen.has(element.value)) report(check, `duplicate entries for key ${describeElement(element.value)}`)
    seen.add(element.value)
    within(check, element.value, () => checkValue(check, shape.item, item))
  }
}
