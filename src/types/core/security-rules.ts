/** Whom containers run as, and what they may do. */

import { duplicate, forbiddenField, invalidValue, required, tooLong } from '../../status/causes.ts'
import { type Causes, checkBetween } from '../validation/checks.ts'
import { checkRelativePath } from '../validation/paths.ts'
import { type Given, has, itemsIn, numbersIn, objectIn, textIn, textsIn } from '../validation/read.ts'
import { checkWindowsOptions } from './windows-rules.ts'

const idMax = 2_147_483_647

/** The securityContext of a container. @param ownUsers the pod has users of its own */
export function checkSecurityContext(causes: Causes, path: string, context: Given, ownUsers: boolean): void {
  if (context === undefined) return
  checkIdentity(causes, path, context)
  if (textIn(context, 'procMount') === 'Unmasked' && !ownUsers)
    causes.push(invalidValue(`${path}.procMount`, 'Unmasked', '`hostUsers` must be false to use `Unmasked`'))
  if (context['allowPrivilegeEscalation'] !== false) return
  if (context['privileged'] === true)
    causes.push(
      invalidValue(path, context, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'),
    )
  if (textsIn(objectIn(context, 'capabilities'), 'add').includes('CAP_SYS_ADMIN'))
    causes.push(
      invalidValue(
        path,
        context,
        'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
      ),
    )
}

/** The securityContext of a pod. */
export function checkPodSecurityContext(causes: Causes, path: string, context: Given, spec: Given): void {
  if (context === undefined) return
  checkIdentity(causes, path, context)
  checkBetween(causes, path, context, 'fsGroup', 0, idMax)
  for (const [i, group] of numbersIn(context, 'supplementalGroups').entries()) {
    if (group < 0 || group > idMax)
      causes.push(
        invalidValue(`${path}.supplementalGroups[${i}]`, group, `must be between 0 and ${idMax}, inclusive`),
      )
  }
  checkSysctls(causes, path, context, spec)
  if (spec?.['shareProcessNamespace'] === true && spec['hostPID'] === true)
    causes.push(
      invalidValue(
        `${path}.shareProcessNamespace`,
        true,
        'ShareProcessNamespace and HostPID cannot both be enabled',
      ),
    )
}

function checkIdentity(causes: Causes, path: string, context: Given): void {
  checkBetween(causes, path, context, 'runAsUser', 0, idMax)
  checkBetween(causes, path, context, 'runAsGroup', 0, idMax)
  checkProfile(causes, `${path}.seccompProfile`, objectIn(context, 'seccompProfile'), 'seccomp')
  checkProfile(causes, `${path}.appArmorProfile`, objectIn(context, 'appArmorProfile'), 'AppArmor')
  checkWindowsOptions(causes, `${path}.windowsOptions`, objectIn(context, 'windowsOptions'))
}

const profileCharactersMax = 4095

function checkProfile(causes: Causes, path: string, profile: Given, what: string): void {
  if (profile === undefined) return
  const at = `${path}.localhostProfile`
  if (textIn(profile, 'type') === 'Localhost') {
    const name = textIn(profile, 'localhostProfile')
    if (!has(profile, 'localhostProfile') || (what === 'AppArmor' && name === ''))
      causes.push(required(at, `must be set when ${what} type is Localhost`))
    else if (what === 'seccomp') checkRelativePath(causes, at, name)
    else if (name.trim() !== name) causes.push(invalidValue(at, name, 'must not be padded with whitespace'))
    if (what === 'AppArmor' && name.length > profileCharactersMax)
      causes.push(tooLong(at, profileCharactersMax))
  } else if (has(profile, 'localhostProfile')) {
    causes.push(
      invalidValue(at, profile['localhostProfile'], `can only be set when ${what} type is Localhost`),
    )
  }
}

const sysctlText = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$'
const sysctlShape = new RegExp(sysctlText)
const sysctlLengthMax = 253

function checkSysctls(causes: Causes, path: string, context: Given, spec: Given): void {
  const seen = new Set<string>()
  for (const [i, sysctl] of itemsIn(context, 'sysctls').entries()) {
    const name = textIn(sysctl, 'name')
    const at = `${path}.sysctls[${i}].name`
    if (name === '') continue
    if (name.length > sysctlLengthMax || !sysctlShape.test(name))
      causes.push(
        invalidValue(
          at,
          name,
          `must have at most ${sysctlLengthMax} characters and match regex ${sysctlText}`,
        ),
      )
    else if (seen.has(name)) causes.push(duplicate(at, name))
    const space = sharedSpace(name, spec)
    if (space !== undefined)
      causes.push(invalidValue(at, name, `may not be specified when '${space}' is true`))
    seen.add(name)
  }
}

const ofIpc: ReadonlySet<string> = new Set(['kernel.sem'])

/** Which namespace of the node the setting would change, instead of one of the pod. */
function sharedSpace(sysctl: string, spec: Given): 'hostNetwork' | 'hostIPC' | undefined {
  const name = dotted(sysctl)
  if (spec?.['hostNetwork'] === true && name.startsWith('net.')) return 'hostNetwork'
  const isIpc = ofIpc.has(name) || /^(kernel\.(shm|msg)|fs\.mqueue\.)/.test(name)
  return spec?.['hostIPC'] === true && isIpc ? 'hostIPC' : undefined
}

/** Where the first separator is a slash, slashes separate and dots belong to names. */
function dotted(sysctl: string): string {
  const first = /[./]/.exec(sysctl)?.[0]
  return first === '/' ? sysctl.replace(/[./]/g, (one) => (one === '/' ? '.' : '/')) : sysctl
}

/** What the containers of a debugging session cannot have. */
const notForDebugging = [
  'ports',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
  'resizePolicy',
  'restartPolicy',
]

export function checkDebuggingContainer(causes: Causes, path: string, container: Given): void {
  for (const name of notForDebugging) {
    if (has(container, name))
      causes.push(forbiddenField(`${path}.${name}`, 'cannot be set for an Ephemeral Container'))
  }
  const resources = objectIn(container, 'resources')
  if (resources !== undefined && Object.keys(resources).length > 0)
    causes.push(forbiddenField(`${path}.resources`, 'cannot be set for an Ephemeral Container'))
  for (const [i, mount] of itemsIn(container, 'volumeMounts').entries()) {
    for (const name of ['subPath', 'subPathExpr']) {
      if (textIn(mount, name) !== '')
        causes.push(
          forbiddenField(`${path}.volumeMounts[${i}].${name}`, 'cannot be set for an Ephemeral Container'),
        )
    }
  }
}
