/** Which secrets a pod reaches for, and what stands against it. Pure. */

import type { Draft } from '../schema/defaults.ts'
import { objectAt, objectsAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import { containersOf } from './request.ts'

/** Mirror pods show what runs on a node already: nothing is handed to them. Undefined = all is well. */
export function mirrorPodProblem(spec: Draft): string | undefined {
  if (textAt(spec, 'serviceAccountName') !== '') return 'a mirror pod may not reference service accounts'
  if (reachesForSecrets(spec)) return 'a mirror pod may not reference secrets'
  const projects = objectsAt(spec, 'volumes').some((volume) =>
    objectsAt(objectAt(volume, 'projected'), 'sources').some(
      (source) => source['serviceAccountToken'] !== undefined,
    ),
  )
  return projects ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined
}

function reachesForSecrets(spec: Draft): boolean {
  if (objectsAt(spec, 'imagePullSecrets').length > 0) return true
  if (containersOf(spec).some(({ container }) => secretsInEnv(container).length > 0)) return true
  return objectsAt(spec, 'volumes').some(holdsSecret)
}

/** Sources of volumes carry their secret as `secretRef`, `secretName` or, projected, `secret`. */
function holdsSecret(volume: Draft): boolean {
  if (objectsAt(objectAt(volume, 'projected'), 'sources').some((one) => one['secret'] !== undefined))
    return true
  return Object.values(volume).some(
    (source) =>
      typeof source === 'object' &&
      source !== null &&
      Object.keys(source).some((field) => secretField.test(field)),
  )
}

const secretField = /^secretName$|[sS]ecretRef$/

function secretsInEnv(container: Draft): readonly string[] {
  return [
    ...objectsAt(container, 'env').flatMap((one) => {
      const reference = objectAt(one, 'valueFrom', 'secretKeyRef')
      return reference === undefined ? [] : [textAt(reference, 'name')]
    }),
    ...objectsAt(container, 'envFrom').flatMap((one) => {
      const reference = objectAt(one, 'secretRef')
      return reference === undefined ? [] : [textAt(reference, 'name')]
    }),
  ]
}

/** The same for containers that are added to a running pod. Undefined = all is well. */
export function ephemeralSecretsProblem(spec: Draft, account: ApiObject): string | undefined {
  const mountable = new Set(
    objectsAt({ ...account, metadata: {} }, 'secrets').map((one) => textAt(one, 'name')),
  )
  for (const container of objectsAt(spec, 'ephemeralContainers')) {
    const secret = secretsInEnv(container).find((one) => !mountable.has(one))
    if (secret === undefined) continue
    return `ephemeral container ${textAt(container, 'name')} with envVar referencing secret.secretName="${secret}" is not allowed because service account ${account.metadata.name ?? ''} does not reference that secret`
  }
  return undefined
}

/** Where an account says so, its pods reach only for the secrets that it names. Undefined = all is well. */
export function mountableSecretsProblem(spec: Draft, account: ApiObject): string | undefined {
  const listed = (field: string) =>
    new Set(objectsAt({ ...account, metadata: {} }, field).map((one) => textAt(one, 'name')))
  const mountable = listed('secrets')
  const name = account.metadata.name ?? ''
  const because = `is not allowed because service account ${name} does not reference that`
  for (const volume of objectsAt(spec, 'volumes')) {
    const secret = textAt(objectAt(volume, 'secret'), 'secretName')
    if (secret !== '' && !mountable.has(secret))
      return `volume with secret.secretName="${secret}" ${because} secret`
  }
  for (const { list, container } of containersOf(spec)) {
    const secret = secretsInEnv(container).find((one) => !mountable.has(one))
    if (secret === undefined) continue
    const kind = list === 'initContainers' ? 'init container' : 'container'
    return `${kind} ${textAt(container, 'name')} with envVar referencing secret.secretName="${secret}" ${because} secret`
  }
  const pullable = listed('imagePullSecrets')
  for (const [index, { name: given }] of objectsAt(spec, 'imagePullSecrets').entries()) {
    if (typeof given === 'string' && !pullable.has(given))
      return `imagePullSecrets[${index}].name="${given}" ${because} imagePullSecret`
  }
  return undefined
}
