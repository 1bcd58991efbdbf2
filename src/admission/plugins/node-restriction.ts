/**
 * NodeRestriction: a node agent changes its own node and its own pods, and nothing that would bring it more of them.
 *
 * Source: specification, "Authorization" 8.
 */

import { nodeNameOf } from '../../authz/node/authorizer.ts'
import type { Names } from '../../names/names.ts'
import { notFound } from '../../status/failures.ts'
import type { ApiFailure } from '../../status/status.ts'
import { objectAt, objectsAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import type { Lookup, Lookups } from '../lookup.ts'
import { mirrorPodReason } from '../mirror-pod.ts'
import { forbiddenNodeLabels } from '../node-labels.ts'
import { refusal } from '../request.ts'

type Verdict = string | ApiFailure | undefined

interface Rules {
  readonly names: Names
  readonly pods: Lookup
  readonly nodes: Lookup
}

type Rule = (request: AdmissionRequest, node: string, rules: Rules) => Verdict | Promise<Verdict>

const rulesByPrefix: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['core/pods', podRule],
  ['core/nodes', nodeRule],
  ['core/persistentvolumeclaims', claimRule],
  ['core/serviceaccounts', tokenRule],
  ['coordination/leases', leaseRule],
  ['storage/csinodes', csiNodeRule],
])

export function createNodeRestriction(names: Names, lookups: Lookups): AdmissionPlugin {
  const rules: Rules = { names, pods: lookups('core/pods'), nodes: lookups('core/nodes') }

  async function judge(request: AdmissionRequest, node: string, rule: Rule): Promise<ApiFailure | undefined> {
    const verdict = await rule(request, node, rules)
    return typeof verdict === 'string' ? refusal(request, verdict) : verdict
  }

  return {
    name: 'NodeRestriction',
    concerns: [...rulesByPrefix.keys()],
    mutate(request) {
      const node = nodeNameOf(request.user)
      const rule = rulesByPrefix.get(request.type.storage?.prefix ?? '')
      if (node === undefined || rule === undefined) return undefined
      if (node === '')
        return refusal(request, `could not determine node from user ${JSON.stringify(request.user.name)}`)
      return judge(request, node, rule)
    },
  }
}

function podRule(request: AdmissionRequest, node: string, rules: Rules): Verdict | Promise<Verdict> {
  switch (request.subresource) {
    case '':
      return wholePodRule(request, node, rules)
    case 'status':
      return podStatusRule(request, node)
    case 'eviction':
      return evictionRule(request, node, rules)
    default:
      return `unexpected pod subresource ${JSON.stringify(request.subresource)}, only 'status' and 'eviction' are allowed`
  }
}

function wholePodRule(request: AdmissionRequest, node: string, rules: Rules): Verdict | Promise<Verdict> {
  const own = JSON.stringify(node)
  switch (request.operation) {
    case 'CREATE':
      return request.object === undefined ? undefined : newPodRule(request.object, node, rules)
    case 'DELETE':
      return nodeOf(request.oldObject) === node
        ? undefined
        : `node ${own} can only delete pods with spec.nodeName set to itself`
    case 'CONNECT':
      return undefined
    case 'UPDATE':
      return `unexpected operation "UPDATE", node ${own} can only create and delete mirror pods`
  }
}

async function newPodRule(pod: ApiObject, node: string, { names, nodes }: Rules): Promise<Verdict> {
  const reason = mirrorPodReason(pod, node, names)
  if (reason !== undefined) return reason
  const found = await nodes.get({ namespace: '', name: node })
  if (!found.ok) return found.failure
  if (found.value === undefined) return notFound({ group: '', resource: 'nodes' }, node)
  const claimed = pod.metadata.ownerReferences?.[0]?.uid ?? ''
  const { uid = '' } = found.value.metadata
  return claimed === uid ? undefined : `node ${node} UID mismatch: expected ${claimed} got ${uid}`
}

function podStatusRule({ operation, object, oldObject }: AdmissionRequest, node: string): Verdict {
  const own = JSON.stringify(node)
  if (operation !== 'UPDATE') return `unexpected operation ${JSON.stringify(operation)}`
  if (nodeOf(oldObject) !== node)
    return `node ${own} can only update pod status for pods with spec.nodeName set to itself`
  return sameMap(object?.metadata.labels, oldObject?.metadata.labels)
    ? undefined
    : `node ${own} cannot update labels through pod status`
}

async function evictionRule(
  { operation, namespace, name, object }: AdmissionRequest,
  node: string,
  { pods }: Rules,
): Promise<Verdict> {
  if (operation !== 'CREATE') return `unexpected operation ${operation}`
  const pod = name === '' ? (object?.metadata.name ?? '') : name
  if (pod === '') return 'could not determine pod from request data'
  const found = await pods.get({ namespace, name: pod })
  if (!found.ok) return found.failure
  if (found.value === undefined) return notFound({ group: '', resource: 'pods' }, pod)
  return nodeOf(found.value) === node
    ? undefined
    : `node ${node} can only evict pods with spec.nodeName set to itself`
}

