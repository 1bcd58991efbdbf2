/** Pods that a node may make: they show what runs on it already, and reach for nothing. Pure. */

import { podReferences } from '../authz/node/references.ts'
import type { Names } from '../names/names.ts'
import { objectAt, objectsAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'

/** Undefined = it may be made by this node, if its owner is the node of today. */
export function mirrorPodReason(pod: ApiObject, node: string, names: Names): string | undefined {
  const own = JSON.stringify(node)
  const annotation = names.expand('{labels}/config.mirror')
  if (pod.metadata.annotations?.[annotation] === undefined)
    return `pod does not have ${JSON.stringify(annotation)} annotation, node ${own} can only create mirror pods`
  const references = podReferences(pod)
  if (references.node !== node) return `node ${own} can only create pods with spec.nodeName set to itself`
  const owners = ownersReason(pod, node, own)
  if (owners !== undefined) return owners
  const what = reachedFor(pod)
  return what === undefined ? undefined : `node ${own} can not create pods that reference ${what}`
}

function ownersReason(pod: ApiObject, node: string, own: string): string | undefined {
  const [owner, ...more] = pod.metadata.ownerReferences ?? []
  if (more.length > 0) return `node ${own} can only create pods with a single owner reference set to itself`
  if (owner === undefined || owner.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    return `node ${own} can only create pods with an owner reference set to itself`
  if (owner.controller !== true)
    return `node ${own} can only create pods with a controller owner reference set to itself`
  return owner.blockOwnerDeletion === true
    ? `node ${own} must not set blockOwnerDeletion on an owner reference`
    : undefined
}

function reachedFor(pod: ApiObject): string | undefined {
  const { serviceAccount, secrets, configMaps, claims } = podReferences(pod)
  const spec = objectAt(pod, 'spec')
  const sources = objectsAt(spec, 'volumes').flatMap((volume) =>
    objectsAt(objectAt(volume, 'projected'), 'sources'),
  )
  if (serviceAccount !== '') return 'a service account'
  if (secrets.size > 0) return 'secrets'
  if (configMaps.size > 0) return 'configmaps'
  if (sources.some((source) => source['clusterTrustBundle'] !== undefined)) return 'clustertrustbundles'
  if (sources.some((source) => source['serviceAccountToken'] !== undefined)) return 'service account tokens'
  if (claims.size > 0) return 'persistentvolumeclaims'
  return objectsAt(spec, 'resourceClaims').length > 0 ? 'resourceclaims' : undefined
}
