/** Runs rules along a value: from outside in, at each place that has any. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { own } from '../../own.ts'
import { type Correlation, correlatedElements } from '../schema/correlation.ts'
import type { Structural } from '../schema/structural.ts'
import { evaluateRules, type Run } from './evaluate.ts'
import { childPath } from './paths.ts'
import type { Place } from './places.ts'

/** A value on the way. */
interface Visited {
  /** '' = the whole object. */
  readonly path: string
  readonly value: JsonValue
  /** What it takes the place of; undefined = nothing, or nothing that the schema tells. */
  readonly old: JsonValue | undefined
  /** What is compared to learn whether it has changed; undefined = it counts as changed. */
  readonly compared: Compared | undefined
}

/** A value, or the nearest one around it of which the schema tells what was there before. */
interface Compared {
  readonly value: JsonValue
  readonly old: JsonValue
  readonly structural: Structural
}

/** @param correlation undefined = nothing is let pass because it was there before */
export function runRules(
  place: Place,
  path: string,
  value: JsonValue,
  old: JsonValue | undefined,
  correlation: Correlation | undefined,
  run: Run,
): void {
  const { structural } = place
  const compared = correlation === undefined || old === undefined ? undefined : { value, old, structural }
  new Walk(run, correlation).visit(place, { path, value, old, compared })
}

class Walk {
  readonly #run: Run
  readonly #correlation: Correlation | undefined

  constructor(run: Run, correlation: Correlation | undefined) {
    this.#run = run
    this.#correlation = correlation
  }

  visit(place: Place, visited: Visited): void {
    const { path, value, old, compared } = visited
    if (value === null || this.#run.isOver) return
    if (place.structural.rules.length > 0) {
      const judged = {
        rules: place.rules,
        type: place.structural.type ?? '',
        path,
        self: value,
        oldSelf: old ?? undefined,
        isUnchanged: () => this.#isUnchanged(compared),
      }
      evaluateRules(judged, this.#run)
    }
    if (Array.isArray(value)) this.#visitElements(place, value, visited)
    else if (isJsonObject(value)) this.#visitMembers(place, value, visited)
  }

  #isUnchanged(compared: Compared | undefined): boolean {
    if (compared === undefined || this.#correlation === undefined) return false
    return this.#correlation.isSame(compared.value, compared.old, compared.structural)
  }

  #visitElements({ structural, items }: Place, value: readonly JsonValue[], list: Visited): void {
    if (items === undefined) return
    const before = list.old === undefined ? undefined : correlatedElements(structural, list.old)
    for (const [index, element] of value.entries()) {
      const old = before?.(element)
      const compared = comparedWithin(list, element, old, items.structural)
      this.visit(items, { path: `${list.path}[${index}]`, value: element, old, compared })
    }
  }

  #visitMembers({ values, properties }: Place, value: JsonObject, map: Visited): void {
    if (values === undefined && properties.size === 0) return
    for (const name of Object.keys(value)) {
      const member = value[name]
      const place = values ?? properties.get(name)
      if (member === undefined || place === undefined) continue
      const old = isJsonObject(map.old) ? own(map.old, name) : undefined
      const path = values === undefined ? childPath(map.path, name) : `${map.path}[${name}]`
      // Another version or kind is no change that can be seen: both objects are shown in the same.
      const isTypeName = map.path === '' && (name === 'apiVersion' || name === 'kind')
      const compared = isTypeName ? undefined : comparedWithin(map, member, old, place.structural)
      this.visit(place, { path, value: member, old, compared })
    }
  }
}

/** Only where the value around is itself compared, not something further out. */
function comparedWithin(
  outer: Visited,
  value: JsonValue,
  old: JsonValue | undefined,
  structural: Structural,
): Compared | undefined {
  const { compared } = outer
  if (compared === undefined || old === undefined || compared.value !== outer.value) return compared
  return { value, old, structural }
}
