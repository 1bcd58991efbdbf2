/** Builds the resource types that a server serves, out of the schemas and the modules beside them. */

import { ok, type Result } from '../../store/contract.ts'
import type { Names } from '../names/names.ts'
import { loadIndex, loadPackage } from '../schema/load.ts'
import type { PackedIndex, PackedResource } from '../schema/packed.ts'
import { createSchemas, type Schemas } from '../schema/schemas.ts'
import { type FeatureGates, isGateOpen } from './feature-gates.ts'
import { compareVersions, groupOrder } from './groups.ts'
import type { ResourceType, RuntimeConfig, ServedGroup, TypeRegistry } from './resource.ts'
import { type KnownVersion, readRuntimeConfig } from './served.ts'
import { TypeBuilder } from './type-builder.ts'

interface TypeRegistryOptions {
  readonly names: Names
  readonly runtimeConfig: RuntimeConfig
  readonly featureGates: FeatureGates
  /** Events live this long after their last write. Milliseconds; absent: an hour. */
  readonly eventTtlMs?: number
}

const eventTtlMsDefault = 3_600_000

/** Fails on a runtime configuration that means nothing, with a message that names the key. */
export function createTypeRegistry(
  options: TypeRegistryOptions,
): Result<TypeRegistry, { readonly message: string }> {
  const { names, runtimeConfig, featureGates, eventTtlMs = eventTtlMsDefault } = options
  const index = loadIndex()
  const versions = knownVersions(index, names)
  const served = readRuntimeConfig(
    runtimeConfig,
    versions.map(({ known }) => known),
  )
  if (!served.ok) return served
  const schemas = createSchemas({ load: loadPackage, expand: names.expand })
  const builder = new TypeBuilder(index, schemas, {
    names,
    eventTtlMs,
    isGateOpen: (gate) => isGateOpen(featureGates, gate),
  })
  const resources = versions.flatMap(({ known, resources: packed }) =>
    packed
      .filter(({ plural }) => served.value(known, plural))
      .filter(({ featureGate }) => featureGate === undefined || isGateOpen(featureGates, featureGate))
      .map((resource) => builder.type(known, resource)),
  )
  return { ok: true, value: registryOf(resources, schemas) }
}

interface VersionResources {
  readonly known: KnownVersion
  readonly resources: readonly PackedResource[]
}

/** All group versions with resources, in the order of discovery. */
function knownVersions({ packages, resources }: PackedIndex, { expand }: Names): VersionResources[] {
  const rank = (group: string): number =>
    groupOrder.includes(group) ? groupOrder.indexOf(group) : groupOrder.length
  return Object.entries(packages)
    .sort(([, a], [, b]) => rank(a.group) - rank(b.group) || compareVersions(a.version, b.version))
    .map(([packageId, { group, version, servedByDefault }]) => {
      const own = resources
        .filter(({ message }) => message.startsWith(`${packageId}.`))
        .sort((a, b) => (a.plural < b.plural ? -1 : 1))
      const plurals = own.map(({ plural }) => plural)
      return { known: { group: expand(group), version, servedByDefault, plurals }, resources: own }
    })
    .filter(({ resources: own }) => own.length > 0)
}

function registryOf(resources: readonly ResourceType[], schemas: Schemas): TypeRegistry {
  const byPlural = new Map<string, ResourceType>()
  const byKind = new Map<string, ResourceType>()
  const byPrefix = new Map<string, ResourceType>()
  const groups = new Map<string, string[]>()
  for (const type of resources) {
    byPlural.set(`${type.group}/${type.version}/${type.plural}`, type)
    byKind.set(`${type.group}/${type.version}/${type.kind}`, type)
    const prefix = type.storage?.prefix
    if (prefix !== undefined && !byPrefix.has(prefix)) byPrefix.set(prefix, type)
    const versions = groups.get(type.group) ?? []
    if (!versions.includes(type.version)) groups.set(type.group, [...versions, type.version])
  }
  const served: ServedGroup[] = [...groups].map(([group, versions]) => ({ group, versions }))
  return {
    generation: 0,
    onChange: () => () => {},
    refresh: async () => ok(undefined),
    groups: served,
    resources,
    places: [...byPrefix.values()],
    resource: (group, version, plural) => byPlural.get(`${group}/${version}/${plural}`),
    stored: (prefix) => byPrefix.get(prefix),
    kind: (group, version, kind) => byKind.get(`${group}/${version}/${kind}`),
    message: (id) => schemas.message(id),
  }
}
