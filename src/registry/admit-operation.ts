/** Admission of what is created on a subresource and not stored: a token, an eviction, a binding. */

import type { AdmissionRequest } from '../admission/admission.ts'
import type { ApiFailure } from '../status/status.ts'
import type { Machinery } from './machinery.ts'

/** Mutating plugins may change the object. Undefined = nobody refuses. */
export async function admitOperation(
  { admission }: Pick<Machinery, 'admission'>,
  operation: Omit<AdmissionRequest, 'operation'>,
): Promise<ApiFailure | undefined> {
  const request: AdmissionRequest = { ...operation, operation: 'CREATE' }
  return (await admission.mutate(request)) ?? (await admission.validate(request))
}
