/**
 * The views of one place, found by what their selectors ask for: a view that needs a label or a field to have one of
 * some values is looked at only for objects that have it, before or after the change.
 *
 *     app ─┬─ any value ─▶ views that ask `app`, or `app>3`
 *          ├─ web ───────▶ views that ask `app=web`, or `app in (web,db)`
 *          └─ db ────────▶ …
 *
 * Views that no value can be told of (`app!=web`, `!app`, no selector) are looked at for each event.
 */

import type { CacheEvent } from '../cache/event.ts'
import type { Requirement, Selector } from '../contract.ts'
import type { StoredObject } from '../record.ts'
import type { View } from './view.ts'

/** Of one label or field. */
interface Asking {
  /** Only of labels: an object may have none. */
  readonly anyValue: Set<View>
  readonly byValue: Map<string, Set<View>>
}

type Names = Map<string, Asking>

/** Where a view stands. */
interface Place {
  readonly names: Names
  readonly requirement: Requirement
}

export class SelectedViews {
  readonly #always = new Set<View>()
  readonly #labels: Names = new Map()
  readonly #fields: Names = new Map()
  readonly #placeOf = new Map<View, Place>()

  get isEmpty(): boolean {
    return this.#always.size + this.#placeOf.size === 0
  }

  add(view: View): void {
    const place = this.#choose(view.selector)
    if (place === undefined) {
      this.#always.add(view)
      return
    }
    this.#placeOf.set(view, place)
    const { names, requirement } = place
    let asking = names.get(requirement.name)
    if (asking === undefined) {
      asking = { anyValue: new Set(), byValue: new Map() }
      names.set(requirement.name, asking)
    }
    if (requirement.operator !== 'in') asking.anyValue.add(view)
    else for (const value of requirement.values) addTo(asking.byValue, value, view)
  }

  remove(view: View): void {
    this.#always.delete(view)
    const place = this.#placeOf.get(view)
    if (place === undefined) return
    this.#placeOf.delete(view)
    const { names, requirement } = place
    const asking = names.get(requirement.name)
    if (asking === undefined) return
    asking.anyValue.delete(view)
    for (const value of requirement.values) removeFrom(asking.byValue, value, view)
    if (asking.anyValue.size + asking.byValue.size === 0) names.delete(requirement.name)
  }

  onEvent(event: CacheEvent): void {
    for (const view of this.#always) view.onEvent(event)
    if (this.#placeOf.size === 0) return
    const { object, previous } = event
    if (object === undefined) this.#tellFound(event, previous, undefined)
    else {
      this.#tellFound(event, object, undefined)
      // What it had before and has no more.
      this.#tellFound(event, previous, object)
    }
  }

  /** Tells the views that one state of the object leads to, but for those that the other has led to already. */
  #tellFound(event: CacheEvent, state: StoredObject | undefined, told: StoredObject | undefined): void {
    if (state === undefined) return
    if (this.#labels.size > 0) {
      const toldLabels = told?.labels()
      for (const [name, value] of state.labels()) {
        const asking = this.#labels.get(name)
        if (asking !== undefined) tell(asking, event, value, toldLabels?.get(name))
      }
    }
    for (const [name, asking] of this.#fields) tell(asking, event, state.field(name), told?.field(name))
  }

  /** The requirement that the fewest others share, so that what all ask for (`managed-by=…`) finds nobody. */
  #choose({ labels, fields }: Selector): Place | undefined {
    let best: Place | undefined
    let least = Number.POSITIVE_INFINITY
    for (const [names, requirements] of [
      [this.#fields, fields.filter(isIndexableField)],
      [this.#labels, labels.filter(isIndexableLabel)],
    ] as const) {
      for (const requirement of requirements) {
        const load = loadOf(names.get(requirement.name), requirement)
        if (load >= least) continue
        least = load
        best = { names, requirement }
      }
    }
    return best
  }
}

/** A field always has a value, the empty one too: that there is one tells nothing apart. */
function isIndexableField({ operator }: Requirement): boolean {
  return operator === 'in'
}

function isIndexableLabel({ operator }: Requirement): boolean {
  return operator !== 'notIn' && operator !== 'doesNotExist'
}

/** Values are compared as more selective than the mere presence of a label, and few of them more than many. */
function loadOf(asking: Asking | undefined, { operator, values }: Requirement): number {
  if (operator !== 'in') return 1000 + (asking?.anyValue.size ?? 0)
  let load = values.length
  for (const value of values) load += asking?.byValue.get(value)?.size ?? 0
  return load
}

/** @param told the value whose views have been told of this event */
function tell(asking: Asking, event: CacheEvent, value: string, told: string | undefined): void {
  if (told === undefined) for (const view of asking.anyValue) view.onEvent(event)
  if (value === told) return
  const views = asking.byValue.get(value)
  if (views === undefined) return
  const already = told === undefined ? undefined : asking.byValue.get(told)
  for (const view of views) if (already?.has(view) !== true) view.onEvent(event)
}

function addTo(byValue: Map<string, Set<View>>, value: string, view: View): void {
  const views = byValue.get(value)
  if (views === undefined) byValue.set(value, new Set([view]))
  else views.add(view)
}

function removeFrom(byValue: Map<string, Set<View>>, value: string, view: View): void {
  const views = byValue.get(value)
  if (views?.delete(view) && views.size === 0) byValue.delete(value)
}
