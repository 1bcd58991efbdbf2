/**
 * What node agents may do: what the role `system:node` says, but secrets, config maps, claims, volumes, attachments and
 * service account tokens only where something on their own node uses them, and leases and CSI nodes of their own name.
 *
 * Source: specification, "Authorization" 8.
 */

import type { Names } from '../../names/names.ts'
import type { User } from '../../pipeline/user.ts'
import {
  type Attributes,
  type AuthorizationModule,
  allow,
  type Decision,
  noOpinion,
  noRules,
  type ResourceAttributes,
} from '../authorizer.ts'
import { type CompiledRole, questionOf } from '../rbac/compiled-role.ts'
import type { NodeGraph, VertexType } from './graph.ts'

interface NodeAuthorizerParts {
  readonly names: Names
  readonly graph: NodeGraph
  /** What is not subdivided: the rules of `system:node`. */
  readonly role: CompiledRole
  /** Resolves when the graph is whole; undefined = it is. */
  readonly loading: () => Promise<void> | undefined
}

const userPrefix = 'system:node:'
const nodesGroup = 'system:nodes'

/** Undefined = the user is no node; '' = a node without a name. */
export function nodeNameOf({ name, groups }: User): string | undefined {
  return name.startsWith(userPrefix) && groups.includes(nodesGroup)
    ? name.slice(userPrefix.length)
    : undefined
}

export function createNodeAuthorizer(parts: NodeAuthorizerParts): AuthorizationModule {
  const { names, role, loading } = parts
  const storage = names.expand('storage.{groups}')
  const coordination = names.expand('coordination.{groups}')
  const rules = new Map<string, (node: string, request: ResourceAttributes) => Decision>([
    ['/secrets', (node, request) => readOf('secret', node, request, parts)],
    ['/configmaps', (node, request) => readOf('configMap', node, request, parts)],
    ['/persistentvolumeclaims', (node, request) => claimOf(node, request, parts)],
    ['/persistentvolumes', (node, request) => getOf('volume', node, request, parts)],
    [`${storage}/volumeattachments`, (node, request) => getOf('attachment', node, request, parts)],
    ['/serviceaccounts', (node, request) => tokenOf(node, request, parts)],
    [`${coordination}/leases`, (node, request) => leaseOf(node, request, names)],
    [`${storage}/csinodes`, (node, request) => csiNodeOf(node, request)],
  ])

  function decide({ request }: Attributes, node: string): Decision {
    if (request.type === 'resource') {
      const rule = rules.get(`${request.group}/${request.resource}`)
      if (rule !== undefined) return rule(node, request)
    }
    return role.allows(questionOf(request)) ? allow : noOpinion
  }

  return {
    authorize(attributes) {
      const node = nodeNameOf(attributes.user)
      if (node === undefined) return noOpinion
      if (node === '') return because(`unknown node for user ${JSON.stringify(attributes.user.name)}`)
      const wait = loading()
      return wait === undefined ? decide(attributes, node) : wait.then(() => decide(attributes, node))
    },
    async rulesFor(user) {
      if (nodeNameOf(user) === undefined) return noRules
      return {
        ...noRules,
        incomplete: true,
        errors: ['node authorizer does not support user rule resolution'],
      }
    },
  }
}

function because(reason: string): Decision {
  return { decision: 'noOpinion', reason }
}

const readVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch'])
const keepVerbs: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch', 'delete'])

function readOf(
  type: VertexType,
  node: string,
  request: ResourceAttributes,
  parts: NodeAuthorizerParts,
): Decision {
  if (!readVerbs.has(request.verb)) return because('can only read resources of this type')
  if (request.subresource !== '') return because('cannot read subresource')
  if (request.namespace === '') return because('can only read namespaced object of this type')
  return relatedTo(type, node, request, parts)
}

function getOf(
  type: VertexType,
  node: string,
  request: ResourceAttributes,
  parts: NodeAuthorizerParts,
): Decision {
  if (request.verb !== 'get' || request.subresource !== '')
    return because('can only get individual resources of this type')
  return relatedTo(type, node, request, parts)
}

function claimOf(node: string, request: ResourceAttributes, parts: NodeAuthorizerParts): Decision {
  if (request.subresource !== 'status') return getOf('claim', node, request, parts)
  if (request.verb !== 'update' && request.verb !== 'patch')
    return because('can only get, update, or patch status')
  return relatedTo('claim', node, request, parts)
}

function tokenOf(node: string, request: ResourceAttributes, parts: NodeAuthorizerParts): Decision {
  if (request.verb !== 'create' || request.name === '')
    return because('can only create tokens for individual service accounts')
  if (request.subresource !== 'token') return because('can only create token subresource of service account')
  return relatedTo('serviceAccount', node, request, parts)
}

function relatedTo(
  type: VertexType,
  node: string,
  { namespace, name }: ResourceAttributes,
  { graph }: NodeAuthorizerParts,
): Decision {
  if (name === '') return because('No Object name found')
  return graph.reaches(type, namespace, name, node)
    ? allow
    : because(`no relationship found between node '${node}' and this object`)
}

function leaseOf(node: string, request: ResourceAttributes, { nodeLeaseNamespace }: Names): Decision {
  if (!keepVerbs.has(request.verb))
    return because('can only get, create, update, patch, or delete a node lease')
  if (request.namespace !== nodeLeaseNamespace)
    return because(`can only access leases in the ${JSON.stringify(nodeLeaseNamespace)} system namespace`)
  if (request.verb !== 'create' && request.name !== node)
    return because('can only access node lease with the same name as the requesting node')
  return allow
}

function csiNodeOf(node: string, request: ResourceAttributes): Decision {
  if (!keepVerbs.has(request.verb)) return because('can only get, create, update, patch, or delete a CSINode')
  if (request.subresource !== '') return because('cannot authorize CSINode subresources')
  if (request.verb !== 'create' && request.name !== node)
    return because('can only access CSINode with the same name as the requesting node')
  return allow
}
