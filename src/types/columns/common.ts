/** Columns and texts that several types share. */

import type { JsonObject, JsonValue } from '../../json.ts'
import { age } from './duration.ts'
import { countAt, objectsAt, textAt } from './read.ts'
import { type Column, type Row, type TableColumns, tableOf, text, wide } from './table.ts'

/** The column that identifies the object. Some names carry a remark. */
export function nameColumnFrom(cell: (row: Row) => JsonValue): Column {
  return { ...text('Name', 'Name of the object, unique within its namespace.', cell), format: 'name' }
}

export const nameColumn: Column = nameColumnFrom(({ metadata }) => textAt(metadata, 'name'))

/** Time since creation. */
export function ageCell({ metadata, nowMs }: Row): string {
  return age(metadata['creationTimestamp'], nowMs)
}

export const ageColumn: Column = text('Age', 'Time since the server created the object.', ageCell)

/** A column that counts the entries of a list or map. */
export function countCell(...path: readonly string[]): (row: Row) => number {
  return ({ object }) => countAt(object, ...path)
}

/** What a time that is unset looks like where a column shows times themselves. */
const timeZero = '0001-01-01T00:00:00Z'

/** For types without columns of their own. Source: specification, "Table representation". */
export const defaultColumns: TableColumns = tableOf([
  nameColumn,
  {
    name: 'Created At',
    type: 'date',
    format: '',
    description: 'Time at which the server created the object.',
    priority: 0,
    cell: ({ metadata }) => textAt(metadata, 'creationTimestamp') || timeZero,
  },
])

/** Names and images of the containers of a pod template, for wide output. `path` leads to the pod specification. */
export function containerColumns(...path: readonly string[]): readonly Column[] {
  const joined = (object: JsonObject, member: string) =>
    objectsAt(object, ...path, 'containers')
      .map((container) => textAt(container, member))
      .join(',')
  return [
    wide(text('Containers', 'Names of the containers of each pod.', ({ object }) => joined(object, 'name'))),
    wide(text('Images', 'Images of the containers of each pod.', ({ object }) => joined(object, 'image'))),
  ]
}

/** The first `max` entries, and how many more there are: `a,b,c + 2 more...`; `<unset>` when there are none. */
export function plusMore(list: readonly string[], max: number): string {
  return list.length === 0 ? '<unset>' : firstOf(list, max, list.length, ',')
}

/** The first `max` of a list of `count` that may be cut already. */
export function firstOf(list: readonly string[], max: number, count: number, separator: string): string {
  const shown = list.slice(0, max).join(separator)
  return count > max ? `${shown} + ${count - max} more...` : shown
}

const accessModeTexts = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const

/** `RWO,ROX`: each mode once, always in the same order. */
export function accessModesText(modes: readonly string[]): string {
  return accessModeTexts
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',')
}

/** Addresses at which a load balancer answers: each once, sorted. The IP address where there is one, else the name. */
export function loadBalancerAddresses(status: JsonValue | undefined): readonly string[] {
  const addresses = objectsAt(status, 'loadBalancer', 'ingress').map(
    (ingress) => textAt(ingress, 'ip') || textAt(ingress, 'hostname'),
  )
  return [...new Set(addresses.filter((address) => address !== ''))].sort()
}
