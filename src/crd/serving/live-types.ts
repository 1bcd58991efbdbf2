/**
 * The types of a running server: the built-in ones, which stay, and those of the definitions, which come and go. A
 * built-in type has its name whatever a definition says, and is found as quickly as without any.
 */

import type { Guard, Result } from '../../../store/contract.ts'
import type { ApiFailure } from '../../status/status.ts'
import { compareVersions } from '../../types/groups.ts'
import type { ResourceType, ServedGroup, TypeRegistry } from '../../types/resource.ts'
import type { Conversions } from '../conversion/conversions.ts'
import { type CustomTypes, customTypes } from './custom-type.ts'
import type { Definition } from './definition.ts'

interface DefinitionSource {
  refresh(): Promise<Result<void, ApiFailure>>
  /** Holds while the definition is as it was set; undefined = there is none of that name. */
  guardOf(name: string): Guard | undefined
}

export interface LiveTypes extends TypeRegistry {
  /** Where definitions come from; before it is set nothing custom is served. */
  follow(source: DefinitionSource): void
  /** Serves a definition as it is now, in place of what was served of it. */
  set(definition: Definition): void
  /** By the definition's name. */
  remove(name: string): void
}

/** What is served at one time; made anew when it is asked for after a change. */
interface View {
  readonly generation: number
  readonly groups: readonly ServedGroup[]
  readonly resources: readonly ResourceType[]
  readonly places: readonly ResourceType[]
  readonly byPlural: ReadonlyMap<string, ResourceType>
  readonly byKind: ReadonlyMap<string, ResourceType>
  readonly byPrefix: ReadonlyMap<string, ResourceType>
}

export function createLiveTypes(builtIn: TypeRegistry, conversions: Conversions): LiveTypes {
  /** By the definition's name. */
  const custom = new Map<string, CustomTypes>()
  const listeners = new Set<() => void>()
  let generation = 0
  let view: View | undefined
  let source: DefinitionSource | undefined

  function now(): View {
    if (view?.generation !== generation) view = viewOf(builtIn, [...custom.values()], generation)
    return view
  }

  function changed(): void {
    generation++
    for (const listener of listeners) listener()
  }

  return {
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    get generation() {
      return generation
    },
    get groups() {
      return now().groups
    },
    get resources() {
      return now().resources
    },
    get places() {
      return now().places
    },
    refresh: () => (source ?? builtIn).refresh(),
    resource: (group, version, plural) =>
      builtIn.resource(group, version, plural) ?? now().byPlural.get(`${group}/${version}/${plural}`),
    stored: (prefix) => builtIn.stored(prefix) ?? now().byPrefix.get(prefix),
    kind: (group, version, kind) =>
      builtIn.kind(group, version, kind) ?? now().byKind.get(`${group}/${version}/${kind}`),
    message: builtIn.message,
    follow(followed) {
      source = followed
    },
    set(definition) {
      const types = customTypes(definition, {
        messageOf: builtIn.message,
        converter: conversions.converterOf(definition),
        guard: () => source?.guardOf(definition.name),
      })
      if (types === undefined) this.remove(definition.name)
      else {
        custom.set(definition.name, types)
        changed()
      }
    },
    remove(name) {
      conversions.forget(name)
      if (custom.delete(name)) changed()
    },
  }
}

function viewOf(builtIn: TypeRegistry, given: readonly CustomTypes[], generation: number): View {
  const custom = given
    .flatMap(({ served }) => served)
    .filter(({ group, version, plural }) => builtIn.resource(group, version, plural) === undefined)
  const byPlural = new Map<string, ResourceType>()
  const byKind = new Map<string, ResourceType>()
  const byPrefix = new Map<string, ResourceType>()
  for (const type of custom) {
    byPlural.set(`${type.group}/${type.version}/${type.plural}`, type)
    byKind.set(`${type.group}/${type.version}/${type.kind}`, type)
  }
  for (const { stored } of given)
    if (stored.storage !== undefined) byPrefix.set(stored.storage.prefix, stored)
  const groups = groupsOf(builtIn.groups, custom)
  const resources = [...builtIn.resources, ...custom]
  const places = [...builtIn.places, ...byPrefix.values()]
  return { generation, groups, resources, places, byPlural, byKind, byPrefix }
}

/** Custom groups come behind the built-in ones, by name; versions of definitions in a built-in group behind its own. */
function groupsOf(builtIn: readonly ServedGroup[], custom: readonly ResourceType[]): readonly ServedGroup[] {
  const versions = new Map<string, Set<string>>()
  for (const { group, version } of custom)
    versions.set(group, (versions.get(group) ?? new Set<string>()).add(version))
  const extended = builtIn.map((served) => {
    const more = sorted(versions.get(served.group)).filter((version) => !served.versions.includes(version))
    versions.delete(served.group)
    return more.length === 0 ? served : { ...served, versions: [...served.versions, ...more] }
  })
  const own = [...versions.keys()].sort().map((group) => ({ group, versions: sorted(versions.get(group)) }))
  return [...extended, ...own]
}

function sorted(versions: ReadonlySet<string> = new Set()): readonly string[] {
  return [...versions].sort(compareVersions)
}
