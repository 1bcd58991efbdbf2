/**
 * Admission: plugins that change or refuse writes after authorization and before storage. Mutating plugins run first,
 * then, on the finished object, validating ones. Reads never come here.
 *
 * Source: specification, "What the service does", 4–7.
 */

import type { AuditAnnotations } from '../audit/annotations.ts'
import type { User } from '../pipeline/user.ts'
import type { ApiFailure } from '../status/status.ts'
import type { ApiObject } from '../types/object.ts'
import type { ResourceType } from '../types/resource.ts'

/** `CONNECT`: a request is passed on to what runs; its object is the options, and built-in plugins have no say. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** How a new object or a change was asked for. */
export interface WriteOperationOptions {
  readonly kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'
  /** Everything but storage. */
  readonly dryRun: boolean
  readonly fieldValidation: string
  /** '' = none was named. */
  readonly fieldManager: string
  /** Of an apply: conflicts are overridden. */
  readonly force?: boolean
}

/** How a deletion was asked for. */
export interface DeleteOperationOptions {
  readonly kind: 'DeleteOptions'
  readonly dryRun: boolean
  /** Undefined = the type's usual. */
  readonly gracePeriodSeconds: number | undefined
  /** `Foreground`, `Background`, `Orphan`; undefined = the type's usual. */
  readonly propagation: string | undefined
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
}

/** As reviews show it. */
export type OperationOptions = WriteOperationOptions | DeleteOperationOptions

export interface AdmissionRequest {
  readonly operation: Operation
  readonly type: ResourceType
  readonly subresource: string
  readonly namespace: string
  /** '' while a name is still to be generated. */
  readonly name: string
  readonly user: User
  readonly dryRun: boolean
  /**
   * As it would be stored (storage version); absent for deletions. Mutating plugins change it in place; validating ones
   * get it as it will be stored.
   */
  object?: ApiObject
  /** As it is stored; absent for creations. */
  readonly oldObject?: ApiObject
  /** Absent where the server itself writes. */
  readonly options?: OperationOptions
  /** Texts of `Warning` headers, to add to; absent where nobody would read them. */
  readonly warnings?: string[]
  /** Where plugins write down what nobody is told; absent = nobody reads it. */
  readonly audit?: AuditAnnotations | undefined
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
  /** Somebody outside, known at run time only, may change or look at such a write. Absent = nobody. */
  asksOthers?(type: ResourceType, operation: Operation): boolean
  /** It has changed the object, so that all who mutate look at it once more: asked after all have, once a request. */
  again?(request: AdmissionRequest): boolean
  mutate?(request: AdmissionRequest): Verdict
  validate?(request: AdmissionRequest): Verdict
}

export interface Admission {
  /** Plugins may change such a write, or show it to others: what is whose is settled before that. */
  changes(type: ResourceType, operation: 'CREATE' | 'UPDATE'): boolean
  /** Somebody outside may be asked: worth a look at the newest state first, so that it is asked once. */
  asksOthers(type: ResourceType, operation: Operation): boolean
  mutate(request: AdmissionRequest): Verdict
  validate(request: AdmissionRequest): Verdict
}

/** Hears how long plugins took. */
export interface AdmissionObserver {
  /** Monotonic. */
  nowMs(): number
  /** Of one plugin, or ('') of all plugins of a phase together. Asked once for each. */
  timesOf(name: string, phase: Phase): Times
}

export interface Times {
  took(operation: Operation, rejected: boolean, tookMs: number): void
}

/** Plugins in their order; the first refusal ends the request. Answers at once where every plugin asked does. */
export function createAdmission(
  plugins: readonly AdmissionPlugin[],
  observer?: AdmissionObserver,
): Admission {
  const changed = new Set(
    plugins.flatMap(({ mutate, changes = [] }) => (mutate === undefined ? [] : changes)),
  )
  const outward = plugins.filter((plugin) => plugin.asksOthers !== undefined)
  const asksOthers = (type: ResourceType, operation: Operation): boolean =>
    outward.some((plugin) => plugin.asksOthers?.(type, operation))
  return {
    changes(type, operation) {
      const isChanged =
        operation === 'CREATE' && type.storage !== undefined && changed.has(type.storage.prefix)
      return isChanged || asksOthers(type, operation)
    },
    asksOthers,
    mutate: createChain(plugins, 'mutate', observer),
    validate: createChain(plugins, 'validate', observer),
  }
}

