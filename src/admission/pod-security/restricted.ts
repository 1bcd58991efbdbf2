/** What the standard `restricted` asks for beside `baseline`. Source: Pod Security Standards, "Restricted". */

import type { Draft } from '../../schema/defaults.ts'
import { objectAt, objectsAt, textAt } from '../../types/draft.ts'
import { addedCapabilities } from './baseline.ts'
import {
  type Check,
  type CheckedPod,
  containersIn,
  context,
  culprits,
  listed,
  nameOf,
  quoted,
  unique,
  violation,
} from './violation.ts'

/** Pods that say that they are for Windows need not say what only means something elsewhere. */
const windowsExemptSince = 25
function isWindows({ spec, minor }: CheckedPod): boolean {
  return minor >= windowsExemptSince && textAt(objectAt(spec, 'os'), 'name') === 'windows'
}

export const privilegeEscalation: Check = (pod) => {
  if (pod.minor < 8 || isWindows(pod)) return undefined
  const names = containersIn(pod)
    .filter((one) => context(one)['allowPrivilegeEscalation'] !== false)
    .map(nameOf)
  return violation(
    'allowPrivilegeEscalation != false',
    names.length === 0
      ? []
      : [`${listed('container', names)} must set securityContext.allowPrivilegeEscalation=false`],
  )
}

const restrictedCapabilitiesSince = 22
const mayBeAdded: ReadonlySet<unknown> = new Set(['NET_BIND_SERVICE'])

export const restrictedCapabilities: Check = (pod) => {
  if (pod.minor < restrictedCapabilitiesSince || isWindows(pod)) return undefined
  const keeping = containersIn(pod).filter((container) => {
    const dropped = objectAt(context(container), 'capabilities')?.['drop']
    return !Array.isArray(dropped) || !dropped.includes('ALL')
  })
  const drop = `${listed('container', keeping.map(nameOf))} must set securityContext.capabilities.drop=["ALL"]`
  return violation('unrestricted capabilities', [
    ...(keeping.length === 0 ? [] : [drop]),
    ...addedCapabilities(pod, mayBeAdded),
  ])
}

const allowedVolumes: ReadonlySet<string> = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
])

export const volumeTypes: Check = ({ spec }) => {
  const bad = objectsAt(spec, 'volumes').flatMap((volume) => {
    const type = Object.keys(volume).find((field) => field !== 'name')
    return type === undefined || allowedVolumes.has(type) ? [] : [{ name: nameOf(volume), type }]
  })
  if (bad.length === 0) return undefined
  const types = unique(bad.map(({ type }) => type))
  const what = `restricted volume type${types.length === 1 ? '' : 's'} ${quoted(types)}`
  const who = listed(
    'volume',
    bad.map(({ name }) => name),
  )
  return violation('restricted volume types', [`${who} ${bad.length === 1 ? 'uses' : 'use'} ${what}`])
}

/** A rule that containers may take over from their pod. */
interface Inherited {
  readonly reason: string
  /** undefined = nothing is said. */
  read(context: Draft): 'good' | 'bad' | undefined
  /** Completes `… must not set` and `… must set`. */
  readonly forbidden: (bad: readonly Draft[]) => string
  readonly wanted: string
}

function inherited(pod: CheckedPod, rule: Inherited): ReturnType<Check> {
  const ofPod = rule.read(context(pod.spec))
  const containers = containersIn(pod).map((container) => ({
    container,
    says: rule.read(context(container)),
  }))
  const bad = containers.filter(({ says }) => says === 'bad').map(({ container }) => container)
  const silent = containers.filter(({ says }) => says === undefined).map(({ container }) => container)
  const who = culprits(ofPod === 'bad', bad.map(nameOf))
  if (who !== '') {
    const holders = ofPod === 'bad' ? [pod.spec, ...bad] : bad
    return violation(rule.reason, [`${who} must not set ${rule.forbidden(holders.map(context))}`])
  }
  return ofPod === 'good' || silent.length === 0
    ? undefined
    : violation(rule.reason, [`pod or ${listed('container', silent.map(nameOf))} must set ${rule.wanted}`])
}

export const runAsNonRoot: Check = (pod) =>
  inherited(pod, {
    reason: 'runAsNonRoot != true',
    read({ runAsNonRoot: value }) {
      return value === undefined ? undefined : value === true ? 'good' : 'bad'
    },
    forbidden: () => 'securityContext.runAsNonRoot=false',
    wanted: 'securityContext.runAsNonRoot=true',
  })

const runAsUserSince = 23

export const runAsUser: Check = (pod) => {
  if (pod.minor < runAsUserSince) return undefined
  const isRoot = (holder: Draft): boolean => context(holder)['runAsUser'] === 0
  const who = culprits(isRoot(pod.spec), containersIn(pod).filter(isRoot).map(nameOf))
  return violation('runAsUser=0', who === '' ? [] : [`${who} must not set runAsUser=0`])
}

const seccompSince = 19
const profileOf = (holder: Draft): string => textAt(objectAt(holder, 'seccompProfile'), 'type')

export const restrictedSeccomp: Check = (pod) => {
  if (pod.minor < seccompSince || isWindows(pod)) return undefined
  return inherited(pod, {
    reason: 'seccompProfile',
    read(holder) {
      const type = profileOf(holder)
      return type === '' ? undefined : ['RuntimeDefault', 'Localhost'].includes(type) ? 'good' : 'bad'
    },
    forbidden: (bad) => `securityContext.seccompProfile.type to ${quoted(unique(bad.map(profileOf)))}`,
    wanted: 'securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"',
  })
}
