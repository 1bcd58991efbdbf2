/**
 * Nobody grants by a role or a binding what they do not hold, unless they may `escalate` or `bind`. An admission step
 * of its own, behind the mutating plugins: it judges what would be stored.
 *
 * Source: specification, "Access-control resources", escalation prevention.
 */

import type { AdmissionPlugin, AdmissionRequest } from '../../admission/admission.ts'
import type { User } from '../../pipeline/user.ts'
import { sameJson } from '../../same-json.ts'
import { forbidden, notFound, type ResourceRef } from '../../status/failures.ts'
import type { ApiFailure } from '../../status/status.ts'
import type { ObjectName, ResourceStorage } from '../../storage/contract.ts'
import { readApiFailure } from '../../storage/failures.ts'
import { parseObject } from '../../storage/record.ts'
import type { ApiObject } from '../../types/object.ts'
import type { Authorizer } from '../authorizer.ts'
import { privilegedGroup } from '../privileged.ts'
import type { RbacAuthorizer } from './authorizer.ts'
import { compactRules, describeRule, missingRules, quoted } from './covers.ts'
import { type PolicyRule, type RoleRef, roleRefOf, rulesOf } from './rule.ts'

interface EscalationParts {
  /** `rbac.authorization.…`. */
  readonly group: string
  /** Of the whole server: knows who may `escalate` and `bind`. */
  readonly authorizer: Authorizer
  /** Knows what a user holds by roles. */
  readonly rbac: RbacAuthorizer
  readonly roles: ResourceStorage
  readonly clusterRoles: ResourceStorage
}

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
]

export function createEscalationPrevention(parts: EscalationParts): AdmissionPlugin {
  const { group, rbac } = parts

  async function checkRole(request: AdmissionRequest, object: ApiObject): Promise<ApiFailure | undefined> {
    const { user, namespace, oldObject, operation } = request
    const { plural } = request.type
    const name = operation === 'CREATE' ? '' : request.name
    if (await mayDo(parts, user, 'escalate', plural, { namespace, name })) return undefined
    const problem = await escalationProblem(rbac, user, namespace, rulesOf(object))
    if (problem !== undefined) return forbidden({ group, resource: plural }, request.name, problem)
    if (!isAggregated(object) && !isAggregated(oldObject)) return undefined
    const short = await escalationProblem(rbac, user, namespace, everything)
    if (short === undefined) return undefined
    const why = 'must have cluster-admin privileges to use the aggregationRule'
    return forbidden({ group, resource: plural }, request.name, why)
  }

  async function checkBinding(request: AdmissionRequest, object: ApiObject): Promise<ApiFailure | undefined> {
    const { user, namespace } = request
    const ref = roleRefOf(object)
    const resource = ref.kind === 'ClusterRole' ? 'clusterroles' : 'roles'
    const known = ref.kind === 'ClusterRole' || (ref.kind === 'Role' && namespace !== '')
    if (known && (await mayDo(parts, user, 'bind', resource, { namespace, name: ref.name }))) return undefined
    // What it is to is for validation to refuse.
    if (!known) return undefined
    const role = await readRole(parts, ref, { group, resource }, namespace)
    if (role.failure !== undefined) return role.failure
    const problem = await escalationProblem(rbac, user, namespace, role.rules)
    return problem === undefined
      ? undefined
      : forbidden({ group, resource: request.type.plural }, request.name, problem)
  }

  return {
    name: 'EscalationPrevention',
    mutate(request) {
      const { type, object, oldObject, user } = request
      if (type.group !== group || object === undefined) return undefined
      if (user.groups.includes(privilegedGroup)) return undefined
      if (oldObject !== undefined && isOnlyLettingGo(object, oldObject)) return undefined
      return type.plural.endsWith('bindings') ? checkBinding(request, object) : checkRole(request, object)
    },
  }
}

async function mayDo(
  { authorizer, group }: EscalationParts,
  user: User,
  verb: string,
  resource: string,
  { namespace, name }: ObjectName,
): Promise<boolean> {
  const { decision } = await authorizer.authorize({
    user,
    request: { type: 'resource', verb, group, version: '*', namespace, resource, subresource: '', name },
  })
  return decision === 'allow'
}

/** What the user lacks, in words; undefined = nothing. */
async function escalationProblem(
  rbac: RbacAuthorizer,
  user: User,
  namespace: string,
  wanted: readonly PolicyRule[],
): Promise<string | undefined> {
  const { rules, errors } = await rbac.heldRules(user, namespace)
  const missing = missingRules(rules, wanted)
  if (missing.length === 0) return undefined
  const lines = [...new Set(compactRules(missing).map(describeRule))].sort()
  const who = `user ${JSON.stringify(user.name)} (groups=${quoted(user.groups)})`
  const also = errors.length === 0 ? '' : `; resolution errors: [${errors.join(' ')}]`
  return `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${also}`
}

interface FoundRole {
  readonly rules: readonly PolicyRule[]
  readonly failure: ApiFailure | undefined
}

/** The newest: a binding may follow its role at once. */
async function readRole(
  { roles, clusterRoles }: EscalationParts,
  { kind, name }: RoleRef,
  ref: ResourceRef,
  namespace: string,
): Promise<FoundRole> {
  const found =
    kind === 'Role'
      ? await roles.get({ namespace, name }, { type: 'mostRecent' })
      : await clusterRoles.get({ namespace: '', name }, { type: 'mostRecent' })
  if (!found.ok) return { rules: [], failure: readApiFailure(found.failure) }
  if (found.value === undefined) return { rules: [], failure: notFound(ref, name) }
  return { rules: rulesOf(parseObject(found.value)), failure: undefined }
}

function isAggregated(role: ApiObject | undefined): boolean {
  return role?.['aggregationRule'] !== undefined && role['aggregationRule'] !== null
}

const letGo = ['ownerReferences', 'finalizers', 'managedFields', 'resourceVersion'] as const

/** Owners and finalizers alone change: what garbage collection needs. */
function isOnlyLettingGo(object: ApiObject, old: ApiObject): boolean {
  const stripped = ({ metadata, ...rest }: ApiObject): ApiObject => {
    const kept = { ...metadata }
    for (const field of letGo) delete kept[field]
    return { ...rest, apiVersion: '', kind: '', metadata: kept }
  }
  return sameJson(stripped(object), stripped(old))
}
