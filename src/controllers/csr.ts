/** What the controllers of certificate requests read of them. */

import type { JsonObject } from '../json.ts'
import type { Machinery, ResourceRoute } from '../registry/machinery.ts'
import { objectAt, objectsAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import type { Routes } from './controller.ts'

/** Undefined = they are not served. */
export function signingRequestsOf({ names }: Machinery, routes: Routes): ResourceRoute | undefined {
  return routes.route(names.expand('certificates.{groups}'), 'v1', 'certificatesigningrequests')
}

/** The condition of that type, where it is true. */
export function trueCondition(request: ApiObject, type: string): JsonObject | undefined {
  return objectsAt(objectAt(request, 'status'), 'conditions').find(
    (one) => textAt(one, 'type') === type && ['True', ''].includes(textAt(one, 'status')),
  )
}

export function isTrue(request: ApiObject, type: string): boolean {
  return trueCondition(request, type) !== undefined
}
