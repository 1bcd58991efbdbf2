/** Builds one resource type out of its schema and the module beside it. */

import { createHash } from 'node:crypto'
import type { JsonObject, JsonValue } from '../json.ts'
import { createGateKeeper, type GateKeeper } from '../schema/gates.ts'
import { normalizeMessage } from '../schema/normalize.ts'
import type { PackedIndex, PackedResource } from '../schema/packed.ts'
import type { Schemas } from '../schema/schemas.ts'
import { compareVersions } from './groups.ts'
import type { Conversion, ModuleOptions, TypeModule } from './module.ts'
import { modules } from './modules.ts'
import type { ApiObject } from './object.ts'
import {
  apiVersionOf,
  type GroupVersion,
  type ResourceType,
  type Strategy,
  type Subresource,
  type Verb,
} from './resource.ts'
import { selectableReader } from './selectable.ts'
import type { KnownVersion } from './served.ts'
import { createValidator } from './validation/validator.ts'

const identity = (object: ApiObject): ApiObject => object

export class TypeBuilder {
  private readonly index: PackedIndex
  private readonly schemas: Schemas
  private readonly options: ModuleOptions
  private readonly gates: GateKeeper
  private readonly builtModules = new Map<string, TypeModule>()
  /** Group and kind → message id of the preferred version. */
  private readonly preferred = new Map<string, string>()

  constructor(index: PackedIndex, schemas: Schemas, options: ModuleOptions) {
    this.index = index
    this.schemas = schemas
    this.options = options
    this.gates = createGateKeeper(options.isGateOpen)
    for (const { message } of index.resources) {
      const known = this.preferred.get(familyOf(message))
      const better = known === undefined || compareVersions(versionOf(message), versionOf(known)) < 0
      if (better) this.preferred.set(familyOf(message), message)
    }
  }

  type({ group, version }: KnownVersion, packed: PackedResource): ResourceType {
    const kind = nameOf(packed.message)
    const message = this.schemas.reference(packed.message)
    const storedId = this.storedMessage(packed)
    const storageMessage = this.schemas.reference(storedId)
    const storageVersion = this.groupVersion(storedId)
    const isStored = packed.verbs.includes('watch')
    const prefix = this.prefix(storedId, packed.plural)
    const module = this.module(prefix)
    const subresources = this.subresources(packed)
    const own = packed.selectable !== undefined
    const always = own && !packed.namespaced ? ['metadata.name'] : ['metadata.name', 'metadata.namespace']
    const conversion = this.conversion(packed.message, storedId, module)
    return {
      group,
      version,
      kind,
      apiVersion: apiVersionOf({ group, version }),
      listKind: `${kind}List`,
      plural: packed.plural,
      singular: kind.toLowerCase(),
      shortNames: packed.shortNames,
      categories: packed.categories,
      namespaced: packed.namespaced,
      verbs: new Set(packed.verbs as Verb[]),
      storageVersionHash: isStored ? this.hash(storageVersion, packed, kind) : undefined,
      message,
      storageMessage,
      subresources,
      scale: module.scale,
      storage: isStored ? { prefix, version: storageVersion } : undefined,
      strategy: this.strategy(packed, storageMessage, module),
      selectableFields: new Set([...always, ...(packed.selectable ?? [])]),
      fieldLabelMessage: own
        ? 'field label not supported: {field}'
        : '"{field}" is not a known field selector: only "metadata.name", "metadata.namespace"',
      isStorageVersion: storedId === packed.message,
      toStorage: conversion.toStorage,
      fromStorage: conversion.fromStorage,
    }
  }

  /** The form that is stored: said by the schema, else the same kind in the group's preferred stable version. */
  private storedMessage({ message, storedAs }: PackedResource): string {
    if (storedAs !== undefined) return storedAs
    return this.preferred.get(familyOf(message)) ?? message
  }

