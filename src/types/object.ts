/** Objects as the API handles them between decoding and encoding: plain JSON values, checked against their schema. */

import type { JsonObject, JsonValue } from '../json.ts'

export interface OwnerReference extends JsonObject {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** Source: specification, "Common envelope and metadata". Checked by the decoder, so the types hold. */
export interface ObjectMeta {
  name?: string
  generateName?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string | null
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  ownerReferences?: OwnerReference[]
  finalizers?: string[]
  managedFields?: JsonObject[]
  selfLink?: string
}

/**
 * A mutable object in the hands of one request. `metadata` always exists. Everything else is read through the
 * type's own code.
 */
export interface ApiObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  [field: string]: JsonValue | ObjectMeta | undefined
}
