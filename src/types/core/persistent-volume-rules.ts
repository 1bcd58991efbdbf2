/** Persistent volumes: how much, for whom, and on what. */

import type { JsonObject, JsonValue } from '../../json.ts'
import { forbiddenField, invalidValue, notSupported, required } from '../../status/causes.ts'
import { type Causes, checkName, checkText } from '../validation/checks.ts'
import { labelNameProblems, subdomainProblems } from '../validation/names.ts'
import { compareAmounts, isNegative, nanosOf } from '../validation/quantities.ts'
import { entriesIn, type Given, has, objectIn, textIn, textsIn } from '../validation/read.ts'
import { checkSingleWriter } from './claim-rules.ts'
import { checkPersistentIscsi } from './iscsi-rules.ts'
import { checkNodeSelector } from './scheduling-rules.ts'
import { checkNamedSecret, checkSecretReference, checkStorageSource } from './volume-sources.ts'

/** Members of the spec that are no source of storage. */
export const usageFields: ReadonlySet<string> = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
])

export function checkPersistentVolumeSpec(causes: Causes, path: string, spec: JsonObject): void {
  const modes = textsIn(spec, 'accessModes')
  if (modes.length === 0) causes.push(required(`${path}.accessModes`))
  checkSingleWriter(causes, path, modes)
  checkCapacity(causes, path, spec)
  checkSource(causes, path, spec)
  checkName(causes, path, spec, 'storageClassName', subdomainProblems)
  const affinity = objectIn(spec, 'nodeAffinity')
  if (affinity !== undefined) {
    if (!has(affinity, 'required'))
      causes.push(required(`${path}.nodeAffinity.required`, 'must specify required node constraints'))
    checkNodeSelector(causes, `${path}.nodeAffinity.required`, objectIn(affinity, 'required'))
  }
}

function checkCapacity(causes: Causes, path: string, spec: JsonObject): void {
  const capacity = entriesIn(spec, 'capacity')
  if (capacity.length === 0) causes.push(required(`${path}.capacity`))
  if (capacity.length !== 1 || capacity[0]?.[0] !== 'storage')
    causes.push(notSupported(`${path}.capacity`, spec['capacity'], ['storage']))
  for (const [name, amount] of capacity) {
    if (isNegative(String(amount)))
      causes.push(
        invalidValue(
          `${path}.capacity[${name}]`,
          Number(nanosOf(String(amount)) / 1_000_000_000n),
          'must be a valid resource quantity',
        ),
      )
    if (compareAmounts(String(amount), '0') <= 0)
      causes.push(invalidValue(`${path}.capacity[${name}]`, amount, 'must be greater than zero'))
  }
}

function checkSource(causes: Causes, path: string, spec: JsonObject): void {
  const sources = Object.keys(spec).filter((name) => !usageFields.has(name) && has(spec, name))
  if (sources.length === 0) causes.push(required(path, 'must specify a volume type'))
  for (const name of sources.slice(1)) {
    causes.push(forbiddenField(`${path}.${name}`, 'may not specify more than 1 volume type'))
  }
  const [kind = ''] = sources
  const source = objectIn(spec, kind)
  if (source === undefined) return
  checkStorageSource(causes, path, kind, source)
  const at = `${path}.${kind}`
  switch (kind) {
    case 'hostPath':
      if (textIn(source, 'path') === '/' && textIn(spec, 'persistentVolumeReclaimPolicy') === 'Recycle')
        causes.push(
          forbiddenField(
            `${path}.persistentVolumeReclaimPolicy`,
            "may not be 'recycle' for a hostPath mount of '/'",
          ),
        )
      break
    case 'local':
      if (!has(spec, 'nodeAffinity'))
        causes.push(required(`${path}.nodeAffinity`, 'Local volume requires node affinity'))
      break
    case 'csi':
      if (textIn(source, 'volumeHandle') === '') causes.push(required(`${at}.volumeHandle`))
      for (const secret of driverSecrets) checkSecretReference(causes, at, source, secret)
      break
    case 'cinder':
    case 'storageos':
      checkSecretNamespace(causes, `${at}.secretRef`, objectIn(source, 'secretRef'))
      break
    case 'iscsi':
      checkPersistentIscsi(causes, at, source)
      checkNamedSecret(causes, at, source)
      break
    case 'azureFile':
      if (has(source, 'secretNamespace') && textIn(source, 'secretNamespace') === '')
        causes.push(required(`${at}.secretNamespace`))
      break
    case 'glusterfs':
      checkEndpointsNamespace(causes, `${at}.endpointsNamespace`, source['endpointsNamespace'])
      break
    default:
  }
}

const driverSecrets = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
]

function checkSecretNamespace(causes: Causes, path: string, secret: Given): void {
  if (secret !== undefined && textIn(secret, 'namespace') === '') causes.push(required(`${path}.namespace`))
}

function checkEndpointsNamespace(causes: Causes, path: string, namespace: JsonValue | undefined): void {
  if (namespace === '')
    causes.push(
      invalidValue(path, namespace, 'if the endpointnamespace is set, it must be a valid namespace name'),
    )
  else if (typeof namespace === 'string') checkText(causes, path, namespace, labelNameProblems)
}
