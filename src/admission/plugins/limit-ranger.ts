/**
 * LimitRanger: the limit ranges of a namespace fill in what containers ask for, and bound what containers, pods and
 * claims may ask for.
 */

import type { Clock, Result } from '../../../store/contract.ts'
import type { Names } from '../../names/names.ts'
import type { Draft } from '../../schema/defaults.ts'
import type { ApiFailure } from '../../status/status.ts'
import { ensureObject, objectAt, objectsAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import { claimProblems, podProblems } from '../limits.ts'
import type { Lookups } from '../lookup.ts'
import { created, createdPodSpec, isOf, joinReasons, pods, refusal } from '../request.ts'

const claims = 'core/persistentvolumeclaims'

type Ranges = Result<readonly ApiObject[], ApiFailure>

/** Where the cache knows of no ranges, it is checked against the newest state once in this time. Milliseconds. */
const trustMs = 30_000
const trustedMax = 4096

interface LimitRangerParts {
  readonly names: Names
  readonly lookups: Lookups
  readonly clock: Clock
}

export function createLimitRanger({ names, lookups, clock }: LimitRangerParts): AdmissionPlugin {
  const ranges = lookups('core/limitranges')
  const annotation = names.expand('{labels}/limit-ranger')
  /** What a request is measured by stays the same from its defaults to its bounds. */
  const found = new WeakMap<AdmissionRequest, Promise<Ranges>>()
  /** Namespaces that had none, and until when that is believed. */
  const trusted = new Map<string, number>()

  async function read(namespace: string): Promise<Ranges> {
    const cached = await ranges.list(namespace)
    if (!cached.ok || cached.value.length > 0) return cached
    const nowMs = clock.monotonicMs()
    if ((trusted.get(namespace) ?? 0) > nowMs) return cached
    if (trusted.size >= trustedMax) trusted.clear()
    trusted.set(namespace, nowMs + trustMs)
    return ranges.list(namespace, 'newest')
  }

  function rangesFor(request: AdmissionRequest): Promise<Ranges> {
    const known = found.get(request)
    if (known !== undefined) return known
    const reading = read(request.namespace)
    found.set(request, reading)
    return reading
  }

  async function validate(request: AdmissionRequest): Promise<ApiFailure | undefined> {
    const problemsOf = rulesFor(request)
    if (problemsOf === undefined) return undefined
    const all = await rangesFor(request)
    if (!all.ok) return all.failure
    for (const range of all.value) {
      const problems = problemsOf(limitsOf(range))
      if (problems.length > 0) return refusal(request, joinReasons(problems))
    }
    return undefined
  }

  return {
    name: 'LimitRanger',
    changes: [pods],
    concerns: [pods, claims],
    async mutate(request) {
      const spec = createdPodSpec(request)
      if (spec === undefined) return undefined
      const all = await rangesFor(request)
      if (!all.ok) return all.failure
      for (const range of all.value) {
        const notes = fillContainers(spec, limitsOf(range))
        if (notes.length === 0 || request.object === undefined) continue
        const { metadata } = request.object
        metadata.annotations = {
          ...metadata.annotations,
          [annotation]: `LimitRanger plugin set: ${notes.join('; ')}`,
        }
      }
      return undefined
    },
    validate,
  }
}

function limitsOf(range: ApiObject): readonly Draft[] {
  return objectsAt(objectAt(range, 'spec'), 'limits')
}

/** What is checked about this request's object; nothing when it is on its way out, or cannot have changed. */
function rulesFor(request: AdmissionRequest): ((limits: readonly Draft[]) => readonly string[]) | undefined {
  const pod = createdPodSpec(request)
  if (pod !== undefined) return (limits) => podProblems(pod, limits)
  const { operation, object, oldObject, subresource } = request
  const isUpdate =
    operation === 'UPDATE' &&
    subresource === '' &&
    isOf(request, claims) &&
    oldObject?.metadata.deletionTimestamp === undefined
  const claim = created(request, claims) ?? (isUpdate ? object : undefined)
  return claim === undefined ? undefined : (limits) => claimProblems(claim, limits)
}

/** Gives the notes of what was set, in the words of the annotation. */
function fillContainers(spec: Draft, limits: readonly Draft[]): readonly string[] {
  const ofContainers = limits.filter((limit) => textAt(limit, 'type') === 'Container')
  const defaults = {
    requests: together(ofContainers.map((limit) => objectAt(limit, 'defaultRequest'))),
    limits: together(ofContainers.map((limit) => objectAt(limit, 'default'))),
  }
  if (defaults.requests.length === 0 && defaults.limits.length === 0) return []
  const lists = [
    ['containers', 'container'],
    ['initContainers', 'init container'],
  ] as const
  return lists.flatMap(([list, kind]) =>
    objectsAt(spec, list).flatMap((container) =>
      (['requests', 'limits'] as const).flatMap((name) => {
        const set = fill(container, name, defaults[name])
        const word = name === 'requests' ? 'request' : 'limit'
        return set.length === 0 ? [] : [`${set.join(', ')} ${word} for ${kind} ${textAt(container, 'name')}`]
      }),
    ),
  )
}

type Amounts = readonly (readonly [string, string])[]

/** Later limits win, by name in order. */
function together(lists: readonly (Draft | undefined)[]): Amounts {
  const amounts = new Map<string, string>()
  for (const list of lists)
    for (const [name, amount] of Object.entries(list ?? {}))
      if (typeof amount === 'string') amounts.set(name, amount)
  return [...amounts].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The names of what was not there. */
function fill(container: Draft, name: 'requests' | 'limits', amounts: Amounts): readonly string[] {
  const given = objectAt(container, 'resources', name) ?? {}
  const missing = amounts.filter(([resource]) => !Object.hasOwn(given, resource))
  if (missing.length === 0) return []
  const resources = ensureObject(container, 'resources')
  resources[name] = Object.fromEntries([...Object.entries(given), ...missing])
  return missing.map(([resource]) => resource)
}
