/**
 * Sources of storage that pods and persistent volumes have in common: the members that each must have, and what may
 * stand in them. Source: Kubernetes API reference, Volume and PersistentVolumeSpec.
 */

import type { JsonObject } from '../../json.ts'
import { invalidValue, notSupported, required, tooLong } from '../../status/causes.ts'
import { type Causes, checkRequiredText, checkText, fieldOf } from '../validation/checks.ts'
import { labelNameProblems, subdomainProblems } from '../validation/names.ts'
import { checkNoBacksteps, checkRelativePath } from '../validation/paths.ts'
import { type Given, has, numberIn, objectIn, textIn, textsIn } from '../validation/read.ts'

export type SourceCheck = (causes: Causes, path: string, source: JsonObject) => void

/** Texts that may not be empty, by the member that is the source. */
const texts: ReadonlyMap<string, readonly string[]> = new Map([
  ['awsElasticBlockStore', ['volumeID']],
  ['azureDisk', ['diskName', 'diskURI']],
  ['azureFile', ['secretName', 'shareName']],
  ['cinder', ['volumeID']],
  ['configMap', ['name']],
  ['flexVolume', ['driver']],
  ['gcePersistentDisk', ['pdName']],
  ['gitRepo', ['repository']],
  ['glusterfs', ['endpoints', 'path']],
  ['hostPath', ['path']],
  ['local', ['path']],
  ['nfs', ['server', 'path']],
  ['persistentVolumeClaim', ['claimName']],
  ['photonPersistentDisk', ['pdID']],
  ['portworxVolume', ['volumeID']],
  ['rbd', ['image']],
  ['scaleIO', ['gateway', 'system', 'volumeName']],
  ['secret', ['secretName']],
  ['vsphereVolume', ['volumePath']],
])

/** Lists of texts that may not be empty. */
const lists: ReadonlyMap<string, string> = new Map([
  ['cephfs', 'monitors'],
  ['rbd', 'monitors'],
])

/** Where causes call a source by another name. */
const called: ReadonlyMap<string, string> = new Map([['gcePersistentDisk', 'persistentDisk']])

/** What holds for a source of this kind, wherever it stands; `path` is that of what has the source. */
export function checkStorageSource(causes: Causes, path: string, kind: string, source: JsonObject): void {
  const at = sourcePath(path, kind)
  const list = lists.get(kind)
  if (list !== undefined && textsIn(source, list).length === 0) causes.push(required(`${at}.${list}`))
  for (const name of texts.get(kind) ?? []) checkRequiredText(causes, at, source, name)
  checks.get(kind)?.(causes, at, source)
}

export function sourcePath(path: string, kind: string): string {
  return fieldOf(path, called.get(kind) ?? kind)
}

const partitionMax = 255

/** Zero is the whole disk, and allowed, whatever the message says. */
const checkPartition: SourceCheck = (causes, path, source) => {
  const partition = numberIn(source, 'partition') ?? 0
  if (partition < 0 || partition > partitionMax)
    causes.push(invalidValue(`${path}.partition`, partition, 'must be between 1 and 255, inclusive'))
}

const managedUri =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
const blobUri = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'

const checkAzureDisk: SourceCheck = (causes, path, source) => {
  const uri = textIn(source, 'diskURI')
  const managed = textIn(source, 'kind') === 'Managed'
  if (!uri.startsWith(managed ? '/subscriptions/' : 'https://'))
    causes.push(notSupported(`${path}.diskURI`, uri, [managed ? managedUri : blobUri]))
}

const lunMax = 255

const checkFibreChannel: SourceCheck = (causes, path, source) => {
  const [names, ids] = [textsIn(source, 'targetWWNs'), textsIn(source, 'wwids')]
  const at = `${path}.targetWWNs`
  if (names.length === 0 && ids.length === 0)
    causes.push(required(at, 'must specify either targetWWNs or wwids, but not both'))
  if (names.length > 0 && ids.length > 0)
    causes.push(invalidValue(at, names, 'targetWWNs and wwids can not be specified simultaneously'))
  if (names.length === 0) return
  const lun = numberIn(source, 'lun')
  if (lun === undefined) causes.push(required(`${path}.lun`, 'lun is required if targetWWNs is specified'))
  else if (lun < 0 || lun > lunMax)
    causes.push(invalidValue(`${path}.lun`, lun, 'must be between 0 and 255, inclusive'))
}

