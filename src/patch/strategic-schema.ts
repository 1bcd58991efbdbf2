/** What strategic merge needs to know of a place in an object: how its parts merge, and by which key. */

import type { Field, MessageType, ValueType } from '../schema/descriptor.ts'

/** The kind of value that stands at a place; undefined = no schema describes it. */
export type Place = ValueType | undefined

export interface ListStrategy {
  /** Items are merged; otherwise the patch's list stands for the whole. */
  readonly merges: boolean
  /** Names the item in a list of objects; undefined for scalars. */
  readonly mergeKey: string | undefined
}

export interface PartOf {
  readonly place: Place
  /** The patch's object stands for the whole. */
  readonly replaces: boolean
  readonly list: ListStrategy
}

const undescribed: PartOf = {
  place: undefined,
  replaces: false,
  list: { merges: false, mergeKey: undefined },
}

/** The part `name` of an object at `place`. */
export function partOf(place: Place, name: string): PartOf {
  if (place?.kind === 'message') {
    const field = fieldOf(place.message, name)
    return field === undefined ? undescribed : partOfField(field)
  }
  if (place?.kind === 'map') return { ...undescribed, place: place.value }
  return undescribed
}

function fieldOf(message: MessageType, name: string): Field | undefined {
  return message.jsonFields.get(name)
}

function partOfField(field: Field): PartOf {
  const strategies = field.patchStrategy ?? []
  return {
    place: field.type,
    replaces: strategies.includes('replace'),
    list: { merges: strategies.includes('merge'), mergeKey: field.patchMergeKey },
  }
}

/** What stands in a list at `place`. */
export function itemPlace(place: Place): Place {
  return place?.kind === 'list' ? place.element : undefined
}

/** For messages to people. */
export function describePlace(place: Place): string {
  switch (place?.kind) {
    case 'message':
      return place.message.name
    case 'list':
      return describePlace(place.element)
    case 'scalar':
      return place.scalar
    case 'map':
      return 'map'
    case undefined:
      return 'unknown type'
  }
}
