/**
 * CertificateSubjectRestriction: nobody asks the signer of API clients for a certificate of the privileged group.
 * Source: specification, "Plugin behaviors".
 */

import { privilegedGroup } from '../../authz/privileged.ts'
import { readCertificateRequest } from '../../certificates/request.ts'
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
      const read = await readCertificateRequest(textAt(spec, 'request'))
      if (!read.ok) return refusal(request, `unable to parse csr: ${read.failure}`)
      return read.value.organizations.includes(privilegedGroup)
        ? refusal(request, `use of ${signer} signer with ${privilegedGroup} group is not allowed`)
        : undefined
    },
  }
}