const checkFlocker: SourceCheck = (causes, path, source) => {
  const [name, id] = [textIn(source, 'datasetName'), textIn(source, 'datasetUUID')]
  if (name === '' && id === '') causes.push(required(path, 'one of datasetName and datasetUUID is required'))
  if (name !== '' && id !== '')
    causes.push(
      invalidValue(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'),
    )
  if (name.includes('/')) causes.push(invalidValue(`${path}.datasetName`, name, "must not contain '/'"))
}

const tenantLengthMax = 64
const registryDetail = 'must be a host:port pair or multiple pairs separated by commas'

const checkQuobyte: SourceCheck = (causes, path, source) => {
  const registry = textIn(source, 'registry')
  if (registry === '') causes.push(required(`${path}.registry`, registryDetail))
  else if (!registry.split(',').every((host) => /^[^:]*:[^:]*$/.test(host)))
    causes.push(invalidValue(`${path}.registry`, registry, registryDetail))
  if (textIn(source, 'tenant').length > tenantLengthMax)
    causes.push(required(`${path}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'))
  checkRequiredText(causes, path, source, 'volume')
}

const checkStorageOs: SourceCheck = (causes, path, source) => {
  const name = textIn(source, 'volumeName')
  if (name === '') causes.push(required(`${path}.volumeName`))
  else checkText(causes, `${path}.volumeName`, name, labelNameProblems)
  const namespace = textIn(source, 'volumeNamespace')
  if (namespace !== '') checkText(causes, `${path}.volumeNamespace`, namespace, labelNameProblems)
  checkNamedSecret(causes, path, source)
}

/** A secret that is referred to has a name. */
export const checkNamedSecret: SourceCheck = (causes, path, source) => {
  const secret = objectIn(source, 'secretRef')
  if (secret !== undefined) checkRequiredText(causes, `${path}.secretRef`, secret, 'name')
}

const driverLengthMax = 63

/** The name of a storage driver. */
export function checkDriver(causes: Causes, path: string, source: Given, name = 'driver'): void {
  const driver = textIn(source, name)
  const at = `${path}.${name}`
  if (driver === '') causes.push(required(at))
  if (driver.length > driverLengthMax) causes.push(tooLong(at, driverLengthMax))
  for (const problem of subdomainProblems(driver.toLowerCase()))
    causes.push(invalidValue(at, driver, problem))
}

const checkNfs: SourceCheck = (causes, path, source) => {
  const directory = textIn(source, 'path')
  if (!directory.startsWith('/'))
    causes.push(invalidValue(`${path}.path`, directory, 'must be an absolute path'))
}

const checkPathInside: SourceCheck = (causes, path, source) => {
  checkNoBacksteps(causes, `${path}.path`, textIn(source, 'path'))
}

const checks: ReadonlyMap<string, SourceCheck> = new Map<string, SourceCheck>([
  ['awsElasticBlockStore', checkPartition],
  ['azureDisk', checkAzureDisk],
  ['cinder', checkNamedSecret],
  ['csi', (causes, path, source) => checkDriver(causes, path, source)],
  ['fc', checkFibreChannel],
  ['flocker', checkFlocker],
  ['gcePersistentDisk', checkPartition],
  [
    'gitRepo',
    (causes, path, source) => checkRelativePath(causes, `${path}.directory`, textIn(source, 'directory')),
  ],
  ['hostPath', checkPathInside],
  ['local', checkPathInside],
  ['nfs', checkNfs],
  ['quobyte', checkQuobyte],
  ['storageos', checkStorageOs],
])

/** The secret of a persistent volume's driver: in a namespace, for the volume has none. */
export function checkSecretReference(causes: Causes, path: string, source: JsonObject, name: string): void {
  if (!has(source, name)) return
  const secret = objectIn(source, name)
  const at = `${path}.${name}`
  const [secretName, namespace] = [textIn(secret, 'name'), textIn(secret, 'namespace')]
  if (secretName === '') causes.push(required(`${at}.name`))
  else checkText(causes, `${at}.name`, secretName, subdomainProblems)
  if (namespace === '') causes.push(required(`${at}.namespace`))
  else checkText(causes, `${at}.namespace`, namespace, labelNameProblems)
}
