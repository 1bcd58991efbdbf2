/**
 * Admission: plugins that change or refuse writes after authorization and before storage. Mutating plugins run first,
 * then, on the finished object, validating ones. Reads never come here.
 *
 * Source: specification, "What the service does", 4–7.
 */

import type { User } from '../pipeline/user.ts'
import type { ApiFailure } from '../status/status.ts'
import type { ApiObject } from '../types/object.ts'
import type { ResourceType } from '../types/resource.ts'

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE'

export interface AdmissionRequest {
  readonly operation: Operation
  readonly type: ResourceType
  readonly subresource: string
  readonly namespace: string
  /** '' while a name is still to be generated. */
  readonly name: string
  readonly user: User
  readonly dryRun: boolean
  /** As it would be stored (storage version); absent for deletions. Mutating plugins change it in place. */
  readonly object?: ApiObject
  /** As it is stored; absent for creations. */
  readonly oldObject?: ApiObject
  /** Texts of `Warning` headers, to add to; absent where nobody would read them. */
  readonly warnings?: string[]
}

/** A plugin returns why it refuses, or nothing. */
type Verdict = ApiFailure | undefined | Promise<ApiFailure | undefined>

export interface AdmissionPlugin {
  /** As in `--enable-admission-plugins`. */
  readonly name: string
  /** Storage prefixes (`core/pods`) of the resources whose new objects it may change; absent = it changes none. */
  readonly changes?: readonly string[]
  mutate?(request: AdmissionRequest): Verdict
  validate?(request: AdmissionRequest): Verdict
}

export interface Admission {
  /** A plugin may change new objects of this type: what is whose is settled before that. */
  changes(type: ResourceType): boolean
  mutate(request: AdmissionRequest): Promise<ApiFailure | undefined>
  validate(request: AdmissionRequest): Promise<ApiFailure | undefined>
}

/** Plugins in their order; the first refusal ends the request. */
export function createAdmission(plugins: readonly AdmissionPlugin[]): Admission {
  const mutating = plugins.filter((plugin) => plugin.mutate !== undefined)
  const validating = plugins.filter((plugin) => plugin.validate !== undefined)
  const changed = new Set(mutating.flatMap(({ changes = [] }) => changes))
  return {
    changes: ({ storage }) => storage !== undefined && changed.has(storage.prefix),
    async mutate(request) {
      for (const plugin of mutating) {
        const refusal = await plugin.mutate?.(request)
        if (refusal !== undefined) return refusal
      }
      return undefined
    },
    async validate(request) {
      for (const plugin of validating) {
        const refusal = await plugin.validate?.(request)
        if (refusal !== undefined) return refusal
      }
      return undefined
    },
  }
}
