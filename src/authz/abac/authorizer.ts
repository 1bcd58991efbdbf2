/** Allows what one line of the policy file allows. Source: specification, "Authorization" 9. */

import type { User } from '../../pipeline/user.ts'
import {
  type Attributes,
  type AuthorizationModule,
  allow,
  type Decision,
  type NonResourceRule,
  type RequestAttributes,
  type ResourceRule,
} from '../authorizer.ts'
import type { AbacPolicy } from './policy.ts'

const noMatch: Decision = { decision: 'noOpinion', reason: 'No policy matched.' }
const readVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch'])
const authenticatedGroup = 'system:authenticated'

export function createAbacAuthorizer(policies: readonly AbacPolicy[]): AuthorizationModule {
  return {
    authorize: (attributes) => (policies.some((policy) => matches(policy, attributes)) ? allow : noMatch),
    async rulesFor(user, namespace) {
      const own = policies.filter((policy) => subjectMatches(policy, user))
      return {
        resourceRules: own.flatMap((policy) => resourceRules(policy, namespace)),
        nonResourceRules: own.flatMap(nonResourceRules),
        incomplete: false,
        errors: [],
      }
    },
  }
}

function matches(policy: AbacPolicy, { user, request }: Attributes): boolean {
  if (policy.readonly && !readVerbs.has(request.verb)) return false
  return subjectMatches(policy, user) && targetMatches(policy, request)
}

/** A policy without user and group is about nobody. `*` is everybody who has been authenticated. */
function subjectMatches({ user, group }: AbacPolicy, { name, groups }: User): boolean {
  if (user === '' && group === '') return false
  const isAnyone = user === '*' || group === '*'
  if (isAnyone && !groups.includes(authenticatedGroup)) return false
  if (user !== '' && user !== '*' && user !== name) return false
  return group === '' || group === '*' || groups.includes(group)
}

function targetMatches(policy: AbacPolicy, request: RequestAttributes): boolean {
  if (request.type === 'nonResource') return pathMatches(policy.nonResourcePath, request.path)
  return (
    is(policy.namespace, request.namespace) &&
    is(policy.resource, request.resource) &&
    is(policy.apiGroup, request.group)
  )
}

function is(wanted: string, found: string): boolean {
  return wanted === '*' || wanted === found
}

function pathMatches(wanted: string, path: string): boolean {
  if (wanted === '') return false
  if (wanted === '*' || wanted === path) return true
  return wanted.endsWith('*') && path.startsWith(wanted.replace(/\*+$/, ''))
}

function verbsOf({ readonly }: AbacPolicy): readonly string[] {
  return readonly ? [...readVerbs] : ['*']
}

function resourceRules(policy: AbacPolicy, namespace: string): readonly ResourceRule[] {
  const { resource, apiGroup } = policy
  if (resource === '' || !is(policy.namespace, namespace)) return []
  return [{ verbs: verbsOf(policy), apiGroups: [apiGroup], resources: [resource], resourceNames: [] }]
}

function nonResourceRules(policy: AbacPolicy): readonly NonResourceRule[] {
  if (policy.nonResourcePath === '') return []
  return [{ verbs: policy.readonly ? ['get'] : ['*'], nonResourceURLs: [policy.nonResourcePath] }]
}
