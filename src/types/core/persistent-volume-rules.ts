/** Persistent volumes: how much, for whom, and on what. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, invalidValue, notSupported, required } from '../../status/causes.ts'
import { type Causes, checkName } from '../validation/checks.ts'
import { subdomainProblem } from '../validation/names.ts'
import { checkNoBacksteps } from '../validation/paths.ts'
import { compareAmounts } from '../validation/quantities.ts'
import { entriesIn, has, objectIn, textIn, textsIn } from '../validation/read.ts'
import { checkSingleWriter } from './claim-rules.ts'
import { checkNodeSelector } from './scheduling-rules.ts'
import { checkDriver, checkNfs } from './volume-rules.ts'

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
  checkName(causes, path, spec, 'storageClassName', subdomainProblem)
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
  else if (capacity.length > 1 || capacity[0]?.[0] !== 'storage')
    causes.push(notSupported(`${path}.capacity`, spec['capacity'], ['storage']))
  for (const [name, amount] of capacity) {
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
  const at = `${path}.${kind}`
  switch (kind) {
    case 'hostPath':
      checkNoBacksteps(causes, `${at}.path`, textIn(source, 'path'))
      if (textIn(source, 'path') === '/' && textIn(spec, 'persistentVolumeReclaimPolicy') === 'Recycle')
        causes.push(
          forbiddenField(
            `${path}.persistentVolumeReclaimPolicy`,
            "may not be 'recycle' for a hostPath mount of '/'",
          ),
        )
      break
    case 'local':
      checkNoBacksteps(causes, `${at}.path`, textIn(source, 'path'))
      if (!has(spec, 'nodeAffinity'))
        causes.push(required(`${path}.nodeAffinity`, 'Local volume requires node affinity'))
      break
    case 'nfs':
      checkNfs(causes, at, source)
      break
    case 'csi':
      checkDriver(causes, at, source)
      break
    default:
  }
}
