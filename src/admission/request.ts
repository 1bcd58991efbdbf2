/** What plugins ask of a request, and how they refuse it. */

import type { Draft } from '../schema/defaults.ts'
import { forbidden } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'
import { draftOf, ensureObject, objectsAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import type { AdmissionRequest } from './admission.ts'

/** 403: `<resource> "<name>" is forbidden: <why>`. A name that is still to be generated is shown by its beginning. */
export function refusal({ type, name, object }: AdmissionRequest, why: string): ApiFailure {
  const { name: given = '', generateName = '' } = object?.metadata ?? {}
  const shown = [name, given, generateName, 'Unknown'].find((one) => one !== '') ?? ''
  return forbidden({ group: type.group, resource: type.plural }, shown, why)
}

/** Several reasons as one text, each once. */
export function joinReasons(reasons: readonly string[]): string {
  const different = [...new Set(reasons)]
  return different.length === 1 ? (different[0] ?? '') : `[${different.join(', ')}]`
}

/** `prefix` as in {@link StorageIdentity}: `core/pods`. */
export function isOf({ type }: AdmissionRequest, prefix: string): boolean {
  return type.storage?.prefix === prefix
}

/** The object that is to be made, where the request makes one of this resource. */
export function created(request: AdmissionRequest, prefix: string): ApiObject | undefined {
  return request.operation === 'CREATE' && request.subresource === '' && isOf(request, prefix)
    ? request.object
    : undefined
}

export const pods = 'core/pods'

/** The spec of a pod that is to be made; may be changed in place. */
export function createdPodSpec(request: AdmissionRequest): Draft | undefined {
  const pod = created(request, pods)
  return pod === undefined ? undefined : ensureObject(draftOf(pod), 'spec')
}

interface ListedContainer {
  readonly list: 'containers' | 'initContainers' | 'ephemeralContainers'
  readonly index: number
  readonly container: Draft
}

/** In the order in which they are validated. */
export function containersOf(spec: Draft | undefined): readonly ListedContainer[] {
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((list) =>
    objectsAt(spec, list).map((container, index) => ({ list, index, container })),
  )
}

/** Appends to a list that may not be there yet. */
export function append(object: Draft, name: string, ...items: readonly Draft[]): void {
  const before = object[name]
  object[name] = [...(Array.isArray(before) ? before : []), ...items]
}
