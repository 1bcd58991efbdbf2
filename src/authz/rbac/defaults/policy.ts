/** All default roles and bindings of one server. Source: specification, "Access-control resources". */

import type { Names } from '../../../names/names.ts'
import { type FeatureGates, isGateOpen } from '../../../types/feature-gates.ts'
import { componentRoles } from './component-roles.ts'
import { controllerRoles } from './controller-roles.ts'
import { namespacedRoles } from './namespaced-roles.ts'
import { type Policy, readPolicy } from './notation.ts'
import { userRoles } from './user-roles.ts'

/** The roles and bindings of a new cluster, in the words of the dialect. */
export function defaultPolicy(names: Names, featureGates: FeatureGates): Policy {
  const options = { names, isGateOpen: (gate: string) => isGateOpen(featureGates, gate) }
  const parts = [
    readPolicy(userRoles, options),
    readPolicy(componentRoles, options),
    readPolicy(controllerRoles, { ...options, controllers: true }),
    readPolicy(namespacedRoles, options),
  ]
  return {
    roles: parts.flatMap(({ roles }) => roles),
    bindings: parts.flatMap(({ bindings }) => bindings),
  }
}
