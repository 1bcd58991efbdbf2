/** Runs rules along a value: from outside in, at each place that has any. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { type Correlation, memberOf } from './correlation.ts'
import { evaluateRules, type Run } from './evaluate.ts'
import { KeyedList } from './keyed-list.ts'
import type { Place } from './places.ts'

/** A value on the way. */
interface Visited {
  /** '' = the whole object. */
  readonly path: string
  readonly value: JsonValue
  /** What it takes the place of; undefined = nothing, or nothing that the schema tells. */
  readonly old: JsonValue | undefined
  readonly change: Change
}

/** How it is found out whether a value has changed. */
interface Change {
  /** Undefined = the schema does not tell what was there before. */
  readonly own: Correlation | undefined
  /** Of the nearest value around it of which it does; undefined = none, or it is itself the outermost. */
  readonly outer: Correlation | undefined
}

const nothingKnown: Change = { own: undefined, outer: undefined }

/** @param correlation undefined = nothing is let pass because it was there before */
export function runRules(
  place: Place,
  path: string,
  value: JsonValue,
  old: JsonValue | undefined,
  correlation: Correlation | undefined,
  run: Run,
): void {
  visit(place, { path, value, old, change: { own: correlation, outer: undefined } }, run)
}

function visit(place: Place, visited: Visited, run: Run): void {
  const { path, value, old, change } = visited
  if (value === null || run.isOver) return
  if (place.structural.rules.length > 0) {
    const judged = {
      rules: place.rules,
      type: place.structural.type ?? '',
      path,
      self: value,
      oldSelf: old ?? undefined,
      isUnchanged: () => (change.own ?? change.outer)?.isUnchanged === true,
    }
    evaluateRules(judged, run)
  }
  if (Array.isArray(value)) visitElements(place, value, visited, run)
  else if (isJsonObject(value)) visitMembers(place, value, visited, run)
}

function visitElements(
  place: Place,
  value: readonly JsonValue[],
  { path, old, change }: Visited,
  run: Run,
): void {
  if (place.items === undefined) return
  const before = new KeyedList(place.structural, old)
  for (const [index, element] of value.entries()) {
    if (run.isOver) return
    const inner = within(change, (own) => own.element(element))
    visit(
      place.items,
      { path: `${path}[${index}]`, value: element, old: before.get(element), change: inner },
      run,
    )
  }
}

function visitMembers(place: Place, value: JsonObject, { path, old, change }: Visited, run: Run): void {
  if (place.values === undefined && place.properties.size === 0) return
  for (const name of Object.keys(value)) {
    const member = value[name]
    const inner = place.values ?? place.properties.get(name)
    if (member === undefined || inner === undefined) continue
    if (run.isOver) return
    const at = place.values === undefined ? (path === '' ? name : `${path}.${name}`) : `${path}[${name}]`
    const visited = {
      path: at,
      value: member,
      old: memberOf(old, name),
      change: changeOfMember(change, name),
    }
    visit(inner, visited, run)
  }
}

/** Another version or kind is no change that can be seen: both objects are shown in the same. */
function changeOfMember(change: Change, name: string): Change {
  const isTypeName = change.outer === undefined && (name === 'apiVersion' || name === 'kind')
  return isTypeName && change.own !== undefined ? nothingKnown : within(change, (own) => own.member(name))
}

function within(change: Change, step: (own: Correlation) => Correlation | undefined): Change {
  return change.own === undefined ? change : { own: step(change.own), outer: change.own }
}