function nodeRule(request: AdmissionRequest, node: string, { names }: Rules): Verdict {
  const { operation, object, oldObject } = request
  const own = JSON.stringify(node)
  const requested = request.name === '' ? (object?.metadata.name ?? '') : request.name
  if (operation === 'CREATE' && object !== undefined) {
    if (objectAt(object, 'spec', 'configSource') !== undefined)
      return `node ${own} is not allowed to create pods with a non-nil configSource`
    const labels = forbiddenNodeLabels(object.metadata.labels ?? {}, {}, names)
    if (labels.length > 0)
      return `node ${own} is not allowed to set the following labels: ${labels.join(', ')}`
  }
  if (requested !== node) return `node ${own} is not allowed to modify node ${JSON.stringify(requested)}`
  return operation === 'UPDATE' && object !== undefined && oldObject !== undefined
    ? changedNodeRule(object, oldObject, own, names)
    : undefined
}

function changedNodeRule(object: ApiObject, old: ApiObject, own: string, names: Names): Verdict {
  const [source, before] = [object, old].map((one) => objectAt(one, 'spec', 'configSource'))
  if (source !== undefined && JSON.stringify(source) !== JSON.stringify(before))
    return `node ${own} is not allowed to update configSource to a new non-nil configSource`
  const [taints, taintsBefore] = [object, old].map((one) => objectsAt(objectAt(one, 'spec'), 'taints'))
  if (JSON.stringify(taints) !== JSON.stringify(taintsBefore))
    return `node ${own} is not allowed to modify taints`
  const labels = forbiddenNodeLabels(object.metadata.labels ?? {}, old.metadata.labels ?? {}, names)
  return labels.length > 0 ? `is not allowed to modify labels: ${labels.join(', ')}` : undefined
}

/** What an expansion of a volume on the node reports. */
const claimFields = ['capacity', 'conditions', 'allocatedResources', 'allocatedResourceStatuses'] as const

function claimRule({ subresource, operation, object, oldObject }: AdmissionRequest, node: string): Verdict {
  if (subresource !== 'status') return 'may only update PVC status'
  if (operation !== 'UPDATE') return `unexpected operation ${JSON.stringify(operation)}`
  if (object === undefined || oldObject === undefined) return undefined
  return restOfClaim(object) === restOfClaim(oldObject)
    ? undefined
    : `node ${JSON.stringify(node)} is not allowed to update fields other than status.capacity and status.conditions`
}

/** Everything but what a node reports, as text to compare. */
function restOfClaim(claim: ApiObject): string {
  const { metadata, status: _status, apiVersion: _apiVersion, kind: _kind, ...rest } = claim
  const { resourceVersion: _version, managedFields: _fields, ...meta } = metadata
  const status = { ...objectAt(claim, 'status') }
  for (const field of claimFields) delete status[field]
  return canonical({ ...rest, metadata: meta, status })
}

/** JSON with members in the order of their names, without empty ones. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

async function tokenRule(
  { operation, subresource, namespace, object }: AdmissionRequest,
  node: string,
  { pods }: Rules,
): Promise<Verdict> {
  if (operation !== 'CREATE' || subresource !== 'token' || object === undefined) return undefined
  const reference = objectAt(object, 'spec', 'boundObjectRef')
  const name = textAt(reference, 'name')
  if (textAt(reference, 'apiVersion') !== 'v1' || textAt(reference, 'kind') !== 'Pod' || name === '')
    return 'node requested token not bound to a pod'
  const uid = textAt(reference, 'uid')
  if (uid === '') return 'node requested token with a pod binding without a uid'
  const found = await pods.get({ namespace, name })
  if (!found.ok) return found.failure
  if (found.value === undefined) return notFound({ group: '', resource: 'pods' }, name)
  if (uid !== found.value.metadata.uid)
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
  return nodeOf(found.value) === node
    ? undefined
    : 'node requested token bound to a pod scheduled on a different node'
}

function leaseRule(request: AdmissionRequest, node: string, { names }: Rules): Verdict {
  if (request.namespace !== names.nodeLeaseNamespace)
    return `can only access leases in the ${JSON.stringify(names.nodeLeaseNamespace)} system namespace`
  return ownNameRule(request, node, 'node lease')
}

function csiNodeRule(request: AdmissionRequest, node: string): Verdict {
  return ownNameRule(request, node, 'CSINode')
}

function ownNameRule({ name, object }: AdmissionRequest, node: string, what: string): Verdict {
  const given = name === '' ? (object?.metadata.name ?? '') : name
  return given === node ? undefined : `can only access ${what} with the same name as the requesting node`
}

function nodeOf(pod: ApiObject | undefined): string {
  return pod === undefined ? '' : textAt(objectAt(pod, 'spec'), 'nodeName')
}

type Labels = Readonly<Record<string, string>>

function sameMap(a: Labels = {}, b: Labels = {}): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key])
}
