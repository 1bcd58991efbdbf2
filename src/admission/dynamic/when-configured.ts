/** Admission by what is configured through the API: not before it is known, and not of the configuration itself. */

import type { ResourceType } from '../../types/resource.ts'
import type { AdmissionRequest, Verdict } from '../admission.ts'
import { whenKnown } from '../ready.ts'
import type { Followed } from './followed.ts'

/** Nothing that is configured may stand in the way of taking it away again. */
export function isExempt({ storage }: ResourceType): boolean {
  return storage?.prefix.startsWith('admissionregistration/') === true
}

/** Judges by what is configured, which is not judged itself. */
export function whenConfigured<T>(
  source: Followed<T>,
  request: AdmissionRequest,
  judge: (configured: T) => Verdict,
): Verdict {
  if (isExempt(request.type)) return undefined
  return whenKnown({ current: () => source.current, ready: source.ready }, request, judge)
}
