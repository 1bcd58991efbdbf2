/** Validation as the verbs do it: everything wrong with an object, or with a change of one. */

import { metadataCauses } from '../../../src/registry/metadata-validation.ts'
import { createObjectSchema } from '../../../src/registry/object-schema.ts'
import type { Cause } from '../../../src/status/status.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import type { ResourceType } from '../../../src/types/resource.ts'
import { codec, decoded, everything, names, typeOf, types } from './types.ts'

const registry = types(everything)
for (const { strategy } of registry.resources) await strategy.load?.()
const objects = codec()
const schema = createObjectSchema({ names, featureGates: new Map() })

// Some rules are loaded with the first write.
await Promise.all(registry.resources.map(({ strategy }) => strategy.load?.()))

/** Any JSON, read step by step. */
// biome-ignore lint/suspicious/noExplicitAny: tables change objects at any path
export type Json = any

function prepared(type: ResourceType, body: Json): ApiObject {
  const object = decoded(objects, type, body)
  objects.applyDefaults(type.message, object)
  return type.toStorage(object)
}

export function typeOfBody({ apiVersion, kind }: Json): ResourceType {
  return typeOf(registry, apiVersion, kind)
}

const context = {
  now: '2024-01-01T00:00:00Z',
  user: { name: 'jane', uid: '7', groups: ['writers'], extra: new Map() },
}

/** The causes for which creation is refused. */
export function refusals(body: Json): readonly Cause[] {
  const type = typeOfBody(body)
  const object = prepared(type, body)
  object.metadata.uid = 'uid-1'
  if (type.namespaced) object.metadata.namespace ??= 'default'
  type.strategy.prepareForCreate?.(object, context)
  return [
    ...metadataCauses(object, type),
    ...schema.missing(type.storageMessage, object),
    ...(type.strategy.validate?.(object) ?? []),
    ...(type.strategy.validateCreate?.(object) ?? []),
  ]
}

/** The causes for which an update is refused. */
export function updateRefusals(from: Json, to: Json): readonly Cause[] {
  const type = typeOfBody(from)
  const made = prepared(type, from)
  made.metadata.uid = 'uid-1'
  type.strategy.prepareForCreate?.(made, context)
  const old = objects.normalize(type.storageMessage, made)
  const object = prepared(type, to)
  object.metadata.uid = 'uid-1'
  type.strategy.prepareForUpdate?.(object, old, context)
  return [...(type.strategy.validate?.(object) ?? []), ...(type.strategy.validateUpdate?.(object, old) ?? [])]
}

/** `spec.replicas: Invalid value: -1: must be …`. */
export function shown(causes: readonly Cause[]): string[] {
  return causes.map(({ field, message }) => `${field}: ${message}`)
}

/**
 * A copy of `body` with other values at some paths (`spec.containers.0.name`); undefined removes. Where the path
 * leads through nothing, objects are made.
 */
export function changed(body: Json, changes: Readonly<Record<string, unknown>>): Json {
  const copy = structuredClone(body)
  for (const [path, value] of Object.entries(changes)) {
    const steps = path.split('.').map((step) => step.replaceAll('~', '.'))
    const last = steps.pop() ?? ''
    let at = copy
    for (const step of steps) {
      at[step] ??= {}
      at = at[step]
    }
    if (value === undefined) delete at[last]
    else at[last] = value
  }
  return copy
}

/** What is changed of which object, and the causes for which it is refused: each as `field: message`, or its start. */
export type Refusal = readonly [
  body: Json,
  changes: Readonly<Record<string, unknown>>,
  causes: readonly string[],
]

/** Are these the causes, in any order and no other? Gives what was found where they are not. */
export function differing(found: readonly string[], expected: readonly string[]): readonly string[] {
  const left = [...found]
  const missing = expected.filter((start) => {
    const at = left.findIndex((cause) => cause.startsWith(start))
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
  return [...missing.map((cause) => `missing: ${cause}`), ...left.map((cause) => `too much: ${cause}`)]
}
