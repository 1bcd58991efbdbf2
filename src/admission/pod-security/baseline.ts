/** What the standard `baseline` forbids: known ways out of a container. Source: Pod Security Standards, "Baseline". */

import type { Draft } from '../../schema/defaults.ts'
import { objectAt, objectsAt, textAt } from '../../types/draft.ts'
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

export const appArmorProfile: Check = (pod) => {
  const prefix = `container.apparmor.security.beta.${pod.labelDomain}/`
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(prefix) && !/^$|^runtime\/default$|^localhost\//.test(value))
    .map(([key, value]) => `${JSON.stringify(key)}=${JSON.stringify(value)}`)
    .sort()
  const isFree = (holder: Draft): boolean =>
    textAt(objectAt(context(holder), 'appArmorProfile'), 'type') === 'Unconfined'
  const who = culprits(isFree(pod.spec), containersIn(pod).filter(isFree).map(nameOf))
  return violation(`forbidden AppArmor profile${annotations.length + (who === '' ? 0 : 1) > 1 ? 's' : ''}`, [
    ...(who === '' ? [] : [`${who} must not set AppArmor profile type to "Unconfined"`]),
    ...(annotations.length === 0
      ? []
      : [`annotation${annotations.length > 1 ? 's' : ''} ${annotations.join(', ')}`]),
  ])
}

const usualCapabilities: ReadonlySet<unknown> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
])

/** The containers that add other capabilities than these, in a sentence; nothing when there are none. */
export function addedCapabilities(pod: CheckedPod, allowed: ReadonlySet<unknown>): readonly string[] {
  const adding = containersIn(pod).flatMap((container) => {
    const added = objectAt(context(container), 'capabilities')?.['add']
    const others = Array.isArray(added) ? added.filter((one) => !allowed.has(one)).map(String) : []
    return others.length === 0 ? [] : [{ name: nameOf(container), others }]
  })
  if (adding.length === 0) return []
  const who = listed(
    'container',
    adding.map(({ name }) => name),
  )
  const what = quoted(unique(adding.flatMap(({ others }) => others)))
  return [`${who} must not include ${what} in securityContext.capabilities.add`]
}

export const baselineCapabilities: Check = (pod) =>
  violation('non-default capabilities', addedCapabilities(pod, usualCapabilities))

export const hostNamespaces: Check = ({ spec }) => {
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((name) => spec[name] === true)
  return violation(
    'host namespaces',
    shared.length === 0 ? [] : [shared.map((one) => `${one}=true`).join(', ')],
  )
}

export const hostPathVolumes: Check = ({ spec }) => {
  const names = objectsAt(spec, 'volumes')
    .filter((volume) => volume['hostPath'] !== undefined)
    .map(nameOf)
  return violation('hostPath volumes', names.length === 0 ? [] : [listed('volume', names)])
}

export const hostPorts: Check = (pod) => {
  const using = containersIn(pod).flatMap((container) => {
    const ports = objectsAt(container, 'ports').flatMap(({ hostPort }) =>
      typeof hostPort === 'number' && hostPort !== 0 ? [String(hostPort)] : [],
    )
    return ports.length === 0 ? [] : [{ name: nameOf(container), ports }]
  })
  if (using.length === 0) return undefined
  const ports = unique(using.flatMap((one) => one.ports))
  const who = listed(
    'container',
    using.map(({ name }) => name),
  )
  return violation('hostPort', [
    `${who} ${using.length === 1 ? 'uses' : 'use'} hostPort${ports.length === 1 ? '' : 's'} ${ports.join(', ')}`,
  ])
}

export const privileged: Check = (pod) => {
  const names = containersIn(pod)
    .filter((one) => context(one)['privileged'] === true)
    .map(nameOf)
  return violation(
    'privileged',
    names.length === 0 ? [] : [`${listed('container', names)} must not set securityContext.privileged=true`],
  )
}

export const procMount: Check = (pod) => {
  const free = containersIn(pod).filter((one) => !['', 'Default'].includes(textAt(context(one), 'procMount')))
  const types = quoted(unique(free.map((one) => textAt(context(one), 'procMount'))))
  return violation(
    'procMount',
    free.length === 0
      ? []
      : [`${listed('container', free.map(nameOf))} must not set securityContext.procMount to ${types}`],
  )
}

const linuxTypes: ReadonlySet<string> = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t'])

export const seLinuxOptions: Check = (pod) => {
  const optionsOf = (holder: Draft): Draft => objectAt(context(holder), 'seLinuxOptions') ?? {}
  const isBad = (holder: Draft): boolean => {
    const { type = '', user = '', role = '' } = optionsOf(holder)
    return !linuxTypes.has(String(type)) || user !== '' || role !== ''
  }
  const bad = [pod.spec, ...containersIn(pod)].filter(isBad)
  if (bad.length === 0) return undefined
  const who = culprits(bad.includes(pod.spec), bad.filter((one) => one !== pod.spec).map(nameOf))
  const types = unique(
    bad.map((one) => textAt(optionsOf(one), 'type')).filter((type) => !linuxTypes.has(type)),
  )
  const set = (name: string): boolean => bad.some((one) => textAt(optionsOf(one), name) !== '')
  const what = [
    ...(types.length === 0 ? [] : [`type${types.length === 1 ? '' : 's'} ${quoted(types)}`]),
    ...(set('user') ? ['user may not be set'] : []),
    ...(set('role') ? ['role may not be set'] : []),
  ]
  return violation('seLinuxOptions', [
    `${who} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`,
  ])
}

export const baselineSeccomp: Check = (pod) => {
  const isFree = (holder: Draft): boolean =>
    textAt(objectAt(context(holder), 'seccompProfile'), 'type') === 'Unconfined'
  const who = culprits(isFree(pod.spec), containersIn(pod).filter(isFree).map(nameOf))
  return violation(
    'seccompProfile',
    who === '' ? [] : [`${who} must not set securityContext.seccompProfile.type to "Unconfined"`],
  )
}

/** From which minor version of the standard on each is allowed. */
const safeSysctls: ReadonlyMap<string, number> = new Map([
  ['kernel.shm_rmid_forced', 0],
  ['net.ipv4.ip_local_port_range', 0],
  ['net.ipv4.tcp_syncookies', 0],
  ['net.ipv4.ping_group_range', 0],
  ['net.ipv4.ip_unprivileged_port_start', 0],
  ['net.ipv4.ip_local_reserved_ports', 27],
  ['net.ipv4.tcp_keepalive_time', 29],
  ['net.ipv4.tcp_fin_timeout', 29],
  ['net.ipv4.tcp_keepalive_intvl', 29],
  ['net.ipv4.tcp_keepalive_probes', 29],
])

export const sysctls: Check = ({ spec, minor }) => {
  const names = objectsAt(context(spec), 'sysctls').map(nameOf)
  const forbidden = names.filter((name) => (safeSysctls.get(name) ?? Number.POSITIVE_INFINITY) > minor)
  return violation('forbidden sysctls', forbidden.length === 0 ? [] : [forbidden.join(', ')])
}

export const windowsHostProcess: Check = (pod) => {
  const isHost = (holder: Draft): boolean =>
    objectAt(context(holder), 'windowsOptions')?.['hostProcess'] === true
  const who = culprits(isHost(pod.spec), containersIn(pod).filter(isHost).map(nameOf))
  return violation(
    'hostProcess',
    who === '' ? [] : [`${who} must not set securityContext.windowsOptions.hostProcess=true`],
  )
}