export type Phase = 'mutate' | 'validate'
type Run = (request: AdmissionRequest) => Verdict

interface Asked {
  readonly run: Run
  readonly times: Times
}

function createChain(
  plugins: readonly AdmissionPlugin[],
  phase: Phase,
  observer: AdmissionObserver = unobserved,
): Run {
  const active = plugins.flatMap((plugin) => {
    const run = plugin[phase]?.bind(plugin)
    return run === undefined ? [] : [{ plugin, run, times: observer.timesOf(plugin.name, phase) }]
  })
  const all = observer.timesOf('', phase)
  const outward = active.filter(({ plugin }) => plugin.asksOthers !== undefined)
  const repeaters = phase === 'mutate' ? plugins.filter(({ again }) => again !== undefined) : []
  /** Those that a resource concerns, by its prefix: chosen once. */
  const chosen = new Map<string, readonly Asked[]>()

  function pluginsFor(prefix: string): readonly Asked[] {
    let of = chosen.get(prefix)
    if (of === undefined) {
      of = active.filter(({ plugin: { concerns } }) => concerns === undefined || concerns.includes(prefix))
      chosen.set(prefix, of)
    }
    return of
  }

  /** @param beganMs when the first of them is asked: a plugin's end is the next one's start */
  function runFrom(
    asked: readonly Asked[],
    first: number,
    request: AdmissionRequest,
    beganMs: number,
  ): Verdict {
    let startMs = beganMs
    for (let at = first; at < asked.length; at++) {
      const one = asked[at]
      const verdict = one?.run(request)
      if (verdict instanceof Promise) return goOn(asked, at, verdict, { request, startMs })
      startMs = observe(one, request, verdict, startMs)
      if (verdict !== undefined) return verdict
    }
    return undefined
  }

  async function goOn(
    asked: readonly Asked[],
    at: number,
    pending: Promise<ApiFailure | undefined>,
    { request, startMs }: { readonly request: AdmissionRequest; readonly startMs: number },
  ): Promise<ApiFailure | undefined> {
    const verdict = await pending
    const endMs = observe(asked[at], request, verdict, startMs)
    return verdict ?? runFrom(asked, at + 1, request, endMs)
  }

  /** Returns the time now. */
  function observe(
    one: Asked | undefined,
    { operation }: AdmissionRequest,
    verdict: ApiFailure | undefined,
    startMs: number,
  ): number {
    const nowMs = observer.nowMs()
    one?.times.took(operation, verdict !== undefined, nowMs - startMs)
    return nowMs
  }

  return (request) => {
    const startMs = observer.nowMs()
    const { operation, type } = request
    const asked = operation === 'CONNECT' ? outward : pluginsFor(type.storage?.prefix ?? '')
    /** Twice where somebody asks for it: what is mutated is to stand before all, in its last form. */
    const repeated = (first: ApiFailure | undefined): Verdict =>
      first === undefined && repeaters.some((plugin) => plugin.again?.(request))
        ? runFrom(asked, 0, request, observer.nowMs())
        : first
    const first = runFrom(asked, 0, request, startMs)
    const verdict = first instanceof Promise ? first.then(repeated) : repeated(first)
    const ended = (refusal: ApiFailure | undefined): ApiFailure | undefined => {
      all.took(request.operation, refusal !== undefined, observer.nowMs() - startMs)
      return refusal
    }
    return verdict instanceof Promise ? verdict.then(ended) : ended(verdict)
  }
}

const unobserved: AdmissionObserver = { nowMs: () => 0, timesOf: () => ({ took() {} }) }
