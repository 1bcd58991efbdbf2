/** The modules of `--authorization-mode`. Source: specification, "Authorization" 5. */

import type { AuthorizationModule, UserRules } from './authorizer.ts'
import { allow, noRules } from './authorizer.ts'

/** Modules of the server itself. */
const builtInModes = ['Node', 'RBAC', 'ABAC', 'AlwaysAllow', 'AlwaysDeny'] as const
export type BuiltInMode = (typeof builtInModes)[number]

export const authorizationModes = [...builtInModes, 'Webhook'] as const
export type AuthorizationMode = (typeof authorizationModes)[number]

const everything: UserRules = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
  errors: [],
}

export const alwaysAllow: AuthorizationModule = {
  authorize: () => allow,
  rulesFor: async () => everything,
}

/** Denies by having no opinion: modules behind it may allow. */
export const alwaysDeny: AuthorizationModule = {
  authorize: () => ({ decision: 'noOpinion', reason: 'Everything is forbidden.' }),
  rulesFor: async () => noRules,
}
