/**
 * Which requests are written down, and how much of them: the rules of an audit policy, asked once for each request.
 *
 * Source: audit.k8s.io/v1 Policy.
 */

import type { RequestAttributes, ResourceAttributes } from '../authz/authorizer.ts'
import type { User } from '../pipeline/user.ts'

/** Each with all of what those before it have. */
export const auditLevels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const
export type AuditLevel = (typeof auditLevels)[number]

export const auditStages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const
export type AuditStage = (typeof auditStages)[number]

export interface GroupResources {
  /** '' = the core group. */
  readonly group: string
  /** `pods`, `pods/log`, `pods/*`, `*`, or `*` and a subresource; empty = all of the group. */
  readonly resources: readonly string[]
  /** Empty = all. */
  readonly resourceNames: readonly string[]
}

/** A request matches when all that is not empty does. */
export interface AuditRule {
  readonly level: AuditLevel
  readonly users: readonly string[]
  readonly userGroups: readonly string[]
  readonly verbs: readonly string[]
  readonly resources: readonly GroupResources[]
  /** '' = what is in no namespace. */
  readonly namespaces: readonly string[]
  /** A `*` at the end stands for any rest. */
  readonly nonResourceUrls: readonly string[]
  readonly omitStages: readonly AuditStage[]
  /** Undefined = as the policy says. */
  readonly omitManagedFields: boolean | undefined
}

/** Plain data: it goes to other processes. */
export interface AuditPolicy {
  readonly rules: readonly AuditRule[]
  readonly omitStages: readonly AuditStage[]
  readonly omitManagedFields: boolean
}

/** What is written down of one request. */
export interface AuditVerdict {
  readonly level: AuditLevel
  readonly omitStages: ReadonlySet<AuditStage>
  readonly omitManagedFields: boolean
}

/** `user`: undefined = nobody knows who asks. */
type AuditPolicyEvaluator = (request: RequestAttributes, user: User | undefined) => AuditVerdict

/** The first rule that matches says it; without one, nothing is written. */
export function createPolicyEvaluator(policy: AuditPolicy): AuditPolicyEvaluator {
  const ready = policy.rules.map((rule) => ({
    rule,
    verdict: {
      level: rule.level,
      omitStages: new Set([...policy.omitStages, ...rule.omitStages]),
      omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields,
    },
  }))
  const unmatched: AuditVerdict = {
    level: 'None',
    omitStages: new Set(policy.omitStages),
    omitManagedFields: policy.omitManagedFields,
  }
  return (request, user) => {
    for (const { rule, verdict } of ready) if (matches(rule, request, user)) return verdict
    return unmatched
  }
}

function matches(rule: AuditRule, request: RequestAttributes, user: User | undefined): boolean {
  const { users, userGroups, verbs, resources, namespaces, nonResourceUrls } = rule
  if (users.length > 0 && (user === undefined || !users.includes(user.name))) return false
  if (userGroups.length > 0 && user?.groups.some((group) => userGroups.includes(group)) !== true) return false
  if (verbs.length > 0 && !verbs.includes(request.verb)) return false
  if (namespaces.length > 0 || resources.length > 0)
    return request.type === 'resource' && matchesResource(rule, request)
  if (nonResourceUrls.length > 0)
    return request.type === 'nonResource' && nonResourceUrls.some((url) => matchesPath(url, request.path))
  return true
}

function matchesPath(url: string, path: string): boolean {
  return url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)))
}

function matchesResource({ namespaces, resources }: AuditRule, request: ResourceAttributes): boolean {
  if (namespaces.length > 0 && !namespaces.includes(request.namespace)) return false
  return resources.length === 0 || resources.some((one) => matchesGroup(one, request))
}

function matchesGroup(
  { group, resources, resourceNames }: GroupResources,
  { group: asked, resource, subresource, name }: ResourceAttributes,
): boolean {
  if (group !== asked) return false
  if (resources.length === 0) return true
  if (resourceNames.length > 0 && !resourceNames.includes(name)) return false
  const combined = subresource === '' ? resource : `${resource}/${subresource}`
  return resources.some(
    (one) =>
      one === '*' ||
      one === combined ||
      (subresource !== '' && one === `*/${subresource}`) ||
      one === `${resource}/*`,
  )
}
