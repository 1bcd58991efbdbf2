/**
 * CertificateApproval, CertificateSigning, ClusterTrustBundleAttest: who approves, signs or attests for a signer needs
 * that very right. Source: specification, "Plugin behaviors".
 */

import type { Authorizer } from '../../authz/authorizer.ts'
import type { Names } from '../../names/names.ts'
import type { ApiFailure } from '../../status/status.ts'
import { objectAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import { isOf, refusal } from '../request.ts'

export const signingRequests = 'certificates/certificatesigningrequests'

interface SignerRight {
  readonly verb: 'approve' | 'sign' | 'attest'
  /** Completes `user not permitted to …`. */
  readonly what: string
}

/** Asks for the right on one signer, then on all of its domain (`<domain>/*`). */
function createSignerCheck(names: Names, authorizer: Authorizer) {
  const group = names.expand('certificates.{groups}')

  async function isAllowed({ user }: AdmissionRequest, verb: string, name: string): Promise<boolean> {
    const { decision } = await authorizer.authorize({
      user,
      request: {
        type: 'resource',
        verb,
        group,
        version: '*',
        namespace: '',
        resource: 'signers',
        subresource: '',
        name,
      },
    })
    return decision === 'allow'
  }

  return async (
    request: AdmissionRequest,
    { verb, what }: SignerRight,
    signer: string,
  ): Promise<ApiFailure | undefined> => {
    const domain = signer.slice(0, Math.max(signer.indexOf('/'), 0))
    if (await isAllowed(request, verb, signer)) return undefined
    if (await isAllowed(request, verb, `${domain}/*`)) return undefined
    return refusal(request, `user not permitted to ${what} signerName ${JSON.stringify(signer)}`)
  }
}

const signerOf = (object: ApiObject): string => textAt(objectAt(object, 'spec'), 'signerName')

export function createCertificateApproval(names: Names, authorizer: Authorizer): AdmissionPlugin {
  const check = createSignerCheck(names, authorizer)
  return {
    name: 'CertificateApproval',
    validate(request) {
      const { oldObject, subresource } = request
      if (subresource !== 'approval' || !isOf(request, signingRequests) || oldObject === undefined)
        return undefined
      return check(request, { verb: 'approve', what: 'approve requests with' }, signerOf(oldObject))
    },
  }
}

export function createCertificateSigning(names: Names, authorizer: Authorizer): AdmissionPlugin {
  const check = createSignerCheck(names, authorizer)
  return {
    name: 'CertificateSigning',
    validate(request) {
      const { object, oldObject, subresource } = request
      if (subresource !== 'status' || !isOf(request, signingRequests)) return undefined
      if (object === undefined || oldObject === undefined) return undefined
      if (statusText(object) === statusText(oldObject)) return undefined
      return check(request, { verb: 'sign', what: 'sign requests with' }, signerOf(oldObject))
    },
  }
}

/** Of what only a signer writes. */
function statusText(object: ApiObject): string {
  const { certificate = '', conditions = [] } = objectAt(object, 'status') ?? {}
  return JSON.stringify([certificate, conditions])
}

export function createClusterTrustBundleAttest(names: Names, authorizer: Authorizer): AdmissionPlugin {
  const check = createSignerCheck(names, authorizer)
  return {
    name: 'ClusterTrustBundleAttest',
    validate(request) {
      const { object } = request
      if (object === undefined || !isOf(request, 'certificates/clustertrustbundles')) return undefined
      const signer = signerOf(object)
      if (signer === '') return undefined
      return check(request, { verb: 'attest', what: 'attest for' }, signer)
    },
  }
}
