/** Which group, version and kind a message stands for, as clients find schemas by it. */

import type { MessageType } from '../schema/descriptor.ts'
import type { Kind, ResourceType, TypeRegistry } from '../types/resource.ts'

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
    if (resource.verbs.has('list'))
      add(types.message(`${resource.message.id}List`), { ...resource, kind: resource.listKind })
  }
  const options = types.message('meta/v1.DeleteOptions')
  for (const { group, version, custom } of types.resources) {
    if (custom === undefined) add(options, { group, version, kind: 'DeleteOptions' })
  }
  add(types.message('meta/v1.Status'), { group: '', version: 'v1', kind: 'Status' })
  return (message) => kinds.get(message.id) ?? []
}
