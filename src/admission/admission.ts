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
export type Verdict = ApiFailure | undefined | Promise<ApiFailure | undefined>

export interface AdmissionPlugin {
  /** As in `--enable-admission-plugins`. */
  readonly name: string
  /** Storage prefixes (`core/pods`) of the resources whose new objects it may change; absent = it changes none. */
  readonly changes?: readonly string[]
  /** Storage prefixes of the only resources that it looks at; absent = any. It is not called for others. */
  readonly concerns?: readonly string[]
  mutate?(request: AdmissionRequest): Verdict
  validate?(request: AdmissionRequest): Verdict
}

export interface Admission {
  /** A plugin may change new objects of this type: what is whose is settled before that. */
  changes(type: ResourceType): boolean
  mutate(request: AdmissionRequest): Verdict
  validate(request: AdmissionRequest): Verdict
}

/** Plugins in their order; the first refusal ends the request. Answers at once where every plugin asked does. */
export function createAdmission(plugins: readonly AdmissionPlugin[]): Admission {
  const changed = new Set(
    plugins.flatMap(({ mutate, changes = [] }) => (mutate === undefined ? [] : changes)),
  )
  const mutating = createChain(plugins, 'mutate')
  const validating = createChain(plugins, 'validate')
  return {
    changes: ({ storage }) => storage !== undefined && changed.has(storage.prefix),
    mutate: mutating,
    validate: validating,
  }
}

type Phase = 'mutate' | 'validate'
type Run = (request: AdmissionRequest) => Verdict

function createChain(plugins: readonly AdmissionPlugin[], phase: Phase): Run {
  const active = plugins.filter((plugin) => plugin[phase] !== undefined)
  /** Those that a resource concerns, by its prefix: chosen once. */
  const chosen = new Map<string, readonly AdmissionPlugin[]>()

  function pluginsFor(prefix: string): readonly AdmissionPlugin[] {
    let of = chosen.get(prefix)
    if (of === undefined) {
      of = active.filter(({ concerns }) => concerns === undefined || concerns.includes(prefix))
      chosen.set(prefix, of)
    }
    return of
  }

  function runFrom(asked: readonly AdmissionPlugin[], first: number, request: AdmissionRequest): Verdict {
    for (let at = first; at < asked.length; at++) {
      const verdict = asked[at]?.[phase]?.(request)
      if (verdict === undefined) continue
      return verdict instanceof Promise ? goOn(asked, at, verdict, request) : verdict
    }
    return undefined
  }

  async function goOn(
    asked: readonly AdmissionPlugin[],
    at: number,
    pending: Promise<ApiFailure | undefined>,
    request: AdmissionRequest,
  ): Promise<ApiFailure | undefined> {
    return (await pending) ?? runFrom(asked, at + 1, request)
  }

  return (request) => runFrom(pluginsFor(request.type.storage?.prefix ?? ''), 0, request)
}
