/** Whether an object matches; which part of the keys it can be in; when two selectors are the same. */

import type { CachedObject, Labels, Requirement, Selector } from '../contract.ts'
import { parseInteger } from './label-selector.ts'

export const everything: Selector = { labels: [], fields: [] }

/** Asks for nothing, so that nothing has to be looked at. */
export function selectsEverything({ labels, fields }: Selector): boolean {
  return labels.length + fields.length === 0
}

/** Equal for selectors with equal requirements, in whatever order they were written. */
export function selectorId({ labels, fields }: Selector): string {
  return selectsEverything({ labels, fields }) ? '' : `${canonical(labels)}${canonical(fields)}`
}

function canonical(requirements: readonly Requirement[]): string {
  const texts = requirements.map(({ name, operator, values }) =>
    JSON.stringify([name, operator, ...new Set(values.toSorted())]),
  )
  return `[${[...new Set(texts.sort())].join(',')}]`
}

export type Matcher = (object: CachedObject) => boolean

/** undefined = matches everything. */
export function compileSelector(selector: Selector): Matcher | undefined {
  const labels = selector.labels.map(compileLabel)
  const fields = selector.fields.map(compileField)
  if (labels.length + fields.length === 0) return undefined
  return (object) => {
    for (const matches of fields) if (!matches(object)) return false
    if (labels.length === 0) return true
    const found = object.labels()
    for (const matches of labels) if (!matches(found)) return false
    return true
  }
}

function compileLabel({ name, operator, values }: Requirement): (labels: Labels) => boolean {
  const isOneOf = oneOf(values)
  switch (operator) {
    case 'in':
      return (labels) => {
        const value = labels.get(name)
        return value !== undefined && isOneOf(value)
      }
    case 'notIn':
      return (labels) => {
        const value = labels.get(name)
        return value === undefined || !isOneOf(value)
      }
    case 'exists':
      return (labels) => labels.has(name)
    case 'doesNotExist':
      return (labels) => !labels.has(name)
    case 'greaterThan':
    case 'lessThan': {
      const compare = compareWith(operator, values[0] ?? '')
      return (labels) => compare(labels.get(name))
    }
  }
}

/** A field always has a value: the empty one, where the object has none. */
function compileField({ name, operator, values }: Requirement): Matcher {
  const isOneOf = oneOf(values)
  switch (operator) {
    case 'in':
      return (object) => isOneOf(object.field(name))
    case 'notIn':
      return (object) => !isOneOf(object.field(name))
    case 'exists':
      return (object) => object.field(name) !== ''
    case 'doesNotExist':
      return (object) => object.field(name) === ''
    case 'greaterThan':
    case 'lessThan': {
      const compare = compareWith(operator, values[0] ?? '')
      return (object) => compare(object.field(name))
    }
  }
}

function oneOf(values: readonly string[]): (value: string) => boolean {
  if (values.length === 1) return (value) => value === values[0]
  const set = new Set(values)
  return (value) => set.has(value)
}

function compareWith(
  operator: 'greaterThan' | 'lessThan',
  limitText: string,
): (value: string | undefined) => boolean {
  const limit = parseInteger(limitText)
  return (text) => {
    const value = text === undefined ? undefined : parseInteger(text)
    if (value === undefined || limit === undefined) return false
    return operator === 'greaterThan' ? value > limit : value < limit
  }
}

/** Where the objects of a request can be. Absent = anywhere. */
export interface Scope {
  readonly namespace?: string
  readonly name?: string
}

interface Narrowed {
  readonly scope: Scope
  /** What is left to check of each object within the scope. */
  readonly selector: Selector
}

/**
 * Reads `metadata.name=…` and `metadata.namespace=…` as what they are: a place in the key space. A requirement that
 * contradicts the place stays in the selector and matches nothing.
 */
export function narrow(scope: Scope, selector: Selector): Narrowed {
  if (selector.fields.length === 0) return { scope, selector }
  let { namespace, name } = scope
  const fields: Requirement[] = []
  for (const requirement of selector.fields) {
    const value =
      requirement.operator === 'in' && requirement.values.length === 1 ? requirement.values[0] : undefined
    if (
      value !== undefined &&
      value !== '' &&
      requirement.name === 'metadata.name' &&
      (name ?? value) === value
    ) {
      name = value
    } else if (
      value !== undefined &&
      value !== '' &&
      requirement.name === 'metadata.namespace' &&
      (namespace ?? value) === value
    ) {
      namespace = value
    } else {
      fields.push(requirement)
    }
  }
  return {
    scope: { ...(namespace === undefined ? {} : { namespace }), ...(name === undefined ? {} : { name }) },
    selector: { labels: selector.labels, fields },
  }
}
