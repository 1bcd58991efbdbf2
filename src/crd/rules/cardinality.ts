/** How often a rule may run for one object, and what is refused because of it. Facts: Kubernetes 1.30. */

import { forbiddenField } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import type { Structural } from '../schema/structural.ts'
import { requestBytesMax } from './declare.ts'

/** Most estimated units of cost of a rule, over all places of an object where it runs. */
const ruleCostMax = 10_000_000
/** Most of all rules of a schema together. */
const schemaCostMax = 100_000_000

/** Of the values of a schema in one object; undefined = only the size of a request bounds it. */
export type Cardinality = number | undefined

/** Of the values in a list, a map or an object that itself occurs so often. */
export function cardinalityWithin(structural: Structural, outer: Cardinality): Cardinality {
  const own = elementsMax(structural)
  return outer === undefined || own === undefined ? undefined : outer * own
}

function elementsMax({ type, additionalProperties, validation }: Structural): number | undefined {
  if (type === 'array') return validation.maxItems
  return type === 'object' && additionalProperties !== undefined ? validation.maxProperties : 1
}

/** Without bounds: as often as values of at least so many bytes fit into a request, with a comma between them. */
export function timesRun(cardinality: Cardinality, bytesMin: number): number {
  return cardinality ?? Math.floor(requestBytesMax / (bytesMin + 1))
}

const shownMax = 4

/** Adds up what the rules of a schema cost. */
export class TotalCost {
  #total = 0
  readonly #dear: { readonly field: string; readonly cost: number }[] = []

  /** @returns the cause that refuses it, by itself */
  add(field: string, label: string, cost: number): Cause | undefined {
    this.#total += cost
    if (cost >= schemaCostMax / 100) this.#dear.push({ field, cost })
    return cost > ruleCostMax ? forbiddenField(field, exceeds(label, cost, ruleCostMax)) : undefined
  }

  /** Empty = all together are cheap enough. @param field of the schema */
  causes(field: string): readonly Cause[] {
    if (this.#total <= schemaCostMax) return []
    const dearest = this.#dear.sort((a, b) => b.cost - a.cost).slice(0, shownMax)
    const part = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    const label = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    return [
      ...dearest.map((rule) => forbiddenField(rule.field, part)),
      forbiddenField(field, exceeds(label, this.#total, schemaCostMax)),
    ]
  }
}

function exceeds(label: string, cost: number, costMax: number): string {
  const advice =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared'
  return `${label} exceeds budget by factor of ${factorOf(cost / costMax)} (${advice})`
}

function factorOf(factor: number): string {
  if (factor > 100) return 'more than 100x'
  return factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`
}
