/**
 * A facet is what a path shows of an object, and what writing to that path may change: the whole object, its status,
 * its scale, … get, update and patch are the same for all of them.
 *
 * Source: specification, "Operations" (subresources), "States and transitions".
 */

import { ok } from '../../store/contract.ts'
import type { JsonValue } from '../json.ts'
import type { Outcome } from '../pipeline/answer.ts'
import type { ResourceRef } from '../status/failures.ts'
import type { ApiFailure, Cause } from '../status/status.ts'
import type { ApiObject } from '../types/object.ts'
import type { ResourceType, StrategyContext } from '../types/resource.ts'
import type { ApiRequest, Checked, Machinery, ResourceRoute } from './machinery.ts'
import type { Ownership } from './ownership.ts'
import type { AppliedThrough } from './scale-configuration.ts'
import type { Expected } from './stated-kind.ts'

/** What POST does on a path of its own. */
export type Creator = (route: ResourceRoute, request: ApiRequest, machinery: Machinery) => Promise<Outcome>

export interface Facet {
  /** '' for the object itself. */
  readonly subresource: string
  readonly expected: Expected
  readonly ownership: Ownership
  /** The stored object as this path shows it. May reuse parts. */
  show(stored: ApiObject): ApiObject
  /** The stored object (storage version) with what the body may change of it. May reuse parts of both. */
  merge(body: ApiObject, old: ApiObject, context: StrategyContext): Checked<ApiObject>
  /** What is wrong with a change through this path; absent = what the type's strategy says. */
  readonly validateUpdate?: (object: ApiObject, old: ApiObject) => readonly Cause[]
  /** How a configuration is applied where the owners stand in another object; absent = in this one. */
  readonly applied?: AppliedThrough
  /** Why this path has nothing to show of an object; absent = it always has. */
  readonly readFailure?: (stored: ApiObject) => ApiFailure | undefined
  /** What a read calls an object that is not there; absent = by the name of its resource. */
  readonly absent?: ResourceRef
  /** Absent = POST stores a new object. */
  readonly create?: Creator
}

/** The object itself: everything but its status, where that has a path of its own. */
export function mainFacet(type: ResourceType, ownership: Ownership): Facet {
  return {
    subresource: '',
    ownership,
    expected: { kind: type, message: type.message },
    show: (stored) => type.fromStorage(stored),
    merge(body, old, context) {
      const object = type.toStorage(body)
      if (type.strategy.status) setMember(object, 'status', old['status'])
      type.strategy.prepareForUpdate?.(object, old, context)
      return ok(object)
    },
  }
}

type Member = JsonValue | ApiObject['metadata'] | undefined

/** Absent and undefined are the same. */
export function setMember(object: ApiObject, name: string, value: Member): void {
  if (value === undefined) delete object[name]
  else object[name] = value
}
