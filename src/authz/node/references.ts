/** What pods, volumes and attachments refer to, read from stored objects. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { ApiObject, ObjectMeta } from '../../types/object.ts'

interface PodReferences {
  /** '' = not bound to a node. */
  readonly node: string
  readonly serviceAccount: string
  readonly secrets: ReadonlySet<string>
  readonly configMaps: ReadonlySet<string>
  readonly claims: ReadonlySet<string>
}

type Value = JsonValue | ObjectMeta | undefined

/** What a pod names that its node may read. */
export function podReferences(pod: ApiObject): PodReferences {
  const spec = objectOf(pod['spec'])
  const secrets = new Set<string>()
  const configMaps = new Set<string>()
  const claims = new Set<string>()
  for (const pull of objects(spec['imagePullSecrets'])) add(secrets, pull['name'])
  for (const field of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const container of objects(spec[field])) addContainer(container, secrets, configMaps)
  }
  for (const volume of objects(spec['volumes'])) {
    addSecrets(volume, secrets)
    add(secrets, objectOf(volume['secret'])['secretName'])
    add(configMaps, objectOf(volume['configMap'])['name'])
    add(claims, objectOf(volume['persistentVolumeClaim'])['claimName'])
    if (volume['ephemeral'] !== undefined) add(claims, `${pod.metadata.name}-${volume['name']}`)
    for (const source of objects(objectOf(volume['projected'])['sources'])) {
      add(secrets, objectOf(source['secret'])['name'])
      add(configMaps, objectOf(source['configMap'])['name'])
    }
  }
  return {
    node: textOf(spec['nodeName']),
    serviceAccount: textOf(spec['serviceAccountName']),
    secrets,
    configMaps,
    claims,
  }
}

function addContainer(container: JsonObject, secrets: Set<string>, configMaps: Set<string>): void {
  for (const source of objects(container['envFrom'])) {
    add(secrets, objectOf(source['secretRef'])['name'])
    add(configMaps, objectOf(source['configMapRef'])['name'])
  }
  for (const variable of objects(container['env'])) {
    const from = objectOf(variable['valueFrom'])
    add(secrets, objectOf(from['secretKeyRef'])['name'])
    add(configMaps, objectOf(from['configMapKeyRef'])['name'])
  }
}

/** Kinds of volumes whose driver on the node needs a secret in the pod's namespace. */
const secretRefKinds = ['cephfs', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'] as const

function addSecrets(volume: JsonObject, secrets: Set<string>): void {
  for (const kind of secretRefKinds) add(secrets, objectOf(objectOf(volume[kind])['secretRef'])['name'])
  add(secrets, objectOf(volume['azureFile'])['secretName'])
  add(secrets, objectOf(objectOf(volume['csi'])['nodePublishSecretRef'])['name'])
}

interface NamespacedName {
  readonly namespace: string
  readonly name: string
}

interface VolumeReferences {
  /** Undefined = bound to no claim. */
  readonly claim: NamespacedName | undefined
  readonly secrets: readonly NamespacedName[]
}

const csiSecretFields = ['nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef'] as const

/** Secrets without a namespace are in that of the claim. */
export function volumeReferences(volume: ApiObject): VolumeReferences {
  const spec = objectOf(volume['spec'])
  const claimRef = objectOf(spec['claimRef'])
  const claim = named(claimRef, '')
  if (claim === undefined) return { claim, secrets: [] }
  const refs: JsonObject[] = secretRefKinds.map((kind) => objectOf(objectOf(spec[kind])['secretRef']))
  const csi = objectOf(spec['csi'])
  refs.push(...csiSecretFields.map((field) => objectOf(csi[field])))
  const azure = objectOf(spec['azureFile'])
  refs.push({
    ...(azure['secretName'] === undefined ? {} : { name: azure['secretName'] }),
    ...(azure['secretNamespace'] === undefined ? {} : { namespace: azure['secretNamespace'] }),
  })
  return {
    claim,
    secrets: refs.flatMap((ref) => {
      const secret = named(ref, claim.namespace)
      return secret === undefined ? [] : [secret]
    }),
  }
}

/** '' = none. */
export function attachedNode(attachment: ApiObject): string {
  return textOf(objectOf(attachment['spec'])['nodeName'])
}

function named(ref: JsonObject, namespace: string): NamespacedName | undefined {
  const name = textOf(ref['name'])
  return name === '' ? undefined : { namespace: textOf(ref['namespace']) || namespace, name }
}

function add(set: Set<string>, name: Value): void {
  if (typeof name === 'string' && name !== '') set.add(name)
}

function objectOf(value: Value): JsonObject {
  return isJsonObject(value) ? value : {}
}

function objects(value: Value): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

function textOf(value: Value): string {
  return typeof value === 'string' ? value : ''
}
