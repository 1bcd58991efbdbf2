/** Storage over iSCSI: names of both ends, and the unit. Sources: RFC 3720, section 3.2.6; RFC 3980. */

import type { JsonObject } from '../../json.ts'
import { invalidValue, required } from '../../status/causes.ts'
import type { Causes } from '../validation/checks.ts'
import { has, numberIn, textIn } from '../validation/read.ts'

const shapes: readonly RegExp[] = [
  /^iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  /^eui.[A-Za-z0-9]{16}$/,
  /^naa.[A-Za-z0-9]{32}$/,
]
const prefixes = ['iqn', 'eui', 'naa']
const lunMax = 255
const formText = 'must be valid format'

export const checkIscsi = iscsiCheck('must be valid format starting with iqn, eui, or naa')
/** Persistent volumes say less of what is expected. */
export const checkPersistentIscsi = iscsiCheck(formText)

function iscsiCheck(prefixText: string) {
  return (causes: Causes, path: string, source: JsonObject): void => {
    checkSource(causes, path, source, prefixText)
  }
}

function checkSource(causes: Causes, path: string, source: JsonObject, prefixText: string): void {
  if (textIn(source, 'targetPortal') === '') causes.push(required(`${path}.targetPortal`))
  const target = textIn(source, 'iqn')
  if (target === '') causes.push(required(`${path}.iqn`))
  else checkQualifiedName(causes, `${path}.iqn`, target, prefixText)
  const lun = numberIn(source, 'lun') ?? 0
  if (lun < 0 || lun > lunMax)
    causes.push(invalidValue(`${path}.lun`, lun, 'must be between 0 and 255, inclusive'))
  const authenticated = source['chapAuthDiscovery'] === true || source['chapAuthSession'] === true
  if (authenticated && !has(source, 'secretRef')) causes.push(required(`${path}.secretRef`))
  if (has(source, 'initiatorName'))
    checkQualifiedName(causes, `${path}.initiatorname`, textIn(source, 'initiatorName'), prefixText)
}

function checkQualifiedName(causes: Causes, path: string, name: string, prefixText: string): void {
  if (!prefixes.some((prefix) => name.startsWith(prefix))) causes.push(invalidValue(path, name, prefixText))
  else if (!shapes.some((shape) => shape.test(name))) causes.push(invalidValue(path, name, formText))
}
