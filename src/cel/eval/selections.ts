/** Names, and selections of fields: `self.spec.replicas`, `has(self.spec)`. */

import type { Checked } from '../check/checker.ts'
import type { Binding } from '../check/scope.ts'
import type { Expr, Ident, Select } from '../syntax/ast.ts'
import { type CelType, cel, runtimeNameOf } from '../types.ts'
import { converterOf } from '../values/json.ts'
import { isPlainObject, ownProperty } from '../values/plain-object.ts'
import {
  CelError,
  CelMap,
  CelOptional,
  CelTypeValue,
  noSuchKey,
  noSuchOverload,
  type Value,
} from '../values/value.ts'
import { costs, type Frame, halted, overdrawn, type Plan, type Step } from './frame.ts'

function bindingOf(expr: Ident | Select, checked: Checked): Binding {
  const binding = checked.names.get(expr)
  if (binding === undefined) throw new TypeError('a name without a meaning was planned')
  return binding
}

export function planName(expr: Ident | Select, checked: Checked): Step {
  const binding = bindingOf(expr, checked)
  switch (binding.kind) {
    case 'local': {
      const { slot } = binding
      return (frame) => (overdrawn(frame, costs.access) ? halted : (frame.locals[slot] ?? null))
    }
    case 'variable': {
      const read = readVariable(binding.name, binding.type)
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

/** A variable of an optional type need not be there. */
function readVariable(name: string, type: CelType): RawStep {
  const missing = type.kind === 'optional' ? undefined : new CelError(`no such attribute(s): ${name}`)
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
    (type?.kind === 'object' && type.deferred !== true) ||
    (type?.kind === 'map' && (type.key.kind === 'string' || type.key.kind === 'dyn'))
  )
}

/** A path of selections from a variable down through JSON objects: `self.spec.replicas`. */
function planPath(expr: Expr, checked: Checked): RawStep | undefined {
  const binding = checked.names.get(expr)
  if (binding !== undefined)
    return binding.kind === 'variable' ? readVariable(binding.name, binding.type) : undefined
  if (expr.kind !== 'select' || expr.mode !== 'plain' || !isPathType(checked.types.get(expr.operand)))
    return undefined
  const operand = planPath(expr.operand, checked)
  if (operand === undefined) return undefined
  const name = jsonNameOf(expr, checked)
  const inherited = name in Object.prototype
  const skipsNull = isOfSchema(checked.types.get(expr.operand))
  const missing = noSuchKey(expr.field)
  return (frame) => {
    const json = operand(frame)
    if (json instanceof CelError) return json
    if (overdrawn(frame, costs.access)) return halted
    if (!isPlainObject(json)) return json === null ? missing : noSuchOverload
    const value = inherited ? ownProperty(json, name) : json[name]
    return value === undefined || (skipsNull && value === null) ? missing : value
  }
}

function isOfSchema(type: CelType | undefined): boolean {
  return type?.kind === 'object' && type.ofSchema === true
}

function jsonNameOf(expr: Select, checked: Checked): string {
  const type = checked.types.get(expr.operand)
  return (type?.kind === 'object' ? type.fields.get(expr.field)?.jsonName : undefined) ?? expr.field
}

export function planSelect(expr: Select, checked: Checked, plan: Plan): Step {
  if (expr.mode === 'test') return planPresence(expr, checked, plan)
  const path = planPath(expr, checked)
  if (path !== undefined) {
    const convert = converterOf(checked.types.get(expr) ?? cel.dyn)
    return (frame) => {
      const json = path(frame)
      return json instanceof CelError ? json : convert(json)
    }
  }
  const operand = plan(expr.operand)
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
function planPresence(expr: Select, checked: Checked, plan: Plan): Step {
  const path = isPathType(checked.types.get(expr.operand)) ? planPath(expr.operand, checked) : undefined
  if (path !== undefined) {
    const name = jsonNameOf(expr, checked)
    const skipsNull = isOfSchema(checked.types.get(expr.operand))
    return (frame) => {
      const json = path(frame)
      if (json instanceof CelError) return json
      if (!isPlainObject(json)) return json === null ? false : noSuchOverload
      const value = ownProperty(json, name)
      return value !== undefined && !(skipsNull && value === null)
    }
  }
  const operand = plan(expr.operand)
  const { field } = expr
  return (frame) => {
    const found = operand(frame)
    if (found instanceof CelError) return found
    const target = found instanceof CelOptional ? found.value : found
    if (target === undefined) return false
    return target instanceof CelMap ? target.get(field) !== undefined : noSuchOverload
  }
}
