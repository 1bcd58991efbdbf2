/** Literals of lists, maps and objects. */

import type { Checked } from '../check/checker.ts'
import type { ListLiteral, MapLiteral, StructLiteral } from '../syntax/ast.ts'
import type { ObjectType } from '../types.ts'
import {
  ArrayList,
  CelError,
  CelOptional,
  EntryMap,
  mapKey,
  typeNameOf,
  type Value,
} from '../values/value.ts'
import { costs, halted, overdrawn, type Plan, type Step } from './frame.ts'

export function planList(expr: ListLiteral, plan: Plan): Step {
  if (expr.elements.every(({ value, optional }) => value.kind === 'literal' && !optional)) {
    const list = new ArrayList(
      expr.elements.map(({ value }) => (value.kind === 'literal' ? value.value : null)),
    )
    return (frame) => (overdrawn(frame, costs.listLiteral) ? halted : list)
  }
  const elements = expr.elements.map(({ value, optional }) => ({ step: plan(value), optional }))
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

export function planMap(expr: MapLiteral, plan: Plan): Step {
  const entries = expr.entries.map((entry) => ({
    key: plan(entry.key),
    value: plan(entry.value),
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

export function planStruct(expr: StructLiteral, checked: Checked, plan: Plan): Step {
  const type = checked.types.get(expr)
  if (type?.kind !== 'object') throw new TypeError('a literal of no object type was planned')
  const entries = expr.entries.map((entry) => ({
    field: entry.field,
    step: plan(entry.value),
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
