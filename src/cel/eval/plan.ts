/** Turns a checked tree into closures, one for each node. */

import type { Checked } from '../check/checker.ts'
import type { Binding } from '../check/scope.ts'
import type { Expr, Ident, ListLiteral, Logical, MapLiteral, Select, StructLiteral } from '../syntax/ast.ts'
import { type CelType, cel, type ObjectType, runtimeNameOf } from '../types.ts'
import { converterOf, isPlainObject, ownProperty } from '../values/json.ts'
import {
  ArrayList,
  CelError,
  CelMap,
  CelOptional,
  CelTypeValue,
  EntryMap,
  mapKey,
  noSuchKey,
  noSuchOverload,
  typeNameOf,
  type Value,
} from '../values/value.ts'
import { planCall } from './calls.ts'
import { planComprehension, planOptionalMap } from './comprehensions.ts'
import { costs, type Frame, halted, overdrawn, type Step } from './frame.ts'

export function plan(expr: Expr, checked: Checked): Step {
  switch (expr.kind) {
    case 'literal': {
      const { value } = expr
      return () => value
    }
    case 'ident':
      return planName(expr, checked)
    case 'select':
      return checked.names.has(expr) ? planName(expr, checked) : planSelect(expr, checked)
    case 'call':
      return planCall(expr, checked)
    case 'logical':
      return planLogical(expr, checked)
    case 'list':
      return planList(expr, checked)
    case 'map':
      return planMap(expr, checked)
    case 'struct':
      return planStruct(expr, checked)
    case 'comprehension':
      return planComprehension(expr, checked)
    case 'optMap':
      return planOptionalMap(expr, checked)
  }
}

function bindingOf(expr: Ident | Select, checked: Checked): Binding {
  const binding = checked.names.get(expr)
  if (binding === undefined) throw new TypeError('a name without a meaning was planned')
  return binding
}

function planName(expr: Ident | Select, checked: Checked): Step {
  const binding = bindingOf(expr, checked)
  switch (binding.kind) {
    case 'local': {
      const { slot } = binding
      return (frame) => (overdrawn(frame, costs.access) ? halted : (frame.locals[slot] ?? null))
    }
    case 'variable': {
      const read = readVariable(binding.name)
      const convert = converterOf(binding.type)
      return (frame) => {
        const json = read(frame)
        return json instanceof CelError ? json : convert(json)
      }
    }
    case 'type': {
      const type = binding.type.kind === 'type' ? (binding.type.of ?? cel.dyn) : cel.dyn
      const value = new CelTypeValue(runtimeNameOf(type))
      return (frame) => (overdrawn(frame, costs.access) ? halted : value)
    }
  }
}

/** JSON not yet converted, or an error. */
type RawStep = (frame: Frame) => unknown

function readVariable(name: string): RawStep {
  const missing = new CelError(`no such attribute(s): ${name}`)
  const inherited = name in Object.prototype
  return (frame) => {
    if (overdrawn(frame, costs.access)) return halted
    const json = inherited ? ownProperty(frame.variables, name) : frame.variables[name]
    return json === undefined ? missing : json
  }
}

/** Whether values of the type are JSON objects, so that a path through them needs no conversion on the way. */
function isPathType(type: CelType | undefined): boolean {
  return (
    type?.kind === 'object' ||
    (type?.kind === 'map' && (type.key.kind === 'string' || type.key.kind === 'dyn'))
  )
}

/** A path of selections from a variable down through JSON objects: `self.spec.replicas`. */
function planPath(expr: Expr, checked: Checked): RawStep | undefined {
  const binding = checked.names.get(expr)
  if (binding !== undefined) return binding.kind === 'variable' ? readVariable(binding.name) : undefined
  if (expr.kind !== 'select' || expr.mode !== 'plain' || !isPathType(checked.types.get(expr.operand)))
    return undefined
  const operand = planPath(expr.operand, checked)
  if (operand === undefined) return undefined
  const name = jsonNameOf(expr, checked)
  const inherited = name in Object.prototype
  const missing = noSuchKey(expr.field)
  return (frame) => {
    const json = operand(frame)
    if (json instanceof CelError) return json
    if (overdrawn(frame, costs.access)) return halted
    if (!isPlainObject(json)) return json === null ? missing : noSuchOverload
    const value = inherited ? ownProperty(json, name) : json[name]
    return value === undefined ? missing : value
  }
}

function jsonNameOf(expr: Select, checked: Checked): string {
  const type = checked.types.get(expr.operand)
  return (type?.kind === 'object' ? type.fields.get(expr.field)?.jsonName : undefined) ?? expr.field
}

function planSelect(expr: Select, checked: Checked): Step {
  if (expr.mode === 'test') return planPresence(expr, checked)
  const path = planPath(expr, checked)
  if (path !== undefined) {
    const convert = converterOf(checked.types.get(expr) ?? cel.dyn)
    return (frame) => {
      const json = path(frame)
      return json instanceof CelError ? json : convert(json)
    }
  }
  const operand = plan(expr.operand, checked)
  const { field } = expr
  const optional = expr.mode === 'optional'
  const missing = noSuchKey(field)
  return (frame) => {
    const target = operand(frame)
    if (target instanceof CelError) return target
    if (overdrawn(frame, costs.access)) return halted
    if (target instanceof CelOptional)
      return target.value === undefined ? target : selectOptional(target.value, field)
    if (optional) return selectOptional(target, field)
    if (!(target instanceof CelMap)) return target === null ? missing : noSuchOverload
    const value = target.get(field)
    return value === undefined ? missing : value
  }
}

