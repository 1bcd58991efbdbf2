/**
 * What clients are warned of when they write pods or templates of pods: it is accepted, and does not do what they may
 * think, or not for long. Causes are called by their paths; the words are those that users of this API know.
 */

import type { JsonObject, JsonValue } from '../../json.ts'
import { parseQuantity } from '../../schema/quantity.ts'
import type { ApiObject } from '../object.ts'
import { labelNameProblems } from '../validation/names.ts'
import {
  entriesIn,
  type Given,
  has,
  itemsIn,
  jsonOf,
  numberIn,
  objectIn,
  specOf,
  textIn,
} from '../validation/read.ts'
import { containerLists } from './container-lists.ts'
import { createLabelAdvice, type LabelAdvice } from './label-advice.ts'
import { portWarnings } from './port-warnings.ts'

/** Of a new object (`old` undefined) or a change of one. */
type Warnings = (object: ApiObject, old: ApiObject | undefined) => readonly string[]

/** Pods are mostly changed by machines, which read no warnings. @param labelDomain `kubernetes.io` */
export function podWarnings(labelDomain: string): Warnings {
  const advice = createLabelAdvice(labelDomain)
  return (object, old) => {
    if (old !== undefined) return []
    const where: Place = { prefix: '', metadata: objectIn(jsonOf(object), 'metadata'), spec: specOf(object) }
    return [
      ...nameWarnings(object, "this is used in the Pod's hostname"),
      ...warningsOf(where, labelDomain, advice),
    ]
  }
}

/**
 * Of what holds a template: of a change only where it changes the spec.
 * @param path of the template @param isNamedAfter the pods are called like the object
 */
export function templateWarnings(
  labelDomain: string,
  path: readonly string[],
  isNamedAfter: boolean,
): Warnings {
  const advice = createLabelAdvice(labelDomain)
  return (object, old) => {
    if (old !== undefined && old.metadata.generation === object.metadata.generation) return []
    const template = path.reduce<Given>((inner, name) => objectIn(inner, name), jsonOf(object))
    const where: Place = {
      prefix: `${path.join('.')}.`,
      metadata: objectIn(template, 'metadata'),
      spec: objectIn(template, 'spec') ?? {},
    }
    const isNew = old === undefined && isNamedAfter
    return [
      ...(isNew ? nameWarnings(object, 'this is used in Pod names and hostnames') : []),
      ...warningsOf(where, labelDomain, advice),
    ]
  }
}

function nameWarnings({ metadata: { name = '' } }: ApiObject, use: string): readonly string[] {
  const problems = labelNameProblems(name)
  if (problems.length === 0) return []
  const text = `metadata.name: ${use}, which can result in surprising behavior; a DNS label is recommended`
  return [`${text}: [${problems.join(' ')}]`]
}

interface Place {
  /** '' or `spec.template.`: what stands before `spec` and `metadata` in paths. */
  readonly prefix: string
  readonly metadata: Given
  readonly spec: JsonObject
}

