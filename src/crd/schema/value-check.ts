/**
 * The checks of a schema, put together once for each node at its first use. Each walks a value and tells what is wrong
 * with it; nothing is allocated for paths or messages until something is. The order of what is told, and what counts as
 * the nearest of several alternatives, are what clients of this API know: Kubernetes API conventions, "Validation";
 * JSON Schema of OpenAPI 3.0.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { own } from '../../own.ts'
import { alternativesCheck } from './alternatives.ts'
import { correlatedElements } from './correlation.ts'
import { enumCheck } from './enum-check.ts'
import { numberCheck } from './numbers.ts'
import { missingMember, notUnique, tooFew, tooMany } from './problems.ts'
import { type Check, type Run, report } from './run.ts'
import type { NestedValidation, Structural, StructuralType, ValueValidation } from './structural.ts'
import { textCheck } from './text-check.ts'
import { typeCheck } from './type-check.ts'
import { hasDuplicates } from './unique.ts'

const checks = new WeakMap<Structural, Check>()

/** Of a place; made once. */
export function checkOf(node: Structural): Check {
  const known = checks.get(node)
  if (known !== undefined) return known
  const check = forgiving(node, placeCheck(placeOf(node)))
  checks.set(node, check)
  return check
}

/** What is wrong with a value that did not change is no reason to refuse a change. */
function forgiving(node: Structural, check: Check): Check {
  return (value, old, run, depth) => {
    const before = run.problems.length
    const count = check(value, old, run, depth)
    if (
      old !== undefined &&
      run.problems.length > before &&
      run.correlation?.isSame(value, old, node) === true
    )
      run.problems.length = before
    return count
  }
}

/** What a node asks, whichever kind of node it is. */
interface Place {
  readonly types: readonly StructuralType[]
  readonly nullable: boolean
  readonly validation: ValueValidation
  readonly member: (name: string) => Check | undefined
  readonly items: Check | undefined
  /** Of places whose values may be correlated with those of before. */
  readonly structural: Structural | undefined
}

const intOrString: readonly StructuralType[] = ['integer', 'string']

function placeOf(node: Structural): Place {
  const { type, nullable, validation, properties, additionalProperties, items } = node
  const others = additionalProperties === true ? undefined : additionalProperties
  const made = new Map<string, Check>()
  const ofOthers = others === undefined ? undefined : lazily(() => checkOf(others))
  return {
    types: node.intOrString ? intOrString : type === undefined ? [] : [type],
    nullable,
    validation,
    member: (name) => {
      const known = made.get(name)
      if (known !== undefined) return known
      const property = properties.get(name)
      if (property === undefined) return ofOthers
      const check = checkOf(property)
      made.set(name, check)
      return check
    },
    items: items === undefined ? undefined : lazily(() => checkOf(items)),
    structural: node,
  }
}

function nestedCheck(node: NestedValidation): Check {
  const { type, properties, additionalProperties, items } = node
  const made = new Map<NestedValidation, Check>()
  const checkOfNested = (one: NestedValidation): Check => {
    const check = made.get(one) ?? nestedCheck(one)
    made.set(one, check)
    return check
  }
  return placeCheck({
    types: type === undefined ? [] : [type],
    nullable: false,
    validation: node,
    member: (name) => {
      const property = properties.get(name) ?? additionalProperties
      return property === undefined ? undefined : checkOfNested(property)
    },
    items: items === undefined ? undefined : lazily(() => nestedCheck(items)),
    structural: undefined,
  })
}

function lazily(make: () => Check): Check {
  let check: Check | undefined
  return (value, old, run, depth) => {
    check ??= make()
    return check(value, old, run, depth)
  }
}

/** What is counted of every value that is not null: its alternatives, its enumeration and itself were looked at. */
const everyCount = 4

function placeCheck(place: Place): Check {
  const { validation } = place
  const checkType = typeCheck(place.types, place.nullable, validation.format)
  const checkAlternatives = alternativesCheck(validation, nestedCheck)
  const checkText = textCheck(validation)
  const checkNumber = numberCheck(validation)
  const checkEnum = enumCheck(validation.enum)
  return (value, old, run, depth) => {
    const typed = checkType === undefined ? 0 : checkType(value, run, depth)
    if (value === null) {
      checkEnum?.(value, run, depth)
      return typed > 0 ? typed - 1 : 1
    }
    let count = typed + everyCount
    if (checkAlternatives !== undefined) count += checkAlternatives(value, run, depth)
    if (typeof value === 'string') count += checkText(value, run, depth)
    else if (typeof value === 'number') {
      count += 2
      checkNumber?.(value, run, depth)
    } else if (Array.isArray(value)) count += checkList(value, old, place, run, depth)
    checkEnum?.(value, run, depth)
    if (isJsonObject(value)) count += checkObject(value, old, place, run, depth)
    return count
  }
}

function checkList(
  list: readonly JsonValue[],
  old: JsonValue | undefined,
  { items, structural, validation: { minItems, maxItems, uniqueItems } }: Place,
  run: Run,
  depth: number,
): number {
  let count = 2
  if (items !== undefined) {
    const before =
      old === undefined || structural === undefined ? undefined : correlatedElements(structural, old)
    for (let index = 0; index < list.length; index++) {
      const element = list[index] ?? null
      run.path[depth] = index
      count += items(element, before?.(element), run, depth + 1)
    }
  }
  if (minItems !== undefined && list.length < minItems)
    report(run, depth, (path) => tooFew(path, list.length, minItems, 'items'))
  if (maxItems !== undefined && list.length > maxItems)
    report(run, depth, (path) => tooMany(path, list.length, maxItems, 'items'))
  if (uniqueItems && hasDuplicates(list)) report(run, depth, notUnique)
  return count
}

function checkObject(
  object: JsonObject,
  old: JsonValue | undefined,
  { member, validation: { minProperties, maxProperties, required } }: Place,
  run: Run,
  depth: number,
): number {
  let count = 1
  const names = Object.keys(object)
  if (minProperties !== undefined && names.length < minProperties)
    report(run, depth, (path) => tooFew(path, names.length, minProperties, 'properties'))
  if (maxProperties !== undefined && names.length > maxProperties)
    report(run, depth, (path) => tooMany(path, names.length, maxProperties, 'properties'))
  const before = isJsonObject(old) ? old : undefined
  for (const name of names) {
    const check = member(name)
    if (check === undefined) continue
    run.path[depth] = name
    const was = before === undefined ? undefined : oldMember(before, name, depth)
    count += check(object[name] ?? null, was, run, depth + 1)
  }
  for (const name of required) {
    if (!Object.hasOwn(object, name)) report(run, depth, (path) => missingMember(path, name))
  }
  return count
}

/** The version of an object is not what was stored of it, so a change of it is never seen. */
function oldMember(old: JsonObject, name: string, depth: number): JsonValue | undefined {
  return depth === 0 && (name === 'apiVersion' || name === 'kind') ? undefined : own(old, name)
}
