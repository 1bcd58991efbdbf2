/**
 * What is served, told to clients: groups, versions and resources.
 *
 * Source: specification, "Groups and paths", "Path shapes".
 */

import type { Names } from '../names/names.ts'
import type { ResourceType, ServedGroup, Subresource, TypeRegistry, Verb } from '../types/resource.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

/** `/api`: versions of the core group. */
export function coreVersions(types: TypeRegistry, address: Address) {
  const core = types.groups.find(({ group }) => group === '')
  return {
    kind: 'APIVersions',
    versions: core?.versions ?? [],
    serverAddressByClientCIDRs: [
      { clientCIDR: '0.0.0.0/0', serverAddress: `${address.host}:${address.port}` },
    ],
  }
}

/** `/apis`: all named groups. */
export function groupList(types: TypeRegistry) {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: namedGroups(types).map(groupFields) }
}

/** All groups but the core group, in the order in which discovery lists them. */
export function namedGroups(types: TypeRegistry): readonly ServedGroup[] {
  return types.groups.filter(({ group }) => group !== '')
}

/** `/apis/<group>`. */
export function groupDocument(group: ServedGroup) {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupFields(group) }
}

function groupFields({ group, versions }: ServedGroup) {
  const named = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }))
  return { name: group, versions: named, preferredVersion: named[0] }
}

/** `/api/v1`, `/apis/<group>/<version>`: resources and their subresources, by name. */
export function resourceList(types: TypeRegistry, group: string, version: string) {
  const groupVersion = group === '' ? version : `${group}/${version}`
  const resources = types.resources
    .filter((type) => type.group === group && type.version === version)
    .flatMap((type) => [
      resourceFields(type),
      ...[...type.subresources.values()].map((subresource) => subresourceFields(type, subresource)),
    ])
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources }
}

function resourceFields(type: ResourceType) {
  return {
    name: type.plural,
    singularName: type.singular,
    namespaced: type.namespaced,
    kind: type.kind,
    verbs: verbsOf(type),
    ...(type.shortNames.length === 0 ? {} : { shortNames: type.shortNames }),
    ...(type.categories.length === 0 ? {} : { categories: type.categories }),
    ...(type.storageVersionHash === undefined ? {} : { storageVersionHash: type.storageVersionHash }),
  }
}

/** Of a custom resource in an order of its own; while its definition goes away, those that add nothing. */
function verbsOf({ verbs, custom }: ResourceType): readonly Verb[] {
  if (custom === undefined) return [...verbs].sort()
  return custom.terminating ? [...verbs].filter((verb) => !writes.has(verb)) : [...verbs]
}

const writes: ReadonlySet<Verb> = new Set(['create', 'patch', 'update'])

function subresourceFields(type: ResourceType, { name, kind, verbs }: Subresource) {
  const foreign = kind.group !== type.group || kind.version !== type.version
  return {
    name: `${type.plural}/${name}`,
    singularName: '',
    namespaced: type.namespaced,
    ...(foreign ? { group: kind.group, version: kind.version } : {}),
    kind: kind.kind,
    verbs: [...verbs].sort(),
  }
}

/** All of `/api` or all of `/apis` in one document. */
export function aggregatedList(types: TypeRegistry, names: Names, core: boolean, version: string) {
  const groups = core ? types.groups.filter(({ group }) => group === '') : namedGroups(types)
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.${names.groupDomain}/${version}`,
    metadata: {},
    items: groups.map((group) => aggregatedGroup(types, group)),
  }
}

function aggregatedGroup(types: TypeRegistry, { group, versions }: ServedGroup) {
  return {
    metadata: group === '' ? { creationTimestamp: null } : { name: group, creationTimestamp: null },
    versions: versions.map((version) => ({
      version,
      resources: types.resources
        .filter((type) => type.group === group && type.version === version)
        .map(aggregatedResource)
        .sort((a, b) => (a.resource < b.resource ? -1 : 1)),
      freshness: 'Current',
    })),
  }
}

function aggregatedResource(type: ResourceType) {
  const { group, version, kind } = type
  return {
    resource: type.plural,
    responseKind: { group, version, kind },
    scope: type.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: type.singular,
    verbs: verbsOf(type),
    ...(type.shortNames.length === 0 ? {} : { shortNames: type.shortNames }),
    ...(type.categories.length === 0 ? {} : { categories: type.categories }),
    ...(type.subresources.size === 0
      ? {}
      : { subresources: [...type.subresources.values()].map(aggregatedSubresource) }),
  }
}

function aggregatedSubresource({ name, kind, verbs }: Subresource) {
  return {
    subresource: name,
    responseKind: { group: kind.group, version: kind.version, kind: kind.kind },
    verbs: [...verbs].sort(),
  }
}
