/**
 * The views of one resource, found by where an event happened: all namespaces, one namespace, one object, one name; and
 * there by the labels and fields of the object. So an event costs nothing for views that look elsewhere.
 */

import type { CacheEvent } from '../cache/event.ts'
import type { Scope } from '../selector/selector.ts'
import { SelectedViews } from './selected-views.ts'
import type { View } from './view.ts'

type Index = Map<string, SelectedViews>

export class Views {
  readonly #byId = new Map<string, View>()
  readonly #everywhere = new SelectedViews()
  readonly #byNamespace: Index = new Map()
  readonly #byName: Index = new Map()
  readonly #byObject: Index = new Map()

  get count(): number {
    return this.#byId.size
  }

  all(): readonly View[] {
    return [...this.#byId.values()]
  }

  get(id: string): View | undefined {
    return this.#byId.get(id)
  }

  add(view: View): void {
    this.#byId.set(view.id, view)
    const place = this.#placeOf(view.scope)
    if (place === undefined) {
      this.#everywhere.add(view)
      return
    }
    let views = place.index.get(place.at)
    if (views === undefined) {
      views = new SelectedViews()
      place.index.set(place.at, views)
    }
    views.add(view)
  }

  remove(view: View): void {
    this.#byId.delete(view.id)
    const place = this.#placeOf(view.scope)
    if (place === undefined) {
      this.#everywhere.remove(view)
      return
    }
    const views = place.index.get(place.at)
    views?.remove(view)
    if (views?.isEmpty === true) place.index.delete(place.at)
  }

  onEvent(event: CacheEvent): void {
    if (this.#byId.size === 0) return
    const { namespace, name } = event.subject
    this.#everywhere.onEvent(event)
    dispatch(this.#byNamespace, namespace, event)
    dispatch(this.#byName, name, event)
    if (this.#byObject.size > 0) dispatch(this.#byObject, objectId(namespace, name), event)
  }

  #placeOf({ namespace, name }: Scope): { readonly index: Index; readonly at: string } | undefined {
    if (namespace !== undefined && name !== undefined)
      return { index: this.#byObject, at: objectId(namespace, name) }
    if (namespace !== undefined) return { index: this.#byNamespace, at: namespace }
    if (name !== undefined) return { index: this.#byName, at: name }
    return undefined
  }
}

function objectId(namespace: string, name: string): string {
  return `${namespace}/${name}`
}

function dispatch(index: Index, at: string, event: CacheEvent): void {
  index.get(at)?.onEvent(event)
}
