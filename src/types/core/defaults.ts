/** What pods, services and the other core types get beside the plain values of their schema. */

import { isJsonObject, type JsonObject } from '../../json.ts'
import { setOwn } from '../../own.ts'
import { type DefaultRule, type Draft, isEmpty } from '../../schema/defaults.ts'
import type { DefaultRules } from '../default-rules.ts'
import { ensureObject, objectAt, objectsAt, setDefault, textAt } from '../draft.ts'
import { imageTag } from './image-reference.ts'

export const coreDefaults: DefaultRules = ({ names, isGateOpen }) => ({
  'core/v1.Container': pullPolicy,
  'core/v1.EphemeralContainer': pullPolicy,
  'core/v1.LimitRangeItem': limitRangeItem,
  'core/v1.Namespace': namespaceLabel(names.expand('{labels}/metadata.name')),
  'core/v1.NodeSpec': nodeSpec,
  'core/v1.NodeStatus': nodeStatus,
  'core/v1.PersistentVolume': persistentVolume,
  'core/v1.Pod': pod(isGateOpen('InPlacePodVerticalScaling')),
  'core/v1.PodSpec': podSpec,
  'core/v1.PodStatus': podStatus,
  'core/v1.ReplicationController': replicationController,
  'core/v1.SecurityContext': procMount(isGateOpen('ProcMountType')),
  'core/v1.Service': serviceIngress,
  'core/v1.ServiceSpec': serviceSpec,
  'core/v1.Volume': volume,
})

/** `latest` is pulled every time. */
function pullPolicy(container: Draft): void {
  if (textAt(container, 'imagePullPolicy') !== '') return
  const latest = imageTag(textAt(container, 'image')) === 'latest'
  container['imagePullPolicy'] = latest ? 'Always' : 'IfNotPresent'
}

function podSpec(spec: Draft): void {
  const name = textAt(spec, 'serviceAccountName')
  const deprecated = textAt(spec, 'serviceAccount')
  if (name !== '') spec['serviceAccount'] = name
  else if (deprecated !== '') spec['serviceAccountName'] = deprecated
}

/** One address of old, the first of the list of today: what is said in one is said in both. */
function podStatus(status: Draft): void {
  const address = textAt(status, 'podIP')
  const first = textAt(objectsAt(status, 'podIPs')[0], 'ip')
  if (address !== '' && address !== first) status['podIPs'] = [{ ip: address }]
  else if (first !== '') status['podIP'] = first
}

/** The same, for the addresses that a node gives to its pods. */
function nodeSpec(spec: Draft): void {
  const range = textAt(spec, 'podCIDR')
  const first = Array.isArray(spec['podCIDRs']) ? spec['podCIDRs'][0] : undefined
  if (range !== '' && range !== first) spec['podCIDRs'] = [range]
  else if (typeof first === 'string') spec['podCIDR'] = first
}

/** While nothing else can be asked for, whatever is asked for is the usual. */
function procMount(gateOpen: boolean): DefaultRule {
  return (context) => {
    if (!gateOpen && context['procMount'] !== undefined) context['procMount'] = 'Default'
  }
}

