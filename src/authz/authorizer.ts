/**
 * Who may do what: the interface that access-control modules implement, and the answer to a request that none allows.
 *
 * Source: specification, "Authorization".
 */

import type { User } from '../pipeline/user.ts'
import { forbidden } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'

/** Absent parts are ''. */
export interface ResourceAttributes {
  readonly type: 'resource'
  /** Those of requests, and `impersonate`, `bind`, `escalate`, `approve`, `sign`, …; '' for an unknown method. */
  readonly verb: string
  readonly group: string
  readonly version: string
  /** '' = cluster-scoped, or all namespaces. A namespace itself is in itself. */
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
}

interface NonResourceAttributes {
  readonly type: 'nonResource'
  /** Lower-case HTTP method. */
  readonly verb: string
  /** Decoded. */
  readonly path: string
}

export type RequestAttributes = ResourceAttributes | NonResourceAttributes

/** What a decision may rest on. */
export interface Attributes {
  readonly user: User
  readonly request: RequestAttributes
}

/** `noOpinion`: ask the next module; when none has one, the request is denied. */
export interface Decision {
  readonly decision: 'allow' | 'deny' | 'noOpinion'
  readonly reason: string
}

export interface Authorizer {
  authorize(attributes: Attributes): Decision | Promise<Decision>
}

export interface ResourceRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
}

export interface NonResourceRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

export interface UserRules {
  readonly resourceRules: readonly ResourceRule[]
  readonly nonResourceRules: readonly NonResourceRule[]
  /** There may be more that cannot be listed. */
  readonly incomplete: boolean
  readonly errors: readonly string[]
}

export interface RulesFor {
  /** What the user may do in a namespace, as far as it can be listed. */
  rulesFor(user: User, namespace: string): Promise<UserRules>
}

/** A module of `--authorization-mode`. */
export type AuthorizationModule = Authorizer & RulesFor

export const noOpinion: Decision = { decision: 'noOpinion', reason: '' }
export const allow: Decision = { decision: 'allow', reason: '' }
export const noRules: UserRules = { resourceRules: [], nonResourceRules: [], incomplete: false, errors: [] }

/** Modules in order: the first that allows or denies decides. The reasons of those without an opinion add up. */
export function createAuthorizers(modules: readonly Authorizer[]): Authorizer {
  return {
    authorize(attributes) {
      let reason = ''
      for (let at = 0; at < modules.length; at++) {
        const decision = modules[at]?.authorize(attributes)
        if (decision === undefined) break
        if (decision instanceof Promise) return goOn(modules, at, decision, reason, attributes)
        if (decision.decision !== 'noOpinion') return decision
        reason = joined(reason, decision.reason)
      }
      return reason === '' ? noOpinion : { decision: 'noOpinion', reason }
    },
  }
}

/** The rest of the way, from the first module on that does not know at once. */
async function goOn(
  modules: readonly Authorizer[],
  at: number,
  pending: Promise<Decision>,
  before: string,
  attributes: Attributes,
): Promise<Decision> {
  let reason = before
  let decision = await pending
  for (const module of modules.slice(at + 1)) {
    if (decision.decision !== 'noOpinion') return decision
    reason = joined(reason, decision.reason)
    decision = await module.authorize(attributes)
  }
  if (decision.decision !== 'noOpinion') return decision
  return { decision: 'noOpinion', reason: joined(reason, decision.reason) }
}

function joined(before: string, reason: string): string {
  return before === '' || reason === '' ? before + reason : `${before}\n${reason}`
}

/** The rules of all modules together. */
export function createRulesFor(modules: readonly RulesFor[]): RulesFor {
  return {
    async rulesFor(user, namespace) {
      const all = await Promise.all(modules.map((module) => module.rulesFor(user, namespace)))
      return {
        resourceRules: all.flatMap((one) => one.resourceRules),
        nonResourceRules: all.flatMap((one) => one.nonResourceRules),
        incomplete: all.some((one) => one.incomplete),
        errors: all.flatMap((one) => one.errors),
      }
    },
  }
}

/** What somebody is told who may not do this. */
export function denial({ user, request }: Attributes, reason: string): ApiFailure {
  const because = reason === '' ? '' : `: ${reason}`
  if (request.type === 'nonResource') {
    return {
      reason: 'Forbidden',
      message: `forbidden: User ${JSON.stringify(user.name)} cannot ${request.verb} path "${request.path}"${because}`,
      details: {},
    }
  }
  const { group, resource, subresource, name, verb, namespace } = request
  const path = subresource === '' ? resource : `${resource}/${subresource}`
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`
  return forbidden(
    { group, resource },
    name,
    `User ${JSON.stringify(user.name)} cannot ${verb} resource "${path}" in API group "${group}" ${scope}${because}`,
  )
}
