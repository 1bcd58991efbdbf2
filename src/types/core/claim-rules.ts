/** Claims for storage, also inside pods. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, invalidValue, required } from '../../status/causes.ts'
import { semanticallyEqual } from '../equality.ts'
import { type Causes, checkName, checkRequiredText } from '../validation/checks.ts'
import { checkSelector } from '../validation/labels.ts'
import { labelNameProblems, subdomainProblems } from '../validation/names.ts'
import { compareAmounts } from '../validation/quantities.ts'
import { type Given, objectIn, textIn, textsIn } from '../validation/read.ts'

export function checkClaimSpec(causes: Causes, path: string, spec: JsonObject): void {
  const modes = textsIn(spec, 'accessModes')
  if (modes.length === 0) causes.push(required(`${path}.accessModes`, 'at least 1 access mode is required'))
  checkSingleWriter(causes, path, modes)
  checkSelector(causes, `${path}.selector`, objectIn(spec, 'selector'))
  const storage = textIn(objectIn(objectIn(spec, 'resources'), 'requests'), 'storage')
  if (storage === '') causes.push(required(`${path}.resources[storage]`))
  else if (compareAmounts(storage, '0') <= 0)
    causes.push(invalidValue(`${path}.resources[storage]`, storage, 'must be greater than zero'))
  checkName(causes, path, spec, 'storageClassName', subdomainProblems)
  checkSources(causes, path, spec)
}

/** A volume for one pod alone is not for many as well. */
export function checkSingleWriter(causes: Causes, path: string, modes: readonly string[]): void {
  if (modes.length > 1 && modes.includes('ReadWriteOncePod'))
    causes.push(forbiddenField(`${path}.accessModes`, 'may not use ReadWriteOncePod with other access modes'))
}

function checkSources(causes: Causes, path: string, spec: JsonObject): void {
  const source = objectIn(spec, 'dataSource')
  const reference = objectIn(spec, 'dataSourceRef')
  if (source !== undefined)
    for (const name of ['name', 'kind']) checkRequiredText(causes, `${path}.dataSource`, source, name)
  checkSource(causes, `${path}.dataSource`, source)
  checkSource(causes, `${path}.dataSourceRef`, reference)
  if (source !== undefined && reference !== undefined && textIn(reference, 'namespace') === '') {
    if (!semanticallyEqual(source, reference))
      causes.push(invalidValue(path, source, 'must match dataSourceRef'))
  }
}

function checkSource(causes: Causes, path: string, source: Given): void {
  if (source === undefined) return
  const kind = textIn(source, 'kind')
  if (kind !== 'PersistentVolumeClaim' && textIn(source, 'apiGroup') === '')
    causes.push(
      invalidValue(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"),
    )
  checkName(causes, path, source, 'apiGroup', subdomainProblems)
  checkName(causes, path, source, 'namespace', labelNameProblems)
}
