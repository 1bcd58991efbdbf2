/** Which group, version and kind a message stands for, as clients find schemas by it. */

import assert from 'node:assert/strict'
import type { MessageType } from '../schema/descriptor.ts'
import {
  apiVersionOf,
  type GroupVersion,
  type Kind,
  type ResourceType,
  type TypeRegistry,
} from '../types/resource.ts'
import { type CustomKind, customKindOf } from './custom.ts'

/** Group versions of which something is built in. */
function builtInVersions({ groups, resources }: TypeRegistry): readonly GroupVersion[] {
  const builtIn = new Set(
    resources.filter(({ custom }) => custom === undefined).map(({ apiVersion }) => apiVersion),
  )
  return groups
    .flatMap(({ group, versions }) => versions.map((version) => ({ group, version })))
    .filter((groupVersion) => builtIn.has(apiVersionOf(groupVersion)))
}

/** Kinds of the resources, of their subresources and lists, and of the options that every group takes. */
export function kindsByMessage(
  resources: readonly ResourceType[],
  types: TypeRegistry,
): (message: MessageType) => readonly Kind[] {
  const kinds = new Map<string, Kind[]>()
  const add = (message: MessageType, { group, version, kind }: Kind): void => {
    const known = kinds.get(message.id) ?? []
    const same = known.some(
      (other) => other.group === group && other.version === version && other.kind === kind,
    )
    if (!same) kinds.set(message.id, [...known, { group, version, kind }])
  }
  for (const resource of resources) {
    add(resource.message, resource)
    for (const subresource of resource.subresources.values()) add(subresource.message, subresource.kind)
    if (resource.verbs.has('list') && resource.custom === undefined)
      add(types.message(`${resource.message.id}List`), { ...resource, kind: resource.listKind })
  }
  const options = types.message('meta/v1.DeleteOptions')
  for (const { group, version } of builtInVersions(types))
    add(options, { group, version, kind: 'DeleteOptions' })
  add(types.message('meta/v1.Status'), { group: '', version: 'v1', kind: 'Status' })
  return (message) => kinds.get(message.id) ?? []
}

/** What documents say of the custom resources among these. The message is one of theirs. */
export function customKindsOf(resources: readonly ResourceType[]): (message: MessageType) => CustomKind {
  const kinds = new Map(resources.map((resource) => [resource.message, resource]))
  return (message) => {
    const resource = kinds.get(message)
    assert(resource !== undefined, `${message.id} is of no resource of this document`)
    return customKindOf(resource)
  }
}
