/**
 * Values that are not among those the schema allows, wherever they stand in an object, all at once. Empty texts mostly
 * mean "not said", and `status` is the server's: neither is looked at. The walk over a message is compiled at first use and
 * visits only what leads to an enumeration.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { Field, MessageType } from '../../schema/descriptor.ts'
import { formatPath } from '../../schema/path.ts'
import { leadsTo, madeOnce, messageOf, type Visit, visitLeaves } from '../../schema/walk.ts'
import { notSupported } from '../../status/causes.ts'
import type { Causes } from './checks.ts'

type Check = Visit<Causes>

/** Narrower than the schema says: these values exist, but none may use them any more. */
const supportedNow: ReadonlyMap<string, readonly string[]> = new Map([
  ['admissionregistration/v1.MutatingWebhook.sideEffects', ['None', 'NoneOnDryRun']],
  ['admissionregistration/v1.ValidatingWebhook.sideEffects', ['None', 'NoneOnDryRun']],
  ['core/v1.ServiceSpec.ipFamilies', ['IPv4', 'IPv6']],
  ['storage/v1.StorageClass.reclaimPolicy', ['Delete', 'Retain']],
])

/** Shown in this order; the others alphabetically. */
const ordered: ReadonlyMap<string, readonly string[]> = new Map([
  ['networking/v1.NetworkPolicyPort.protocol', ['TCP', 'UDP', 'SCTP']],
  ['networking/v1.NetworkPolicySpec.policyTypes', ['Ingress', 'Egress']],
  ['core/v1.PodSpec.dnsPolicy', ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']],
  ['core/v1.PodSpec.preemptionPolicy', ['PreemptLowerPriority', 'Never']],
  ['core/v1.PodSpec.restartPolicy', ['Always', 'OnFailure', 'Never']],
  ['core/v1.Toleration.effect', ['NoSchedule', 'PreferNoSchedule', 'NoExecute']],
])

/** The rules of their types say what is wrong with these. */
const judgedElsewhere: ReadonlySet<string> = new Set([
  'apiextensions/v1.ValidationRule.reason',
  'apps/v1.DaemonSetUpdateStrategy.type',
  'apps/v1.DeploymentStrategy.type',
  'apps/v1.StatefulSetSpec.podManagementPolicy',
  'apps/v1.StatefulSetUpdateStrategy.type',
  'core/v1.NodeSelectorRequirement.operator',
  'core/v1.ResourceQuotaSpec.scopes',
  'core/v1.ScopedResourceSelectorRequirement.operator',
  'core/v1.ScopedResourceSelectorRequirement.scopeName',
  'core/v1.ServiceSpec.externalTrafficPolicy',
  'core/v1.Taint.effect',
  'core/v1.TopologySpreadConstraint.whenUnsatisfiable',
  'core/v1.VolumeMount.mountPropagation',
  'networking/v1.HTTPIngressPath.pathType',
])

/** Lists whose elements are not told apart in causes. */
const unindexed: ReadonlySet<string> = new Set([
  'core/v1.PersistentVolumeClaimSpec.accessModes',
  'core/v1.PersistentVolumeSpec.accessModes',
])

const leadsToEnum = leadsTo((message) => fieldsOf(message).some(isClosed), fieldsOf)
const checkOf = madeOnce(messageCheck)

export function checkEnums(causes: Causes, message: MessageType, object: JsonObject): void {
  if (leadsToEnum(message)) checkOf(message)(object, [], causes)
}

function fieldsOf(message: MessageType): readonly Field[] {
  if (message.jsonForm !== undefined) return []
  return [...message.jsonFields.values()].filter(({ name }) => !message.root || name !== 'status')
}

function isClosed(field: Field): boolean {
  return field.enum !== undefined && !field.enumOpen
}

function messageCheck(message: MessageType): Check {
  let members: readonly { name: string; check: Check }[] | undefined
  return (value, path, causes) => {
    if (!isJsonObject(value)) return
    members ??= fieldsOf(message).flatMap((field) => {
      const check = fieldCheck(message, field)
      return check === undefined ? [] : [{ name: field.name, check }]
    })
    for (const { name, check } of members) {
      const given = value[name]
      if (given === undefined) continue
      path.push(name)
      check(given, path, causes)
      path.pop()
    }
  }
}

function fieldCheck(message: MessageType, field: Field): Check | undefined {
  const id = `${message.id}.${field.name}`
  if (isClosed(field)) {
    if (judgedElsewhere.has(id)) return undefined
    const values = supportedNow.get(id) ?? field.enum ?? []
    // An optional field that is there and empty says something: what is not supported.
    const saysSomething = field.pointer || field.type.kind === 'list'
    const mayBeEmpty = !saysSomething || values.includes('')
    const check = valueCheck(values, ordered.get(id) ?? [...values].sort(), mayBeEmpty)
    return unindexed.has(id) ? elementsCheck(check) : visitLeaves(field.type, check)
  }
  const inner = messageOf(field.type)
  if (inner === undefined || !leadsToEnum(inner)) return undefined
  return visitLeaves(field.type, (value, path, causes) => checkOf(inner)(value, path, causes))
}

/** What is wrong with an element, said of the list. */
function elementsCheck(check: Check): Check {
  return (value, path, causes) => {
    if (Array.isArray(value)) for (const one of value) check(one, path, causes)
  }
}

function valueCheck(values: readonly string[], shown: readonly string[], mayBeEmpty: boolean): Check {
  const known = new Set<JsonValue | undefined>(mayBeEmpty ? [...values, ''] : values)
  return (value, path, causes) => {
    if (!known.has(value)) causes.push(notSupported(formatPath(path), value, shown))
  }
}
