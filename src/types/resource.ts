/**
 * A resource type as data and a few pure functions: everything that the generic verbs need to serve it. Built-in
 * types come from the schema sources and the strategy modules beside them; custom resource definitions will make the
 * same at run time.
 */

import type { Guard, Result } from '../../store/contract.ts'
import type { User } from '../pipeline/user.ts'
import type { MessageType } from '../schema/descriptor.ts'
import type { ApiFailure, Cause } from '../status/status.ts'
import type { TableColumns } from './columns/table.ts'
import type { Deprecation } from './lifecycle.ts'
import type { ApiObject } from './object.ts'

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch'

export interface GroupVersion {
  /** '' for the core group; with the dialect's domain: `rbac.authorization.k8s.io`. */
  readonly group: string
  readonly version: string
}

/** `v1` or `<group>/<version>`. */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`
}

export interface Kind extends GroupVersion {
  readonly kind: string
}

export interface Subresource {
  /** `status`, `scale`, `binding`, … */
  readonly name: string
  /** What it takes and gives: its own kind (`Scale` of autoscaling/v1) or the parent's. */
  readonly kind: Kind
  readonly message: MessageType
  readonly verbs: ReadonlySet<Verb>
}

/** What a strategy is handed beside the object. */
export interface StrategyContext {
  /** RFC 3339, whole seconds, of this request. */
  readonly now: string
  /** Who asks. Absent where the server itself acts. */
  readonly user?: User
}

export type MetadataPart = 'labels' | 'annotations' | 'finalizers' | 'ownerReferences'

/** For types whose status says nothing but what is observed of them. */
export const allMetadataParts: readonly MetadataPart[] = [
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
]

/**
 * What is special to a type. All functions are pure, work on objects of the STORAGE version, and may change the
 * object they are handed (the request owns it), never the old one.
 */
export interface Strategy {
  /** `metadata.generation` is 1 on creation and counts changes of anything but metadata and status. */
  readonly generation: boolean
  /** It counts changes of annotations as well, those through `status` aside. */
  readonly generationOfAnnotations?: boolean
  /** Status is written through the status subresource alone: reset on create, kept on update. */
  readonly status: boolean
  /** Creation takes the status as given: nodes register with theirs. */
  readonly keepsStatusOnCreate?: boolean
  /** PUT of an absent object creates it. */
  readonly createOnUpdate: boolean
  /** PUT without a resourceVersion overwrites the current object. */
  readonly unconditionalUpdate: boolean
  /** How names are checked: DNS subdomain (most), DNS label, or path segment (RBAC). */
  readonly nameFormat: 'subdomain' | 'label' | 'pathSegment'
  /** Finalizers need no domain: nothing of the type beside what all types share says how they are named. */
  readonly finalizersWithoutDomain?: boolean
  /** Who is told that an object is invalid is told this group: kinds that had another home once. Absent = the type's. */
  readonly toldGroup?: string
  /** A cause that a change alone gives comes before what is wrong with the object. */
  readonly changeFirst?: boolean
  /** A delete without a grace period waits this long, for types that terminate gracefully (pods: 30 unless set). */
  gracePeriodSeconds?(object: ApiObject): number
  /** Nobody has to end anything: a delete waits for nothing, whatever period it asks for. */
  endsAtOnce?(object: ApiObject): boolean
  /** Drops or sets what only the server decides, before validation, on create. */
  prepareForCreate?(object: ApiObject, context: StrategyContext): void
  /** It adds to what the client sent, outside of the status too: to that nobody but the server has a claim. */
  readonly addsOnCreate?: boolean
  /**
   * What the first request for deletion makes of the object, where that is not what it makes of all others: it waits
   * for something of its own. A new object, marked for deletion, with a finalizer.
   */
  beginDeletion?(object: ApiObject, context: StrategyContext): ApiObject
  /** `prepareForCreate` for updates of the main resource (`old` is the stored object). Status is already kept generically. */
  prepareForUpdate?(object: ApiObject, old: ApiObject, context: StrategyContext): void
  /** What of the metadata a write through `status` leaves as it is; it may change all else that clients may. */
  readonly keptByStatus?: readonly MetadataPart[]
  /** `prepareForCreate` for writes through `status` and `approval`. */
  prepareForStatus?(object: ApiObject, old: ApiObject, context: StrategyContext): void
  /** Loads what the checks below need, before they are asked; undefined = it is there. Absent = they need nothing. */
  load?(): Promise<void> | undefined
  /** Everything that is wrong with the object, all at once; empty = valid. */
  validate?(object: ApiObject): readonly Cause[]
  /** What only a new object may not be; `validate` runs on it too. */
  validateCreate?(object: ApiObject): readonly Cause[]
  /** Everything wrong with this change (immutable fields among it); `validate` has run on the object too. */
  validateUpdate?(object: ApiObject, old: ApiObject): readonly Cause[]
  /** What stands in its place for a change through `status`; absent = `validateUpdate`. */
  validateStatusUpdate?(object: ApiObject, old: ApiObject): readonly Cause[]
  /** HTTP status of a change that `validateUpdate` refuses, where it is not 422: bindings, whose role is fixed. */
  readonly refusedChangeCode?: number
  /** What the client is warned of: of a new object (`old` undefined), or of a change of the main resource. It is valid. */
  warnings?(object: ApiObject, old: ApiObject | undefined): readonly string[]
  /**
   * Values of the selectable fields beside metadata.name and metadata.namespace, by name, as field selectors see
   * them. Same names for every object.
   */
  selectableFields?(object: ApiObject): Readonly<Record<string, string>>
  /** Removes the object this long after its creation or last update: events. Milliseconds. */
  ttlMs?(object: ApiObject): number | undefined
}

/** How the scale subresource reads and writes its parent (storage version). */
export interface ScaleAdapter {
  /** What a read calls a parent that is not there, where that is not the name of its resource. */
  readonly absent?: { readonly group: string; readonly resource: string }
  /** Where the replicas stand in the parent. */
  readonly replicasPath: readonly string[]
  /** Why there is no scale to be read of this parent. Absent = there always is. */
  readFailure?(parent: ApiObject): ApiFailure | undefined
  /** Why these replicas cannot be written to it. Absent: only negative ones cannot. */
  writeFailure?(parent: ApiObject, replicas: number): ApiFailure | undefined
  /** A complete autoscaling/v1 Scale object of the parent (metadata copied: name, namespace, uid, resourceVersion, creationTimestamp). */
  read(parent: ApiObject): ApiObject
  /** Sets the replicas of the parent. */
  write(parent: ApiObject, replicas: number): void
}

/** Where objects of a resource live in the store; versions of one resource share one. */
export interface StorageIdentity {
  /** `<group without domain or 'core'>/<plural>`: stable over dialects; part of every key. */
  readonly prefix: string
  /** The version that is stored. */
  readonly version: GroupVersion
  /** Absent = what is stored stays as it is. */
  readonly form?: StoredForm
}

/** Of objects that are written otherwise when their definition changes. */
interface StoredForm {
  /** Stands in every record that is written: `[-\w]+`. */
  readonly id: string
  /** What was written in another form, as it would be written now; `fields`: the selectable ones. A new object. */
  renew(stored: ApiObject): { readonly object: ApiObject; readonly fields?: Readonly<Record<string, string>> }
}

/**
 * How objects of a definition with several versions are read and written in one of them. To the verbs the objects of
 * such a type are of the version of the request; what is stored may be of any version. Failures are sentences for the
 * client.
 */
export interface VersionConversion {
  /** `<group>/<version>`: this one. */
  readonly apiVersion: string
  /** The one in which objects are stored now; older ones may still be of another. */
  readonly storedApiVersion: string
  /** A conversion may take asking somebody outside, and fail; without, it is done at once. */
  readonly asksOthers: boolean
  /**
   * Stored objects, of whatever version, as this version shows them. They are as the schema of their own version wants
   * them, and belong to the callee.
   */
  read(stored: readonly ApiObject[]): Converted | Promise<Converted>
  /** Objects of this version as another served version has them (`<group>/<version>`). Not changed. */
  shown(objects: readonly ApiObject[], apiVersion: string): Converted | Promise<Converted>
  /** An object of this version as it is to be stored. Not changed. */
  write(object: ApiObject): Converted | Promise<Converted>
}

/** In the order of what was given. */
export type Converted = Result<readonly ApiObject[], string>

/** One served (group, version, resource). */
export interface ResourceType extends Kind {
  readonly apiVersion: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly verbs: ReadonlySet<Verb>
  readonly storageVersionHash: string | undefined
  readonly message: MessageType
  /** The message of the storage version: what {@link toStorage} makes, and what is normalised before it is stored. */
  readonly storageMessage: MessageType
  readonly subresources: ReadonlyMap<string, Subresource>
  readonly scale: ScaleAdapter | undefined
  /** Absent for virtual types (reviews): they are not stored. */
  readonly storage: StorageIdentity | undefined
  readonly strategy: Strategy
  /** Columns of its own, made of objects in this version. Absent = those of its kind, made of what is stored. */
  readonly columns?: TableColumns
  /** All names a field selector may use with this version, metadata.name and metadata.namespace included. */
  readonly selectableFields: ReadonlySet<string>
  /** Message for a field selector outside `selectableFields` (`{field}` stands for the field). */
  readonly fieldLabelMessage: string
  /** Turns a decoded object of this version into one of the storage version. Identity where they are the same. */
  toStorage(object: ApiObject): ApiObject
  /** The reverse, normalised where a conversion was needed. May reuse parts of the input. */
  fromStorage(object: ApiObject): ApiObject
  /** True when the storage version is this version, so stored bytes can be sent as they are. */
  readonly isStorageVersion: boolean
  /**
   * For types whose objects are converted where they are read and written, not in between: to all else this version is
   * the one that is stored (`toStorage` and `fromStorage` change nothing). Absent = for those that are built in.
   */
  readonly conversion?: VersionConversion
  /** Of custom resources alone. */
  readonly custom?: CustomResource
}

/** What a custom resource has beside what all resources have. */
export interface CustomResource {
  /** Name of its definition: `<plural>.<group>`. */
  readonly definition: string
  /** Who uses this version is warned. */
  readonly deprecation: Deprecation | undefined
  /** Its definition is going away: nothing new is created. */
  readonly terminating: boolean
  /** Holds while its definition is as it is known here; undefined = there is none any more. */
  guard(): Guard | undefined
}

export interface ServedGroup {
  readonly group: string
  /** Enabled versions in order of preference. */
  readonly versions: readonly string[]
}

/** What `--runtime-config` says: keys `api/all`, `api/alpha`, `api/beta`, `<group>/<version>`, `<group>/<version>/<resource>`. */
export type RuntimeConfig = ReadonlyMap<string, boolean>

/**
 * The types that this server serves. Built-in types stay as they are; custom ones come and go while it runs, so whoever
 * keeps what it has made of `groups` or `resources` looks at `generation`, or makes it anew.
 */
export interface TypeRegistry {
  /** Grows whenever anything that is served changes. */
  readonly generation: number
  /** Calls the listener after each change, until what this returns is called. */
  onChange(listener: () => void): () => void
  /** Waits until everything that the store knows to be served is served here. Shared by those who ask together. */
  refresh(): Promise<Result<void, ApiFailure>>
  /** Enabled groups in the order of discovery, the core group first. */
  readonly groups: readonly ServedGroup[]
  /** All enabled resources, in the order of discovery. */
  readonly resources: readonly ResourceType[]
  /** One for each place where objects lie: see {@link stored}. */
  readonly places: readonly ResourceType[]
  resource(group: string, version: string, plural: string): ResourceType | undefined
  /**
   * Of those whose objects lie there, the first in the order of discovery; of a custom resource that of the version that
   * is stored, which need not be served.
   */
  stored(prefix: string): ResourceType | undefined
  /** By kind: for bodies and apply. */
  kind(group: string, version: string, kind: string): ResourceType | undefined
  /** Message by id, compiled on first use: `meta/v1.DeleteOptions`. A bug (throws) when there is none. */
  message(id: string): MessageType
}

/** Problems of one decoded body. */
export interface DecodeReport {
  /** Paths of unknown fields, as people write them (`spec.foo`), in order; they were dropped. */
  readonly unknownFields: readonly string[]
}

export interface DecodeFailure {
  /** A sentence that names the path, what was found and what was expected. */
  readonly message: string
}

/** Checked against the schema, unknown fields dropped, defaults not yet set. */
export type DecodeResult = Result<
  { readonly object: ApiObject; readonly report: DecodeReport },
  DecodeFailure
>
