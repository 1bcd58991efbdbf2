/** What all writes through one door (a version of a resource, or one of its subresources) have in common. */

import type { JsonObject } from '../json.ts'
import type { MessageType } from '../schema/descriptor.ts'
import type { FieldSet } from './field-set.ts'
import { objectShape } from './object-shape.ts'
import type { Versioned } from './prune.ts'
import type { StructShape } from './shape.ts'

/** The object in another version and its message; undefined = that version is not served (any more). */
export type ConvertVersion = (
  object: JsonObject,
  apiVersion: string,
) => { readonly object: JsonObject; readonly message: MessageType } | undefined

export interface Tracking {
  readonly shape: StructShape
  readonly message: MessageType
  readonly apiVersion: string
  readonly kind: string
  /** '' = the resource itself. */
  readonly subresource: string
  /** Fields that this door does not write, by version; a member stands for all below it. */
  readonly ignored: (apiVersion: string) => FieldSet
  readonly lastAppliedAnnotation: string | undefined
  readonly convert: ConvertVersion
}

/** An object in the version of the request, in another. */
export function versionOf(tracking: Tracking, object: JsonObject, apiVersion: string): Versioned | undefined {
  if (apiVersion === tracking.apiVersion) return { object, shape: tracking.shape }
  const converted = tracking.convert(object, apiVersion)
  return converted && { object: converted.object, shape: objectShape(converted.message) }
}

/** A kind in messages: `apps/v1, Kind=Deployment`, and `/v1, Kind=Pod` of the core group. */
export function describeKind(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`
}
