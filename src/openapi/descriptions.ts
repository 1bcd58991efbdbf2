/**
 * The words of a document: doc comments of the `.proto` sources, and what is said once here for all that look alike.
 * The comments are loaded when the first document is made.
 */

import type { Field, MessageType, ScalarType } from '../schema/descriptor.ts'
import { loadDescriptions } from '../schema/load.ts'

/** What a definition says of the leaf type it stands for. */
export const scalarDescriptions: Partial<Record<ScalarType, string>> = {
  quantity:
    'A fixed-point number with an optional unit: a decimal suffix (n, u, m, k, M, G, T, P, E), a binary suffix (Ki, Mi, Gi, Ti, Pi, Ei) or a decimal exponent. 100m is a tenth; 1Gi is 1073741824. Written as a string; a plain number is taken too.',
  intOrString:
    'An integer or a string. Which strings make sense depends on the field: a percentage such as 25%, or the name of a port.',
  time: 'A point in time to the second, as RFC 3339 writes it, in UTC; null when it is not set.',
  microTime: 'A point in time to the microsecond, as RFC 3339 writes it, in UTC; null when it is not set.',
  rawExtension: 'An object of any kind, kept as it was given.',
  json: 'Any JSON value.',
}

export const patchDescription =
  'A patch: its form is told by the media type of the request (JSON patch, merge patch, strategic merge patch or apply configuration).'

/** Undefined when nobody has said anything. */
export function messageDescription(message: MessageType): string | undefined {
  return comment(message.id, '') ?? listDescription(message) ?? conditionDescription(message)
}

function listDescription(message: MessageType): string | undefined {
  const items = message.jsonFields.get('items')?.type
  if (!message.root || items?.kind !== 'list' || items.element.kind !== 'message') return undefined
  return `A list of ${items.element.message.name} objects.`
}

function conditionDescription({ name }: MessageType): string | undefined {
  return name.endsWith('Condition')
    ? 'One aspect of the state of an object, as it was last observed.'
    : undefined
}

/** The field's own comment, be it declared in a message that is inlined into `holder`; else the common one. */
export function fieldDescription(holder: MessageType, field: Field): string | undefined {
  return declared(holder, field.name) ?? common(holder, field)
}

function declared(holder: MessageType, name: string): string | undefined {
  const own = comment(holder.id, name)
  if (own !== undefined) return own
  for (const { inline, type } of holder.fields) {
    if (!inline || type.kind !== 'message' || !type.message.jsonFields.has(name)) continue
    const inlined = declared(type.message, name)
    if (inlined !== undefined) return inlined
  }
  return undefined
}

function comment(messageId: string, name: string): string | undefined {
  const descriptions = loadDescriptions()
  const message = Object.hasOwn(descriptions, messageId) ? descriptions[messageId] : undefined
  return message !== undefined && Object.hasOwn(message, name) ? message[name] : undefined
}

function common(holder: MessageType, { name, type }: Field): string | undefined {
  if (type.kind === 'message' && type.message.id === 'meta/v1.ObjectMeta')
    return 'Name, labels, annotations and the other data that every object carries.'
  if (type.kind === 'message' && type.message.id === 'meta/v1.ListMeta')
    return 'Data about the list itself: its resource version and where to continue.'
  if (holder.root && name === 'items') return 'The objects of the list.'
  if (holder.root && type.kind === 'message' && name === 'spec') return 'The state that is wanted.'
  if (holder.root && type.kind === 'message' && name === 'status')
    return 'The state that was last observed. It may lag behind; written by the system, not by users.'
  return holder.name.endsWith('Condition')
    ? (conditionFields.get(name) ?? commonFields.get(name))
    : commonFields.get(name)
}

const conditionFields: ReadonlyMap<string, string> = new Map([
  ['type', 'What the condition is about, in CamelCase.'],
  ['status', 'Whether the condition holds: True, False or Unknown.'],
  ['reason', 'One word in CamelCase, for programs: why the condition is as it is.'],
  ['message', 'For people: details of why the condition is as it is.'],
  ['lastTransitionTime', 'When the status changed last.'],
  ['lastUpdateTime', 'When the condition was updated last.'],
  ['lastHeartbeatTime', 'When the condition was confirmed last.'],
  ['lastProbeTime', 'When the condition was probed last.'],
])

/** Fields that mean the same wherever they are. */
const commonFields: ReadonlyMap<string, string> = new Map([
  ['conditions', 'The latest observations, one for each type of condition.'],
  ['observedGeneration', 'The metadata.generation that this status was made from.'],
  ['readOnly', 'Forbid writing. Default: false.'],
  ['fsType', 'Type of the file system to mount, such as ext4 or xfs; the host must know it.'],
])
