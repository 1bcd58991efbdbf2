/** A new certificate request can be read, and whoever made it has the key. Behind whatever the administrator chose. */

import { readCertificateRequest } from '../../certificates/request.ts'
import { invalidValue } from '../../status/causes.ts'
import { invalid } from '../../status/failures.ts'
import { objectAt, textAt } from '../../types/draft.ts'
import type { AdmissionPlugin } from '../admission.ts'
import { created } from '../request.ts'
import { signingRequests } from './certificates.ts'

export const certificateRequestCheck: AdmissionPlugin = {
  name: 'CertificateRequestCheck',
  concerns: [signingRequests],
  async validate(request) {
    const object = created(request, signingRequests)
    if (object === undefined) return undefined
    const text = textAt(objectAt(object, 'spec'), 'request')
    const read = await readCertificateRequest(text)
    if (read.ok) return undefined
    const cause = invalidValue('spec.request', text, `unable to parse csr: ${read.failure}`)
    return invalid(request.type, request.name, [cause])
  },
}
