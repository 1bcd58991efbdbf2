/**
 * Role-based access control: allows what a role allows that is bound to the user or to one of the user's groups; has no
 * opinion on anything else. Source: specification, "Access-control resources".
 */

import type { User } from '../../pipeline/user.ts'
import { type Authorizer, type Decision, noOpinion, type RulesFor } from '../authorizer.ts'
import { questionOf } from './compiled-role.ts'
import type { Grant, PolicyIndex } from './policy-index.ts'
import type { PolicyRule, RoleRef } from './rule.ts'

/** Roles that are bound but not there are named in the reason of a denial, at most this many. */
const missingMax = 16

interface RbacParts {
  readonly index: PolicyIndex
  /** `rbac.authorization.…`. */
  readonly group: string
  /** Resolves when the index is whole; undefined = it is. A decision waits for it. */
  readonly loading: () => Promise<void> | undefined
}

export interface RbacAuthorizer extends Authorizer, RulesFor {
  /** The rules of all roles bound to the user, and what could not be found out. */
  heldRules(
    user: User,
    namespace: string,
  ): Promise<{ readonly rules: readonly PolicyRule[]; readonly errors: readonly string[] }>
}

export function createRbacAuthorizer({ index, group, loading }: RbacParts): RbacAuthorizer {
  function decide({ user, request }: Parameters<Authorizer['authorize']>[0]): Decision {
    const question = questionOf(request)
    const namespace = request.type === 'resource' ? request.namespace : ''
    let missing: RoleRef[] | undefined
    const grant = index.find(user, namespace, ({ slot: { role }, roleRef }) => {
      if (role !== undefined) return role.allows(question)
      missing ??= []
      if (missing.length < missingMax) missing.push(roleRef)
      return false
    })
    if (grant !== undefined) {
      grant.reason ??= describeGrant(grant)
      return { decision: 'allow', reason: grant.reason }
    }
    if (missing === undefined) return noOpinion
    return {
      decision: 'noOpinion',
      reason: `RBAC: ${aggregate(missing.map((ref) => describeMissing(ref, group)))}`,
    }
  }

  async function heldRules(user: User, namespace: string) {
    await loading()
    const rules: PolicyRule[] = []
    const errors: string[] = []
    index.find(user, namespace, ({ slot: { role }, roleRef }) => {
      if (role !== undefined) rules.push(...role.rules)
      else if (errors.length < missingMax) errors.push(describeMissing(roleRef, group))
      return false
    })
    return { rules, errors }
  }

  return {
    heldRules,
    authorize(attributes) {
      const wait = loading()
      return wait === undefined ? decide(attributes) : wait.then(() => decide(attributes))
    },
    async rulesFor(user, namespace) {
      const { rules, errors } = await heldRules(user, namespace)
      return {
        resourceRules: rules.filter(({ resources }) => resources.length > 0),
        nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0),
        incomplete: false,
        errors: errors.length === 0 ? [] : [aggregate(errors)],
      }
    },
  }
}

/** One message as it is, several in brackets, each once. */
function aggregate(messages: readonly string[]): string {
  const distinct = [...new Set(messages)]
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}

function describeMissing({ kind, name }: RoleRef, group: string): string {
  return `${kind.toLowerCase()}.${group} ${JSON.stringify(name)} not found`
}

function describeGrant({ binding, roleRef, subject }: Grant): string {
  const what =
    binding.namespace === ''
      ? `ClusterRoleBinding ${JSON.stringify(binding.name)}`
      : `RoleBinding ${JSON.stringify(`${binding.name}/${binding.namespace}`)}`
  const namespace = subject.namespace === '' ? binding.namespace : subject.namespace
  const whom = subject.kind === 'ServiceAccount' ? `${subject.name}/${namespace}` : subject.name
  const role = `${roleRef.kind} ${JSON.stringify(roleRef.name)}`
  return `RBAC: allowed by ${what} of ${role} to ${subject.kind} ${JSON.stringify(whom)}`
}
