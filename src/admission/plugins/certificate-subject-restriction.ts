/**
 * CertificateSubjectRestriction: nobody asks the signer of API clients for a certificate of the privileged group.
 * Source: specification, "Plugin behaviors".
 */

import { privilegedGroup } from '../../authz/privileged.ts'
import type { Names } from '../../names/names.ts'
import { objectAt, textAt } from '../../types/draft.ts'
import type { AdmissionPlugin } from '../admission.ts'
import { created, refusal } from '../request.ts'
import { signingRequests } from './certificates.ts'

export function createCertificateSubjectRestriction(names: Names): AdmissionPlugin {
  const signer = names.expand('{labels}/{prefix}-apiserver-client')
  return {
    name: 'CertificateSubjectRestriction',
    concerns: [signingRequests],
    async validate(request) {
      const object = created(request, signingRequests)
      const spec = object === undefined ? undefined : objectAt(object, 'spec')
      if (textAt(spec, 'signerName') !== signer) return undefined
      const organizations = await organizationsOf(textAt(spec, 'request'))
      if (typeof organizations === 'string') return refusal(request, `unable to parse csr: ${organizations}`)
      return organizations.includes(privilegedGroup)
        ? refusal(request, `use of ${signer} signer with ${privilegedGroup} group is not allowed`)
        : undefined
    },
  }
}

/** Of the subject; a text says why there is none. The library is loaded by those who need it: it takes a while. */
async function organizationsOf(base64: string): Promise<readonly string[] | string> {
  await import('reflect-metadata') // the library asks for it, and wants it first
  const { Pkcs10CertificateRequest } = await import('@peculiar/x509')
  const pem = Buffer.from(base64, 'base64').toString('latin1')
  if (!pem.includes('-----BEGIN ')) return 'PEM block type must be CERTIFICATE REQUEST'
  try {
    return new Pkcs10CertificateRequest(pem).subjectName.getField('O')
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