/** What pods get, but templates do not. */
function pod(resizePolicies: boolean): DefaultRule {
  return (object) => {
    const spec = ensureObject(object, 'spec')
    setDefault(spec, 'enableServiceLinks', true)
    for (const container of [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')]) {
      requestLimits(container)
      if (spec['hostNetwork'] === true) openHostPorts(container)
      if (resizePolicies) setResizePolicies(container)
    }
  }
}

/** A limit without a request is requested too. */
function requestLimits(container: Draft): void {
  const limits = objectAt(container, 'resources', 'limits')
  if (limits === undefined) return
  const requests = ensureObject(container, 'resources', 'requests')
  for (const [name, amount] of Object.entries(limits)) {
    if (!Object.hasOwn(requests, name)) setOwn(requests, name, amount)
  }
}

function openHostPorts(container: Draft): void {
  for (const port of objectsAt(container, 'ports')) {
    if (isEmpty(port['hostPort'])) port['hostPort'] = port['containerPort'] ?? 0
  }
}

function setResizePolicies(container: Draft): void {
  const given = objectsAt(container, 'resizePolicy')
  const requests = objectAt(container, 'resources', 'requests') ?? {}
  const missing = ['cpu', 'memory'].filter(
    (name) => requests[name] !== undefined && !given.some((policy) => policy['resourceName'] === name),
  )
  if (missing.length === 0) return
  const added = missing.map((resourceName) => ({ resourceName, restartPolicy: 'NotRequired' }))
  container['resizePolicy'] = [...given, ...added]
}

/** A volume without a source is an empty directory. */
function volume(object: Draft): void {
  const hasSource = Object.entries(object).some(([name, value]) => name !== 'name' && isJsonObject(value))
  if (!hasSource) object['emptyDir'] = {}
}

function serviceSpec(spec: Draft): void {
  const type = textAt(spec, 'type')
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig']
  if (spec['sessionAffinity'] === 'ClientIP') {
    setDefault(ensureObject(spec, 'sessionAffinityConfig', 'clientIP'), 'timeoutSeconds', 10_800)
  }
  for (const port of objectsAt(spec, 'ports')) {
    if (isEmpty(port['targetPort'])) port['targetPort'] = port['port'] ?? 0
  }
  const balanced = type === 'LoadBalancer'
  const external = balanced || type === 'NodePort' || (type === 'ClusterIP' && !isEmpty(spec['externalIPs']))
  if (external && isEmpty(spec['externalTrafficPolicy'])) spec['externalTrafficPolicy'] = 'Cluster'
  if (balanced || type === 'NodePort' || type === 'ClusterIP')
    setDefault(spec, 'internalTrafficPolicy', 'Cluster')
  if (balanced) setDefault(spec, 'allocateLoadBalancerNodePorts', true)
}

function serviceIngress(service: Draft): void {
  if (objectAt(service, 'spec')?.['type'] !== 'LoadBalancer') return
  for (const ingress of objectsAt(objectAt(service, 'status', 'loadBalancer'), 'ingress')) {
    if (textAt(ingress, 'ip') !== '') setDefault(ingress, 'ipMode', 'VIP')
  }
}

function replicationController(object: Draft): void {
  const labels = objectAt(object, 'spec', 'template', 'metadata', 'labels')
  if (isEmpty(labels)) return
  const spec = ensureObject(object, 'spec')
  if (isEmpty(spec['selector'])) spec['selector'] = { ...labels }
  labelLikeTemplate(object, labels)
}

/** Labels of the template, for an object without any of its own. */
export function labelLikeTemplate(object: Draft, labels: JsonObject | undefined): void {
  const metadata = ensureObject(object, 'metadata')
  if (isEmpty(metadata['labels']) && !isEmpty(labels)) metadata['labels'] = { ...labels }
}

function persistentVolume(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  if (isEmpty(spec['persistentVolumeReclaimPolicy'])) spec['persistentVolumeReclaimPolicy'] = 'Retain'
  setDefault(spec, 'volumeMode', 'Filesystem')
}

/** So that a selector of namespaces can name one. */
function namespaceLabel(label: string): DefaultRule {
  return (object) => {
    const name = textAt(objectAt(object, 'metadata'), 'name')
    if (name !== '') ensureObject(object, 'metadata', 'labels')[label] = name
  }
}

function nodeStatus(status: Draft): void {
  const capacity = objectAt(status, 'capacity')
  if (status['allocatable'] === undefined && capacity !== undefined) status['allocatable'] = { ...capacity }
}

/** The default limit is the maximum; the default request is the default limit, else the minimum. */
function limitRangeItem(item: Draft): void {
  if (item['type'] !== 'Container') return
  fillAmounts(item, 'default', 'max')
  fillAmounts(item, 'defaultRequest', 'default')
  fillAmounts(item, 'defaultRequest', 'min')
}

function fillAmounts(item: Draft, name: string, from: string): void {
  const source = objectAt(item, from)
  if (source === undefined) return
  const target = ensureObject(item, name)
  for (const [resource, amount] of Object.entries(source)) {
    if (!Object.hasOwn(target, resource)) setOwn(target, resource, amount)
  }
}
