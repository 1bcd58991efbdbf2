/**
 * Sets what is absent and has a default, everywhere below an object; null where null is no value counts as absent. What a
 * default brings is filled in like the rest.
 *
 * Of a schema only the parts that lead to a default are walked.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { own, setOwn } from '../../own.ts'
import { cloneJson } from '../../patch/mutable-json.ts'
import type { Structural } from './structural.ts'

/** Changes the object, which has been pruned. */
export function applyDefaults(structural: Structural, value: JsonObject): void {
  planOf(structural)?.fill(value)
}

/** Of a schema with a default in it. */
interface Plan {
  fill(value: JsonValue): void
}

const plans = new WeakMap<Structural, Plan | null>()

/** Undefined = there is no default below. */
function planOf(node: Structural): Plan | undefined {
  const known = plans.get(node)
  if (known !== undefined) return known ?? undefined
  const plan = makePlan(node)
  plans.set(node, plan ?? null)
  return plan
}

function makePlan({ properties, additionalProperties, items }: Structural): Plan | undefined {
  const fallbacks: (readonly [string, Structural])[] = []
  const below: (readonly [string, Plan])[] = []
  for (const [name, property] of properties) {
    if (property.default !== undefined) fallbacks.push([name, property])
    const plan = planOf(property)
    if (plan !== undefined) below.push([name, plan])
  }
  const others = additionalProperties === true ? undefined : additionalProperties
  const ofMembers = memberFill(others)
  const ofElements = memberFill(items)
  if (fallbacks.length === 0 && below.length === 0 && ofMembers === undefined && ofElements === undefined)
    return undefined
  return {
    fill(value) {
      if (Array.isArray(value)) return ofElements === undefined ? undefined : fillList(value, ofElements)
      if (!isJsonObject(value)) return
      // The caller owns the object.
      const object = value as Record<string, JsonValue>
      for (const [name, property] of fallbacks) fillMember(object, name, property)
      for (const [name, plan] of below) {
        const member = own(object, name)
        if (typeof member === 'object' && member !== null) plan.fill(member)
      }
      if (ofMembers !== undefined) fillOthers(object, properties, ofMembers)
    },
  }
}

/** What becomes of an element, or of a member that nothing names: it is always there. */
type Fill = (value: JsonValue) => JsonValue

function memberFill(node: Structural | undefined): Fill | undefined {
  if (node === undefined) return undefined
  const plan = planOf(node)
  const { default: fallback, nullable } = node
  if (plan === undefined && (fallback === undefined || nullable)) return undefined
  return (value) => {
    const filled = value === null && !nullable && fallback !== undefined ? cloneJson(fallback) : value
    plan?.fill(filled)
    return filled
  }
}

function fillMember(object: Record<string, JsonValue>, name: string, property: Structural): void {
  const { default: fallback, nullable } = property
  const given = own(object, name)
  if (fallback !== undefined && (given === undefined || (given === null && !nullable)))
    setOwn<JsonValue>(object, name, cloneJson(fallback))
}

function fillList(list: JsonValue[], fill: Fill): void {
  for (let index = 0; index < list.length; index++) list[index] = fill(list[index] ?? null)
}

function fillOthers(
  object: Record<string, JsonValue>,
  properties: ReadonlyMap<string, Structural>,
  fill: Fill,
): void {
  for (const name of Object.keys(object)) {
    if (!properties.has(name)) setOwn(object, name, fill(own(object, name) ?? null))
  }
}
