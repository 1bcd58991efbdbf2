/** What only all `.proto` sources together can tell: whether what one names is there in another. Build step only. */

import { flags, type PackedIndex, type PackedMessage, type PackedPackage } from './packed.ts'
import { leafTypes } from './source-types.ts'

/** Adds to `problems`: unknown types and merge keys, subresources and stored forms. */
export function checkReferences(
  packages: ReadonlyMap<string, PackedPackage>,
  index: PackedIndex,
  problems: string[],
): void {
  const leaf = new Set(leafTypes.values())
  const find = (id: string): PackedMessage | undefined => {
    const dot = id.lastIndexOf('.')
    return packages.get(id.slice(0, dot))?.[id.slice(dot + 1)]
  }
  for (const [packageId, messages] of packages) {
    for (const [name, message] of Object.entries(messages)) {
      for (const [field, , type, bits, extras] of message.fields) {
        const place = `${packageId}.proto: ${name}.${field}`
        const target = type.replace(/^(\[\]|\{\})/, '')
        const element = find(target)
        if (!leaf.has(target) && element === undefined) problems.push(`${place}: unknown type ${target}`)
        if ((bits & flags.inline) !== 0 && element === undefined)
          problems.push(`${place}: only a message can be inline`)
        for (const key of extras?.listMapKeys ?? []) {
          if (element !== undefined && !hasMember(element, key, find))
            problems.push(`${place}: ${target} has no field ${key} to be the list's key`)
        }
      }
    }
  }
  for (const resource of index.resources) {
    for (const id of [
      ...resource.subresources.map((sub) => sub.message),
      resource.storedAs ?? resource.message,
    ]) {
      if (find(id) === undefined) problems.push(`resource ${resource.plural}: unknown message ${id}`)
    }
  }
}

function hasMember(
  message: PackedMessage,
  name: string,
  find: (id: string) => PackedMessage | undefined,
): boolean {
  return message.fields.some(([member, , type, bits]) => {
    if ((bits & flags.inline) === 0) return member === name
    const inner = find(type)
    return inner !== undefined && hasMember(inner, name, find)
  })
}
