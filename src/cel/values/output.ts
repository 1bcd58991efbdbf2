/** Results in terms of JavaScript. */

import { type CelType, cel, describeType } from '../types.ts'
import { formatDuration, formatTimestamp } from './time.ts'
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelUint,
  typeNameOf,
  type Value,
} from './value.ts'

/**
 * A result in terms of JavaScript: int and uint = bigint, double = number, bytes = Uint8Array, list = array, map = Map,
 * anything else (timestamp, duration, type, optional, opaque) = {@link CelOther}.
 */
export type CelOutput =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | readonly CelOutput[]
  | ReadonlyMap<CelOutput, CelOutput>
  | CelOther

interface CelOther {
  readonly type: CelType
  /** As `string()` writes it, or a description. */
  readonly text: string
  /** What an optional holds. */
  readonly value?: CelOutput
  /** The host's own value of an opaque type. */
  readonly host?: unknown
}

/** How many values an output may have: values may share their parts, outputs do not. */
interface Room {
  left: number
}

/** `undefined` when there is no room left; an error when a lazily converted part is none of its type. */
export function outputOf(value: Value, room: Room): CelOutput | CelError | undefined {
  if (--room.left < 0) return undefined
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return value
    case 'number':
      return BigInt(value)
    default:
  }
  if (value === null || value instanceof Uint8Array || value instanceof CelError) return value
  if (value instanceof CelDouble || value instanceof CelUint) return value.value
  if (value instanceof CelList) return listOf(value, room)
  if (value instanceof CelMap) return mapOf(value, room)
  return otherOf(value, room)
}

function listOf(list: CelList, room: Room): CelOutput | CelError | undefined {
  const items: CelOutput[] = []
  for (let index = 0; index < list.size; index++) {
    const item = outputOf(list.at(index), room)
    if (item === undefined || item instanceof CelError) return item
    items.push(item)
  }
  return items
}

function mapOf(map: CelMap, room: Room): CelOutput | CelError | undefined {
  const entries = new Map<CelOutput, CelOutput>()
  for (const key of map.keys()) {
    const name = outputOf(key, room)
    const value = outputOf(map.get(key) ?? null, room)
    if (name === undefined || name instanceof CelError) return name
    if (value === undefined || value instanceof CelError) return value
    entries.set(name, value)
  }
  return entries
}

type Other = Exclude<
  Value,
  null | boolean | number | bigint | string | Uint8Array | CelError | CelDouble | CelUint | CelList | CelMap
>

function otherOf(value: Other, room: Room): CelOutput | CelError | undefined {
  if (value instanceof CelTimestamp) return { type: cel.timestamp, text: formatTimestamp(value) }
  if (value instanceof CelDuration) return { type: cel.duration, text: formatDuration(value) }
  if (value instanceof CelOpaque) {
    return { type: value.host.celType, text: describeType(value.host.celType), host: value.host }
  }
  if (!(value instanceof CelOptional)) return { type: cel.type, text: value.name }
  const type = cel.optional(cel.dyn)
  if (value.value === undefined) return { type, text: 'optional.none()' }
  const held = outputOf(value.value, room)
  if (held === undefined || held instanceof CelError) return held
  return { type, text: `optional.of(${typeNameOf(value.value)})`, value: held }
}
