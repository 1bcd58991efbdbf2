/** What a pod may not ask for on the operating system that it says it is for. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField } from '../../status/causes.ts'
import type { Causes } from '../validation/checks.ts'
import { itemsIn, objectIn, present, textIn } from '../validation/read.ts'
import { containerLists } from './container-lists.ts'

const onLinuxOnly = ['hostPID', 'hostIPC', 'hostUsers', 'shareProcessNamespace']
const ofLinuxPods = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
]
const ofLinuxContainers = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
]

export function checkOs(causes: Causes, path: string, spec: JsonObject): void {
  const os = textIn(objectIn(spec, 'os'), 'name')
  if (os === 'windows') checkWindows(causes, path, spec)
  if (os === 'linux') checkLinux(causes, path, spec)
}

function checkWindows(causes: Causes, path: string, spec: JsonObject): void {
  const forbid = (at: string): void => {
    causes.push(forbiddenField(at, 'cannot be set for a windows pod'))
  }
  const context = objectIn(spec, 'securityContext')
  for (const name of present(context, ofLinuxPods)) forbid(`${path}.securityContext.${name}`)
  for (const name of present(spec, onLinuxOnly))
    if (spec[name] === true || name === 'hostUsers' || name === 'shareProcessNamespace')
      forbid(`${path}.${name}`)
  eachSecurityContext(spec, path, (own, at) => {
    for (const name of present(own, ofLinuxContainers)) forbid(`${at}.${name}`)
  })
}

function checkLinux(causes: Causes, path: string, spec: JsonObject): void {
  const forbid = (context: JsonObject | undefined, at: string): void => {
    if (context?.['windowsOptions'] !== undefined)
      causes.push(forbiddenField(`${at}.windowsOptions`, 'windows options cannot be set for a linux pod'))
  }
  forbid(objectIn(spec, 'securityContext'), `${path}.securityContext`)
  eachSecurityContext(spec, path, forbid)
}

function eachSecurityContext(
  spec: JsonObject,
  path: string,
  visit: (context: JsonObject | undefined, at: string) => void,
): void {
  for (const list of containerLists) {
    for (const [i, container] of itemsIn(spec, list).entries())
      visit(objectIn(container, 'securityContext'), `${path}.${list}[${i}].securityContext`)
  }
}
