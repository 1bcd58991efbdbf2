/** Where containers find the volumes of their pod. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, invalidValue, notSupported } from '../../status/causes.ts'
import type { Causes } from '../validation/checks.ts'
import { notFound } from '../validation/more-causes.ts'
import { checkRelativePath } from '../validation/paths.ts'
import { has, itemsIn, objectIn, present, textIn } from '../validation/read.ts'

type Volumes = ReadonlyMap<string, JsonObject>

export function checkMounts(causes: Causes, path: string, container: JsonObject, volumes: Volumes): void {
  const devices = itemsIn(container, 'volumeDevices')
  const devicePaths = new Set(devices.map((device) => textIn(device, 'devicePath')))
  const mountPaths = new Set<string>()
  for (const [i, mount] of itemsIn(container, 'volumeMounts').entries()) {
    const at = `${path}.volumeMounts[${i}]`
    checkKnown(causes, at, mount, volumes)
    const mountPath = textIn(mount, 'mountPath')
    if (mountPath !== '' && mountPaths.has(mountPath))
      causes.push(invalidValue(`${at}.mountPath`, mountPath, 'must be unique'))
    mountPaths.add(mountPath)
    if (devicePaths.has(mountPath))
      causes.push(invalidValue(`${at}.mountPath`, mountPath, 'must not already exist in volumeDevices'))
    checkSubPath(causes, at, mount)
    checkPropagation(causes, `${listOf(at)}.mountPropagation`, mount, container)
  }
  checkDevices(causes, path, devices, volumes, mountPaths)
}

function checkKnown(causes: Causes, path: string, mount: JsonObject, volumes: Volumes): void {
  const name = textIn(mount, 'name')
  if (!volumes.has(name)) causes.push(notFound(`${path}.name`, name))
}

/** Some causes are said of all mounts of the container at once, by every server of this API. */
const listOf = (path: string): string => path.slice(0, path.lastIndexOf('['))

const propagations = ['Bidirectional', 'HostToContainer', 'None']

function checkPropagation(causes: Causes, path: string, mount: JsonObject, container: JsonObject): void {
  if (!has(mount, 'mountPropagation')) return
  const propagation = textIn(mount, 'mountPropagation')
  if (!propagations.includes(propagation)) causes.push(notSupported(path, propagation, propagations))
  if (propagation === 'Bidirectional' && !isPrivileged(container)) {
    const detail = 'Bidirectional mount propagation is available only to privileged containers'
    causes.push(forbiddenField(path, detail))
  }
}

function checkSubPath(causes: Causes, path: string, mount: JsonObject): void {
  const subPath = textIn(mount, 'subPath')
  const expression = textIn(mount, 'subPathExpr')
  if (subPath !== '') checkRelativePath(causes, `${listOf(path)}.subPath`, subPath)
  if (expression === '') return
  if (subPath !== '')
    causes.push(
      invalidValue(`${path}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive'),
    )
  checkRelativePath(causes, `${listOf(path)}.subPathExpr`, expression)
}

const isPrivileged = (container: JsonObject): boolean =>
  objectIn(container, 'securityContext')?.['privileged'] === true

function checkDevices(
  causes: Causes,
  path: string,
  devices: readonly JsonObject[],
  volumes: Volumes,
  mountPaths: ReadonlySet<string>,
): void {
  const [names, paths] = [new Set<string>(), new Set<string>()]
  for (const [i, device] of devices.entries()) {
    const at = `${path}.volumeDevices[${i}]`
    const name = textIn(device, 'name')
    const devicePath = textIn(device, 'devicePath')
    checkKnown(causes, at, device, volumes)
    if (names.has(name)) causes.push(invalidValue(`${at}.name`, name, 'must be unique'))
    names.add(name)
    const volume = volumes.get(name)
    if (volume !== undefined && present(volume, ['persistentVolumeClaim', 'ephemeral']).length === 0) {
      const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'
      causes.push(invalidValue(`${at}.name`, name, detail))
    }
    if (devicePath.split('/').includes('..'))
      causes.push(invalidValue(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')"))
    if (paths.has(devicePath)) causes.push(invalidValue(`${at}.devicePath`, devicePath, 'must be unique'))
    paths.add(devicePath)
    if (mountPaths.has(devicePath))
      causes.push(invalidValue(`${at}.devicePath`, devicePath, 'must not already exist in volumeMounts'))
  }
}