  private groupVersion(messageId: string): GroupVersion {
    const described = this.index.packages[packageOf(messageId)]
    if (described === undefined) throw new TypeError(`no package of ${messageId}`)
    return { group: this.options.names.expand(described.group), version: described.version }
  }

  /** `rbac.authorization/roles`, `core/pods`: the same in all dialects. */
  private prefix(storedId: string, plural: string): string {
    const group = this.index.packages[packageOf(storedId)]?.group ?? ''
    return `${group === '' ? 'core' : group.replace(/\.\{groups\}$/, '')}/${plural}`
  }

  private module(prefix: string): TypeModule {
    let module = this.builtModules.get(prefix)
    if (module === undefined) {
      module = modules.get(prefix)?.(this.options) ?? {}
      this.builtModules.set(prefix, module)
    }
    return module
  }

  private subresources(packed: PackedResource): Map<string, Subresource> {
    return new Map(
      packed.subresources.map(({ name, message, verbs }) => [
        name,
        {
          name,
          kind: { ...this.groupVersion(message), kind: nameOf(message) },
          message: this.schemas.reference(message),
          verbs: new Set(verbs as Verb[]),
        },
      ]),
    )
  }

  /** Base64 of the first eight bytes of a SHA-256, as clients compare it to see a storage migration. */
  private hash({ group, version }: GroupVersion, { hashVersion }: PackedResource, kind: string): string {
    const hash = createHash('sha256')
      .update(`${group}/${hashVersion ?? version}/${kind}`)
      .digest()
    return hash.subarray(0, 8).toString('base64')
  }

  private strategy(packed: PackedResource, message: ResourceType['message'], module: TypeModule): Strategy {
    const rules = { ...module.strategy, ...module.served?.[packed.message] }
    const { gates } = this
    const paths = packed.selectable ?? []
    return {
      ...(paths.length === 0 ? {} : { selectableFields: selectableReader(message, paths) }),
      ...rules,
      validate: createValidator(message, this.options.names, rules),
      generation: packed.generation === true,
      status: packed.subresources.some(({ name }) => name === 'status'),
      createOnUpdate: packed.createOnUpdate === true,
      unconditionalUpdate: packed.unconditionalUpdate !== false,
      nameFormat: packed.nameFormat ?? 'subdomain',
      prepareForCreate(object, context) {
        gates.drop(message, object as JsonObject)
        rules.prepareForCreate?.(object, context)
      },
      prepareForUpdate(object, old, context) {
        gates.drop(message, object as JsonObject, old as JsonObject)
        rules.prepareForUpdate?.(object, old, context)
      },
    }
  }

  private conversion(served: string, stored: string, module: TypeModule): Conversion {
    if (served === stored) return { toStorage: identity, fromStorage: identity }
    const own = module.conversions?.[served] ?? { toStorage: identity, fromStorage: identity }
    const servedMessage = this.schemas.reference(served)
    const storedVersion = apiVersionOf(this.groupVersion(stored))
    const servedVersion = apiVersionOf(this.groupVersion(served))
    return {
      toStorage(object) {
        const converted = own.toStorage(object)
        converted.apiVersion = storedVersion
        return converted
      },
      fromStorage(object) {
        const converted = own.fromStorage({ ...object, metadata: { ...object.metadata } })
        converted.apiVersion = servedVersion
        const normalized: JsonObject = normalizeMessage(servedMessage, converted as JsonObject)
        return normalized as Record<string, JsonValue> as ApiObject
      },
    }
  }
}

function nameOf(messageId: string): string {
  return messageId.slice(messageId.lastIndexOf('.') + 1)
}

/** What all versions of a resource share: `autoscaling.HorizontalPodAutoscaler`. */
function familyOf(messageId: string): string {
  return `${messageId.split('/')[0]}.${nameOf(messageId)}`
}

function packageOf(messageId: string): string {
  return messageId.slice(0, messageId.lastIndexOf('.'))
}

function versionOf(messageId: string): string {
  return packageOf(messageId).split('/')[1] ?? ''
}
