/**
 * Who may do what: the interface that access-control modules implement, and the answer to a request that none allows.
 *
 * Source: specification, "Authorization".
 */

import { isAnonymous } from '../authn/authenticate.ts'
import { type RequestInfo, scopeNamespace } from '../pipeline/request-info.ts'
import type { User } from '../pipeline/user.ts'
import { forbidden, unauthorized } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'

/** What a decision may rest on. */
export interface Attributes {
  readonly user: User
  readonly request: RequestInfo
}

/** `noOpinion`: ask the next module; when none has one, the request is denied. */
export interface Decision {
  readonly decision: 'allow' | 'deny' | 'noOpinion'
  readonly reason: string
}

export interface Authorizer {
  authorize(attributes: Attributes): Decision | Promise<Decision>
}

export const noOpinion: Decision = { decision: 'noOpinion', reason: '' }
export const allow: Decision = { decision: 'allow', reason: '' }

/** Modules in order: the first that allows or denies decides. */
export function createAuthorizers(modules: readonly Authorizer[]): Authorizer {
  return {
    async authorize(attributes) {
      for (const module of modules) {
        const decision = await module.authorize(attributes)
        if (decision.decision !== 'noOpinion') return decision
      }
      return noOpinion
    },
  }
}

/** Whom nothing identified is told to identify themselves; everyone else what they may not do. */
export function denial({ user, request }: Attributes, reason: string): ApiFailure {
  if (isAnonymous(user)) return unauthorized
  const because = reason === '' ? '' : `: ${reason}`
  if (request.type === 'nonResource') {
    return {
      reason: 'Forbidden',
      message: `forbidden: User "${user.name}" cannot ${request.verb} path "${request.path}"${because}`,
      details: {},
    }
  }
  const { group, resource, subresource, name, verb } = request
  const namespace = scopeNamespace(request)
  const path = subresource === '' ? resource : `${resource}/${subresource}`
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`
  return forbidden(
    { group, resource },
    name,
    `User "${user.name}" cannot ${verb ?? ''} resource "${path}" in API group "${group}" ${scope}${because}`,
  )
}
