/**
 * How new a read must be and which objects it is about, from the query.
 *
 * Source: specification, "Query parameters", "Resource versions". The tables themselves: `src/storage/freshness.ts`.
 */

import { fail, ok } from '../../store/contract.ts'
import type { Query } from '../pipeline/query.ts'
import { badRequest } from '../status/failures.ts'
import type { Selector } from '../storage/contract.ts'
import type { ReadParameters } from '../storage/freshness.ts'
import { parseFieldSelector } from '../storage/selector/field-selector.ts'
import { parseLabelSelector } from '../storage/selector/label-selector.ts'
import { everything } from '../storage/selector/selector.ts'
import type { ResourceType } from '../types/resource.ts'
import type { Checked } from './machinery.ts'

const names = ['resourceVersion', 'resourceVersionMatch', 'limit', 'continue', 'allowWatchBookmarks'] as const

const none: ReadParameters = {}

/** What a query says of a read; nothing is checked yet. */
export function readParameters({ isEmpty, text, flag }: Query): ReadParameters {
  if (isEmpty) return none
  const parameters: { -readonly [name in keyof ReadParameters]: string } = {}
  for (const name of names) {
    const value = text(name)
    if (value !== undefined) parameters[name] = value
  }
  const initialEvents = flag('sendInitialEvents')
  if (initialEvents !== undefined) parameters.sendInitialEvents = String(initialEvents)
  return parameters
}

/** Label and field selectors; a field that the type does not offer is refused. */
export function readSelector(query: Query, type: ResourceType): Checked<Selector> {
  const labelText = query.text('labelSelector') ?? ''
  const fieldText = query.text('fieldSelector') ?? ''
  if (labelText === '' && fieldText === '') return ok(everything)
  const labels = parseLabelSelector(labelText)
  if (!labels.ok) return labels
  const fields = parseFieldSelector(fieldText)
  if (!fields.ok) return fields
  const foreign = fields.value.find((one) => !type.selectableFields.has(one.name))
  if (foreign !== undefined) {
    return fail(badRequest(type.fieldLabelMessage.replace('{field}', () => foreign.name)))
  }
  return ok({ labels: labels.value, fields: fields.value })
}
