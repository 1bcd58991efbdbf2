/**
 * ServiceAccount: every pod runs as a service account of its namespace, and finds a token of it where its containers
 * look for one.
 */

import type { Clock } from '../../../store/contract.ts'
import { fail, ok, type Result } from '../../../store/contract.ts'
import type { Names } from '../../names/names.ts'
import type { Identifiers } from '../../pipeline/identifiers.ts'
import type { Draft } from '../../schema/defaults.ts'
import { notFound } from '../../status/failures.ts'
import type { ApiFailure } from '../../status/status.ts'
import { objectAt, objectsAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import type { Lookups } from '../lookup.ts'
import { createdPodSpec, pods, refusal } from '../request.ts'
import { ephemeralSecretsProblem, mirrorPodProblem, mountableSecretsProblem } from '../secret-references.ts'
import { mountToken } from '../token-volume.ts'

/** The account that is there in every namespace. */
export const defaultAccount = 'default'

/** The default account of a new namespace is made behind it: how often, and after how long, it is looked for. */
const attemptsMax = 10
const retryMinMs = 10
const retryMaxMs = 250

interface ServiceAccountParts {
  readonly names: Names
  readonly lookups: Lookups
  readonly clock: Clock
  readonly identifiers: Identifiers
}

export function createServiceAccount({
  names,
  lookups,
  clock,
  identifiers,
}: ServiceAccountParts): AdmissionPlugin {
  const accounts = lookups('core/serviceaccounts')
  const mirrorAnnotation = names.expand('{labels}/config.mirror')
  const enforcing = names.expand('{labels}/enforce-mountable-secrets')

  const isMirror = (pod: ApiObject | undefined): boolean =>
    pod?.metadata.annotations?.[mirrorAnnotation] !== undefined

  async function accountOf(
    { namespace }: AdmissionRequest,
    name: string,
  ): Promise<Result<ApiObject, ApiFailure>> {
    let delayMs = retryMinMs
    for (let attempt = 1; ; attempt++) {
      const found = await accounts.get({ namespace, name })
      if (!found.ok) return found
      if (found.value !== undefined) return ok(found.value)
      if (name !== defaultAccount || attempt === attemptsMax)
        return fail(notFound({ group: '', resource: 'serviceaccount' }, name))
      await new Promise<void>((resolve) => clock.after(delayMs, resolve))
      delayMs = Math.min(delayMs * 2, retryMaxMs)
    }
  }

  function unknown(request: AdmissionRequest, name: string, { message }: ApiFailure): ApiFailure {
    return refusal(request, `error looking up service account ${request.namespace}/${name}: ${message}`)
  }

  async function addedContainers(request: AdmissionRequest): Promise<ApiFailure | undefined> {
    const { object } = request
    const spec = object === undefined ? undefined : objectAt(object, 'spec')
    if (spec === undefined) return undefined
    const name = textAt(spec, 'serviceAccountName')
    const account = await accountOf(request, name)
    if (!account.ok) return unknown(request, name, account.failure)
    if (account.value.metadata.annotations?.[enforcing] !== 'true') return undefined
    const problem = ephemeralSecretsProblem(spec, account.value)
    return problem === undefined ? undefined : refusal(request, problem)
  }

  async function newPod(request: AdmissionRequest): Promise<ApiFailure | undefined> {
    const spec = createdPodSpec(request)
    if (spec === undefined) return undefined
    const name = textAt(spec, 'serviceAccountName')
    if (isMirror(request.object)) {
      const problem = mirrorPodProblem(spec)
      return problem === undefined ? undefined : refusal(request, problem)
    }
    if (name === '') {
      const { name: podName = '' } = request.object?.metadata ?? {}
      return refusal(request, `no service account specified for pod ${request.namespace}/${podName}`)
    }
    const account = await accountOf(request, name)
    if (!account.ok) return unknown(request, name, account.failure)
    if (account.value.metadata.annotations?.[enforcing] !== 'true') return undefined
    const problem = mountableSecretsProblem(spec, account.value)
    return problem === undefined ? undefined : refusal(request, problem)
  }

  return {
    name: 'ServiceAccount',
    changes: [pods],
    concerns: [pods],
    async mutate(request) {
      const spec = createdPodSpec(request)
      if (spec === undefined || isMirror(request.object)) return undefined
      if (textAt(spec, 'serviceAccountName') === '') setAccount(spec, defaultAccount)
      const name = textAt(spec, 'serviceAccountName')
      const account = await accountOf(request, name)
      if (!account.ok) return unknown(request, name, account.failure)
      if (mountsToken(spec, account.value)) mountToken(spec, names, identifiers)
      const pullSecrets = objectsAt({ ...account.value, metadata: {} }, 'imagePullSecrets')
      if (objectsAt(spec, 'imagePullSecrets').length === 0 && pullSecrets.length > 0)
        spec['imagePullSecrets'] = pullSecrets.map((secret) => ({ name: textAt(secret, 'name') }))
      return undefined
    },
    validate(request) {
      switch (request.operation) {
        case 'CREATE':
          return newPod(request)
        case 'UPDATE':
          return request.subresource === 'ephemeralcontainers' ? addedContainers(request) : undefined
        case 'DELETE':
        case 'CONNECT':
          return undefined
      }
    },
  }
}

/** Both spellings: the older one is kept for clients that read it. */
function setAccount(spec: Draft, name: string): void {
  spec['serviceAccountName'] = name
  spec['serviceAccount'] = name
}

/** The pod decides, then the account. */
function mountsToken(spec: Draft, account: ApiObject): boolean {
  const own = spec['automountServiceAccountToken']
  if (typeof own === 'boolean') return own
  return account['automountServiceAccountToken'] !== false
}
