/**
 * What may stand in an object's metadata, for every type alike.
 *
 * Source: specification, "Object rules", "Common envelope and metadata", "States and transitions" (finalizers).
 */

import { sameJson } from '../same-json.ts'
import { forbiddenField, invalidValue, notSupported, required } from '../status/causes.ts'
import type { Cause } from '../status/status.ts'
import { labelKeyProblems, labelValueProblems } from '../storage/selector/label-syntax.ts'
import type { ApiObject, ObjectMeta, OwnerReference } from '../types/object.ts'
import type { Strategy } from '../types/resource.ts'
import { isTerminating } from './metadata.ts'
import { namePrefixProblems, nameProblems } from './name-format.ts'

const annotationBytesMax = 256 * 1024
export const orphanFinalizer = 'orphan'
export const foregroundFinalizer = 'foregroundDeletion'

const joined = (problems: readonly string[]): string => problems.join('; ')

/** Of a type, how its objects are named. */
interface Named {
  readonly strategy: Pick<Strategy, 'nameFormat'>
}

/** What is wrong with the metadata of any object: names, labels, annotations, owners, finalizers. */
export function metadataCauses({ metadata }: Pick<ApiObject, 'metadata'>, type: Named): readonly Cause[] {
  return [
    ...nameCauses(metadata, type),
    ...labelCauses(metadata),
    ...annotationCauses(metadata),
    ...ownerCauses(metadata),
    ...finalizerCauses(metadata),
  ]
}

function nameCauses({ name = '', generateName = '' }: ObjectMeta, { strategy }: Named): readonly Cause[] {
  const causes: Cause[] = []
  if (generateName !== '') {
    const problems = namePrefixProblems(generateName, strategy.nameFormat)
    if (problems.length > 0)
      causes.push(invalidValue('metadata.generateName', generateName, joined(problems)))
  }
  if (name === '') return [...causes, required('metadata.name', 'name or generateName is required')]
  const problems = nameProblems(name, strategy.nameFormat)
  if (problems.length > 0) causes.push(invalidValue('metadata.name', name, joined(problems)))
  return causes
}

/** What is wrong with labels, for whoever sets them. */
export function labelCauses({ labels }: ObjectMeta): readonly Cause[] {
  if (labels === undefined) return []
  const causes: Cause[] = []
  for (const key of Object.keys(labels)) {
    const value = labels[key] ?? ''
    for (const problem of labelKeyProblems(key)) causes.push(invalidValue('metadata.labels', key, problem))
    for (const problem of labelValueProblems(value))
      causes.push(invalidValue('metadata.labels', value, problem))
  }
  return causes
}

/** What is wrong with annotations, for whoever sets them. */
export function annotationCauses({ annotations }: ObjectMeta): readonly Cause[] {
  if (annotations === undefined) return []
  const causes: Cause[] = []
  let bytes = 0
  for (const [key, value] of Object.entries(annotations)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
    for (const problem of labelKeyProblems(key.toLowerCase()))
      causes.push(invalidValue('metadata.annotations', key, problem))
  }
  if (bytes > annotationBytesMax) {
    causes.push({
      reason: 'FieldValueTooLong',
      message: `Too long: must have at most ${annotationBytesMax} bytes`,
      field: 'metadata.annotations',
    })
  }
  return causes
}

function ownerCauses({ ownerReferences }: ObjectMeta): readonly Cause[] {
  if (ownerReferences === undefined) return []
  const causes = ownerReferences.flatMap(ownerReferenceCauses)
  const [first, ...others] = ownerReferences.filter((owner) => owner.controller === true)
  for (const { kind, name } of first === undefined ? [] : others) {
    const why = `Only one reference can have Controller set to true. Found "true" in references for ${first?.kind}/${first?.name} and ${kind}/${name}`
    causes.push(invalidValue('metadata.ownerReferences', ownerReferences, why))
  }
  return causes
}

const emptyWord = { apiVersion: 'version', kind: 'kind', name: 'name', uid: 'uid' } as const

/** Clients of this API know these paths without an index. */
function ownerReferenceCauses(owner: OwnerReference): Cause[] {
  const path = 'metadata.ownerReferences'
  const causes: Cause[] = []
  for (const field of ['apiVersion', 'kind', 'name', 'uid'] as const) {
    const known = field === 'apiVersion' ? versionIn(owner.apiVersion ?? '') : (owner[field] ?? '')
    if (known === '')
      causes.push(
        invalidValue(`${path}.${field}`, owner[field] ?? '', `${emptyWord[field]} must not be empty`),
      )
  }
  if (owner.apiVersion === 'v1' && owner.kind === 'Event')
    causes.push(invalidValue(path, owner, '/v1, Kind=Event is disallowed from being an owner'))
  return causes
}

/** Of `group/version` or `version`; empty where the text is neither. */
function versionIn(apiVersion: string): string {
  const [first = '', second, ...more] = apiVersion.split('/')
  return more.length > 0 ? '' : (second ?? first)
}

function finalizerCauses({ finalizers }: ObjectMeta): readonly Cause[] {
  if (finalizers === undefined) return []
  const causes: Cause[] = []
  for (const finalizer of finalizers) {
    for (const problem of labelKeyProblems(finalizer))
      causes.push(invalidValue('metadata.finalizers', finalizer, problem))
  }
  if (finalizers.includes(orphanFinalizer) && finalizers.includes(foregroundFinalizer)) {
    causes.push(
      invalidValue(
        'metadata.finalizers',
        finalizers,
        `finalizer ${orphanFinalizer} and ${foregroundFinalizer} cannot be both set`,
      ),
    )
  }
  return causes
}

const immutable = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const

/** What a change may not do. The object's server-owned fields are filled in already. */
export function metadataUpdateCauses(object: ApiObject, old: ApiObject): readonly Cause[] {
  const causes: Cause[] = []
  const added = addedFinalizers(object, old)
  if (isTerminating(old) && added.length > 0) {
    causes.push(
      forbiddenField(
        'metadata.finalizers',
        `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added
          .map((one) => JSON.stringify(one))
          .join(', ')}}`,
      ),
    )
  }
  for (const field of immutable) {
    const value = object.metadata[field]
    if (sameJson(value, old.metadata[field])) continue
    const cause = invalidValue(`metadata.${field}`, value ?? null, 'field is immutable')
    causes.push(field === 'deletionTimestamp' ? { ...cause, message: shownTime(cause.message) } : cause)
  }
  return causes
}

/** Messages show times as `2024-01-01 00:00:00 +0000 UTC`. */
function shownTime(message: string): string {
  return message.replace(/"(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})Z"/, '$1 $2 +0000 UTC')
}

function addedFinalizers(object: ApiObject, old: ApiObject): readonly string[] {
  const { finalizers } = object.metadata
  if (finalizers === undefined) return []
  const before = new Set(old.metadata.finalizers ?? [])
  return finalizers.filter((one) => !before.has(one))
}

const propagationPolicies = ['Foreground', 'Background', 'Orphan']

export function propagationCauses(policy: string | undefined, orphan: boolean | undefined): readonly Cause[] {
  if (policy !== undefined && orphan !== undefined) {
    return [
      invalidValue(
        'propagationPolicy',
        policy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    ]
  }
  return policy === undefined || propagationPolicies.includes(policy)
    ? []
    : [notSupported('propagationPolicy', policy, [...propagationPolicies, 'nil'])]
}
