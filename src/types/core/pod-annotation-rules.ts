/**
 * Annotations of pods that are older than the fields that took their place, and others that servers and controllers
 * read. Source: Kubernetes documentation, "Well-Known Labels, Annotations and Taints".
 */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, invalidValue } from '../../status/causes.ts'
import type { Causes } from '../validation/checks.ts'
import { checkRelativePath } from '../validation/paths.ts'
import { entriesIn, type Given, has, itemsIn, objectIn, textIn } from '../validation/read.ts'
import { containerLists } from './container-lists.ts'

/** @param labelDomain `kubernetes.io` */
export function createPodAnnotationRules(labelDomain: string): PodAnnotationRules {
  const mirror = `${labelDomain}/config.mirror`
  const deletionCost = `controller.${labelDomain}/pod-deletion-cost`
  const appArmor = `container.apparmor.security.beta.${labelDomain}/`
  const seccompOfPod = `seccomp.security.alpha.${labelDomain}/pod`
  const seccomp = `container.seccomp.security.alpha.${labelDomain}/`

  return {
    check(causes, path, metadata, spec) {
      for (const [key, given] of entriesIn(metadata, 'annotations')) {
        const value = String(given)
        const at = `${path}[${key}]`
        if (key === mirror && !has(spec, 'nodeName'))
          causes.push(invalidValue(at, value, 'must set spec.nodeName if mirror pod annotation is set'))
        else if (key === deletionCost && !isCost(value))
          causes.push(invalidValue(at, value, 'must be a 32bit integer'))
        else if (key === seccompOfPod || key.startsWith(seccomp))
          checkSeccomp(causes, `${path}.${key}`, value)
        else if (key.startsWith(appArmor)) checkAppArmor(causes, at, key.slice(appArmor.length), value, spec)
      }
    },
    checkNew(causes, metadata, spec) {
      const annotations = objectIn(metadata, 'annotations')
      const context = objectIn(spec, 'securityContext')
      const profile = objectIn(context, 'seccompProfile')
      compare(causes, 'spec.securityContext.seccompProfile', profile, annotations?.[seccompOfPod], 'seccomp')
      const ofPod = objectIn(context, 'appArmorProfile')
      const isWindows = textIn(objectIn(spec, 'os'), 'name') === 'windows'
      eachContainer(spec, (container, at) => {
        const own = objectIn(container, 'securityContext')
        const name = textIn(container, 'name')
        const given = (prefix: string) => annotations?.[`${prefix}${name}`]
        const path = `${at}.securityContext`
        compare(causes, `${path}.seccompProfile`, objectIn(own, 'seccompProfile'), given(seccomp), 'seccomp')
        if (isWindows) return
        const profile = objectIn(own, 'appArmorProfile') ?? ofPod
        compare(causes, `${path}.appArmorProfile`, profile, given(appArmor), 'apparmor')
      })
    },
  }
}

export interface PodAnnotationRules {
  /** Of a pod or a template; `path` is that of the annotations. */
  check(causes: Causes, path: string, metadata: Given, spec: JsonObject): void
  /** Of a pod that is made: an annotation says the same as the field. */
  checkNew(causes: Causes, metadata: Given, spec: JsonObject): void
}

function isCost(text: string): boolean {
  return /^(0|-\d+|[1-9]\d*)$/.test(text) && Math.abs(Number(text) + 0.5) < 2 ** 31
}

const local = 'localhost/'

function checkSeccomp(causes: Causes, path: string, value: string): void {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(value)) return
  if (value.startsWith(local)) checkRelativePath(causes, path, value.slice(local.length))
  else causes.push(invalidValue(path, value, 'must be a valid seccomp profile'))
}

function checkAppArmor(causes: Causes, path: string, name: string, value: string, spec: JsonObject): void {
  let isThere = false
  eachContainer(spec, (container) => {
    isThere ||= textIn(container, 'name') === name
  })
  if (!isThere) causes.push(invalidValue(path, name, 'container not found'))
  if (value !== '' && value !== 'runtime/default' && value !== 'unconfined' && !value.startsWith(local))
    causes.push(invalidValue(path, value, `invalid AppArmor profile name: ${JSON.stringify(value)}`))
}

/** Nothing is wrong where one of both is not there. */
function compare(
  causes: Causes,
  path: string,
  profile: Given,
  annotation: unknown,
  what: 'seccomp' | 'apparmor',
): void {
  if (profile === undefined || typeof annotation !== 'string') return
  const type = textIn(profile, 'type')
  const same =
    type === 'Unconfined'
      ? annotation === 'unconfined'
      : type === 'RuntimeDefault'
        ? annotation === 'runtime/default' || (what === 'seccomp' && annotation === 'docker/default')
        : type !== 'Localhost' || annotation.startsWith(local)
  if (!same) causes.push(forbiddenField(`${path}.type`, `${what} type in annotation and field must match`))
  else if (type === 'Localhost' && annotation.slice(local.length) !== textIn(profile, 'localhostProfile'))
    causes.push(
      forbiddenField(`${path}.localhostProfile`, `${what} profile in annotation and field must match`),
    )
}

function eachContainer(spec: JsonObject, visit: (container: JsonObject, path: string) => void): void {
  for (const list of containerLists)
    for (const [i, container] of itemsIn(spec, list).entries()) visit(container, `spec.${list}[${i}]`)
}
