/** Admission of what is created on a subresource and not stored: a token, an eviction, a binding; of connections too. */

import type { AdmissionRequest } from '../admission/admission.ts'
import type { ApiFailure } from '../status/status.ts'
import type { Machinery } from './machinery.ts'

/** Mutating plugins may change the object. Undefined = nobody refuses. */
export async function admitOperation(
  { admission }: Pick<Machinery, 'admission'>,
  asked: Omit<AdmissionRequest, 'operation'>,
  operation: 'CREATE' | 'CONNECT' = 'CREATE',
): Promise<ApiFailure | undefined> {
  const request: AdmissionRequest = { ...asked, operation }
  return (await admission.mutate(request)) ?? (await admission.validate(request))
}