function selectOptional(target: Value, field: string): Value {
  if (!(target instanceof CelMap)) return noSuchOverload
  const value = target.get(field)
  if (value instanceof CelError) return value
  return value === undefined ? CelOptional.none : new CelOptional(value)
}

/** Asking costs what its operand costs. */
function planPresence(expr: Select, checked: Checked): Step {
  const path = isPathType(checked.types.get(expr.operand)) ? planPath(expr.operand, checked) : undefined
  if (path !== undefined) {
    const name = jsonNameOf(expr, checked)
    return (frame) => {
      const json = path(frame)
      if (json instanceof CelError) return json
      return isPlainObject(json)
        ? ownProperty(json, name) !== undefined
        : json === null
          ? false
          : noSuchOverload
    }
  }
  const operand = plan(expr.operand, checked)
  const { field } = expr
  return (frame) => {
    const found = operand(frame)
    if (found instanceof CelError) return found
    const target = found instanceof CelOptional ? found.value : found
    if (target === undefined) return false
    return target instanceof CelMap ? target.get(field) !== undefined : noSuchOverload
  }
}

/** An error on one side is absorbed when another side decides; the budget's end never is. */
function planLogical(expr: Logical, checked: Checked): Step {
  const terms = expr.terms.map((term) => plan(term, checked))
  const decisive = expr.operator === '||'
  const [first, second] = terms
  if (terms.length !== 2 || first === undefined || second === undefined) return manyTerms(terms, decisive)
  return (frame) => {
    const left = first(frame)
    if (left === decisive || left === halted) return left
    const right = second(frame)
    if (right === decisive || right === halted) return right
    if (left === !decisive && right === !decisive) return !decisive
    return typeof left === 'boolean' ? errorOf(right) : errorOf(left)
  }
}

function manyTerms(terms: readonly Step[], decisive: boolean): Step {
  return (frame) => {
    let error: CelError | undefined
    for (const term of terms) {
      const value = term(frame)
      if (value === decisive || value === halted) return value
      if (value !== !decisive) error ??= errorOf(value)
    }
    return error ?? !decisive
  }
}

function errorOf(value: Value): CelError {
  return value instanceof CelError ? value : noSuchOverload
}

function planList(expr: ListLiteral, checked: Checked): Step {
  if (expr.elements.every(({ value, optional }) => value.kind === 'literal' && !optional)) {
    const list = new ArrayList(
      expr.elements.map(({ value }) => (value.kind === 'literal' ? value.value : null)),
    )
    return (frame) => (overdrawn(frame, costs.listLiteral) ? halted : list)
  }
  const elements = expr.elements.map(({ value, optional }) => ({ step: plan(value, checked), optional }))
  return (frame) => {
    const items: Value[] = []
    for (const { step, optional } of elements) {
      const item = step(frame)
      if (item instanceof CelError) return item
      if (!optional) items.push(item)
      else if (!(item instanceof CelOptional)) return notOptional(item)
      else if (item.value !== undefined) items.push(item.value)
    }
    return overdrawn(frame, costs.listLiteral) ? halted : new ArrayList(items)
  }
}

function notOptional(value: Value): CelError {
  return new CelError(
    `cannot initialize optional entry from non-optional value of type '${typeNameOf(value)}'`,
  )
}

function planMap(expr: MapLiteral, checked: Checked): Step {
  const entries = expr.entries.map((entry) => ({
    key: plan(entry.key, checked),
    value: plan(entry.value, checked),
    optional: entry.optional,
  }))
  return (frame) => {
    const made = new Map<string | number | bigint | boolean, readonly [Value, Value]>()
    for (const entry of entries) {
      const key = entry.key(frame)
      if (key instanceof CelError) return key
      const value = entry.value(frame)
      if (value instanceof CelError) return value
      const normal = mapKey(key)
      if (normal === undefined) return new CelError(`unsupported key type: ${typeNameOf(key)}`)
      if (made.has(normal)) return new CelError(`Failed with repeated key: ${String(keyText(key))}`)
      if (!entry.optional) made.set(normal, [key, value])
      else if (!(value instanceof CelOptional)) return notOptional(value)
      else if (value.value !== undefined) made.set(normal, [key, value.value])
    }
    return overdrawn(frame, costs.mapLiteral) ? halted : new EntryMap(made)
  }
}

function keyText(key: Value): string {
  const normal = mapKey(key)
  return typeof normal === 'string' ? normal.slice(1) : String(normal)
}

/** An object made by an expression. */
class MadeObject extends EntryMap {
  override readonly object: ObjectType
  constructor(entries: ReadonlyMap<string, readonly [Value, Value]>, object: ObjectType) {
    super(entries)
    this.object = object
  }
}

function planStruct(expr: StructLiteral, checked: Checked): Step {
  const type = checked.types.get(expr)
  if (type?.kind !== 'object') throw new TypeError('a literal of no object type was planned')
  const entries = expr.entries.map((entry) => ({
    field: entry.field,
    step: plan(entry.value, checked),
    optional: entry.optional,
  }))
  return (frame) => {
    const made = new Map<string, readonly [Value, Value]>()
    for (const { field, step, optional } of entries) {
      const value = step(frame)
      if (value instanceof CelError) return value
      if (!optional) made.set(`s${field}`, [field, value])
      else if (!(value instanceof CelOptional)) return notOptional(value)
      else if (value.value !== undefined) made.set(`s${field}`, [field, value.value])
    }
    return overdrawn(frame, costs.objectLiteral) ? halted : new MadeObject(made, type)
  }
}
