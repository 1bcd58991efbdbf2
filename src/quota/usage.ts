/**
 * What one object takes of its namespace's quotas.
 *
 *     pods                     what they ask for, while they have not ended
 *     services                 themselves, node ports, load balancers
 *     persistentvolumeclaims   themselves and their storage, in all and by storage class
 *     anything                 count/<resource>[.<group>]
 *
 * Source: core/v1 ResourceQuota; "Resource Quotas" of the Kubernetes documentation for the names.
 */

import type { Names } from '../names/names.ts'
import { type Amounts, addAmounts, count, pickAmounts, readAmounts } from '../types/core/amounts.ts'
import { podDemand } from '../types/core/demand.ts'
import { draftOf, objectAt, objectsAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import type { ResourceType } from '../types/resource.ts'

/** Core resources that are counted under their bare names, too. */
const counted: ReadonlySet<string> = new Set([
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
])

/** Under which name objects of the type are counted: `count/deployments.apps`. */
function countName({ group, plural }: Pick<ResourceType, 'group' | 'plural'>): string {
  return `count/${group === '' ? plural : `${plural}.${group}`}`
}

/** `object` is of the storage version of `type`. */
export function usageOf(
  type: ResourceType,
  object: ApiObject,
  { names, nowMs }: { readonly names: Names; readonly nowMs: number },
): Amounts {
  const counts = new Map([[countName(type), count(1)]])
  if (type.group !== '' || !counted.has(type.plural)) return counts
  switch (type.plural) {
    case 'pods':
      return hasEnded(object, nowMs) ? counts : addAmounts(counts, podUsage(object))
    case 'services':
      return addAmounts(counts, serviceUsage(object))
    case 'persistentvolumeclaims':
      return addAmounts(counts, claimUsage(object, names))
    default:
      return counts.set(type.plural, count(1))
  }
}

/** Names in quotas that speak of objects of this type. */
export function concerns(type: ResourceType, name: string, names: Names): boolean {
  if (name === countName(type)) return true
  if (type.group !== '') return false
  switch (type.plural) {
    case 'pods':
      return (
        name === 'pods' ||
        computeNames.has(name) ||
        /^(requests\.)?hugepages-/.test(name) ||
        /^requests\.[^/]+\//.test(name)
      )
    case 'services':
      return name === 'services' || name === 'services.nodeports' || name === 'services.loadbalancers'
    case 'persistentvolumeclaims':
      return (
        name === 'persistentvolumeclaims' || name === 'requests.storage' || name.includes(classSuffix(names))
      )
    default:
      return counted.has(type.plural) && name === type.plural
  }
}

const computeNames: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
])

/** What has ended uses nothing, nor what should be gone by twice its grace period. */
function hasEnded(pod: ApiObject, nowMs: number): boolean {
  const phase = textAt(objectAt(pod, 'status'), 'phase')
  if (phase === 'Failed' || phase === 'Succeeded') return true
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata
  return (
    deletionTimestamp !== undefined &&
    nowMs > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000
  )
}

function podUsage(pod: ApiObject): Amounts {
  const spec = objectAt(draftOf(pod), 'spec') ?? {}
  const overhead = readAmounts(objectAt(spec, 'overhead'))
  const demand = podDemand(spec)
  const requests = addAmounts(demand.requests, overhead)
  const usage = new Map([['pods', count(1)]])
  for (const [name, quantity] of requests) {
    if (isCompute(name)) usage.set(name, quantity)
    if (isCompute(name) || isExtended(name)) usage.set(`requests.${name}`, quantity)
  }
  const beside = pickAmounts(overhead, (name) => demand.limits.has(name))
  for (const [name, quantity] of addAmounts(demand.limits, beside))
    if (bounded.has(name)) usage.set(`limits.${name}`, quantity)
  return usage
}

const bounded: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage'])

function isCompute(name: string): boolean {
  return bounded.has(name) || name.startsWith('hugepages-')
}

/** Devices and the like: `example.com/gpu`. */
function isExtended(name: string): boolean {
  return name.includes('/')
}

function serviceUsage(service: ApiObject): Amounts {
  const spec = objectAt(service, 'spec')
  const ports = objectsAt(spec, 'ports')
  const usage = new Map([['services', count(1)]])
  switch (textAt(spec, 'type')) {
    case 'NodePort':
      return usage.set('services.nodeports', count(ports.length))
    case 'LoadBalancer': {
      const allocates = spec?.['allocateLoadBalancerNodePorts'] !== false
      const given = ports.filter(({ nodePort }) => typeof nodePort === 'number' && nodePort !== 0)
      return usage
        .set('services.nodeports', count(allocates ? ports.length : given.length))
        .set('services.loadbalancers', count(1))
    }
    default:
      return usage
  }
}

function classSuffix(names: Names): string {
  return names.expand('.storageclass.storage.{groups}/')
}

function claimUsage(claim: ApiObject, names: Names): Amounts {
  const usage = new Map([['persistentvolumeclaims', count(1)]])
  const storage = readAmounts(objectAt(claim, 'spec', 'resources', 'requests')).get('storage')
  const annotation = claim.metadata.annotations?.[names.expand('volume.beta.{labels}/storage-class')]
  const className = annotation ?? textAt(objectAt(claim, 'spec'), 'storageClassName')
  if (className !== '') usage.set(`${className}${classSuffix(names)}persistentvolumeclaims`, count(1))
  if (storage === undefined) return usage
  usage.set('requests.storage', storage)
  if (className !== '') usage.set(`${className}${classSuffix(names)}requests.storage`, storage)
  return usage
}