function warningsOf(place: Place, labelDomain: string, advice: LabelAdvice): readonly string[] {
  const { prefix, spec } = place
  const at = `${prefix}spec`
  return [
    ...advice(at, spec),
    ...annotationWarnings(place, labelDomain),
    ...volumeWarnings(at, spec),
    ...repeated(`${at}.hostAliases`, itemsIn(spec, 'hostAliases'), 'ip'),
    ...repeated(`${at}.imagePullSecrets`, itemsIn(spec, 'imagePullSecrets'), 'name'),
    ...itemsIn(spec, 'imagePullSecrets').flatMap((secret, i) =>
      textIn(secret, 'name') === '' ? [`${at}.imagePullSecrets[${i}].name: invalid empty name ""`] : [],
    ),
    ...fractions(`${at}.overhead`, objectIn(spec, 'overhead')),
    ...containerLists.flatMap((list) =>
      itemsIn(spec, list).flatMap((container, i) => containerWarnings(`${at}.${list}[${i}]`, container)),
    ),
    ...portWarnings(at, spec),
    ...((numberIn(spec, 'terminationGracePeriodSeconds') ?? 0) < 0
      ? [
          `${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...selectorWarnings(`${at}.affinity`, objectIn(spec, 'affinity')),
  ]
}

function annotationWarnings({ prefix, metadata, spec }: Place, domain: string): readonly string[] {
  const given = objectIn(metadata, 'annotations')
  if (given === undefined) return []
  const context = objectIn(spec, 'securityContext')
  const rows: [key: string, text: string][] = [
    [
      `scheduler.alpha.${domain}/critical-pod`,
      'non-functional in v1.16+; use the "priorityClassName" field instead',
    ],
    [`security.alpha.${domain}/sysctls`, 'non-functional in v1.11+; use the "sysctls" field instead'],
    [`security.alpha.${domain}/unsafe-sysctls`, 'non-functional in v1.11+; use the "sysctls" field instead'],
  ]
  const seccompText = 'non-functional in v1.27+; use the "seccompProfile" field instead'
  if (!has(context, 'seccompProfile')) rows.push([`seccomp.security.alpha.${domain}/pod`, seccompText])
  for (const list of containerLists) {
    for (const container of itemsIn(spec, list)) {
      const own = objectIn(container, 'securityContext')
      const name = textIn(container, 'name')
      if (!has(own, 'seccompProfile'))
        rows.push([`container.seccomp.security.alpha.${domain}/${name}`, seccompText])
      if (!has(own, 'appArmorProfile') && !has(context, 'appArmorProfile'))
        rows.push([
          `container.apparmor.security.beta.${domain}/${name}`,
          'deprecated since v1.30; use the "appArmorProfile" field instead',
        ])
    }
  }
  return rows
    .filter(([key]) => given[key] !== undefined)
    .map(([key, text]) => `${prefix}metadata.annotations[${key}]: ${text}`)
}

/** Kinds of volumes that are on their way out. */
const formerVolumes: ReadonlyMap<string, string> = new Map([
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
])

function volumeWarnings(path: string, spec: JsonObject): readonly string[] {
  return itemsIn(spec, 'volumes').flatMap((volume, i) => formerVolume(`${path}.volumes[${i}]`, volume))
}

/** Of a volume of a pod, or of the spec of a persistent volume. */
function formerVolume(path: string, volume: JsonObject): readonly string[] {
  return [...formerVolumes].flatMap(([name, text]) =>
    has(volume, name) ? [`${path}.${name === 'storageos' ? 'storageOS' : name}: ${text}`] : [],
  )
}

function repeated(path: string, items: readonly JsonObject[], name: string): readonly string[] {
  const seen = new Set<string>()
  return items.flatMap((item, i) => {
    const value = textIn(item, name)
    if (!seen.has(value)) {
      seen.add(value)
      return []
    }
    return [`${path}[${i}].${name}: duplicate ${name} ${JSON.stringify(value)}`]
  })
}

const wholeBytes: ReadonlySet<string> = new Set(['memory', 'ephemeral-storage'])
const oneByte = 1_000_000_000n

/** There is no part of a byte. */
function fractions(path: string, amounts: Given, names = wholeBytes): readonly string[] {
  return Object.entries(amounts ?? {}).flatMap(([name, amount]) =>
    names.has(name) && isFraction(amount)
      ? [`${path}[${name}]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`]
      : [],
  )
}

function isFraction(amount: JsonValue | undefined): boolean {
  const parsed = typeof amount === 'string' ? parseQuantity(amount) : undefined
  return parsed !== undefined && parsed.nanos % oneByte !== 0n
}

function containerWarnings(path: string, container: JsonObject): readonly string[] {
  const resources = objectIn(container, 'resources')
  return [
    ...fractions(`${path}.resources.limits`, objectIn(resources, 'limits')),
    ...fractions(`${path}.resources.requests`, objectIn(resources, 'requests')),
    ...environmentWarnings(`${path}.env`, itemsIn(container, 'env')),
  ]
}

/** A variable may be set again, to something that is made of what it was. */
function environmentWarnings(path: string, variables: readonly JsonObject[]): readonly string[] {
  const seen = new Set<string>()
  return variables.flatMap((variable, i) => {
    const name = textIn(variable, 'name')
    const value = textIn(variable, 'value')
    const isFirst = !seen.has(name)
    seen.add(name)
    const before = `$(${name})`
    const extends_ = !has(variable, 'valueFrom') && value !== before && value.includes(before)
    if (isFirst || extends_) return []
    return [
      `${path}[${i}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ]
  })
}

/** Terms of affinities to pods that select none. */
function selectorWarnings(path: string, affinity: Given): readonly string[] {
  const text = 'a null labelSelector results in matching no pod'
  return ['podAffinity', 'podAntiAffinity'].flatMap((name) => {
    const ofPods = objectIn(affinity, name)
    const required = 'requiredDuringSchedulingIgnoredDuringExecution'
    const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'
    return [
      ...itemsIn(ofPods, required).flatMap((term, i) =>
        has(term, 'labelSelector') ? [] : [`${path}.${name}.${required}[${i}].labelSelector: ${text}`],
      ),
      ...itemsIn(ofPods, preferred).flatMap((term, i) =>
        has(objectIn(term, 'podAffinityTerm'), 'labelSelector')
          ? []
          : [`${path}.${name}.${preferred}[${i}].podAffinityTerm.labelSelector: ${text}`],
      ),
    ]
  })
}

/** Of a persistent volume claim. */
export function claimWarnings(object: ApiObject): readonly string[] {
  const storage = new Set(['storage'])
  const resources = objectIn(specOf(object), 'resources')
  return ['limits', 'requests'].flatMap((name) =>
    fractions(`spec.resources.${name}`, objectIn(resources, name), storage),
  )
}

/** Of a persistent volume. */
export function volumeObjectWarnings(object: ApiObject): readonly string[] {
  const spec = specOf(object)
  const recycles = textIn(spec, 'persistentVolumeReclaimPolicy') === 'Recycle'
  const text =
    'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.'
  return [
    ...(recycles ? [`spec.persistentVolumeReclaimPolicy: ${text}`] : []),
    ...formerVolume('spec', spec),
    ...(entriesIn(spec, 'capacity').some(([name, amount]) => name === 'storage' && isFraction(amount))
      ? fractions('spec.capacity', objectIn(spec, 'capacity'), new Set(['storage']))
      : []),
  ]
}
