/** Admission by what is configured through the API: not before it is known, and not of the configuration itself. */

import type { ResourceType } from '../../types/resource.ts'
import type { AdmissionRequest, Verdict } from '../admission.ts'
import { refusal } from '../request.ts'
import type { Followed } from './followed.ts'

/** Nothing that is configured may stand in the way of taking it away again. */
export function isExempt({ storage }: ResourceType): boolean {
  return storage?.prefix.startsWith('admissionregistration/') === true
}

/** Judges by what is configured; answers at once where it is known and `judge` does. */
export function whenKnown<T>(
  source: Followed<T>,
  request: AdmissionRequest,
  judge: (configured: T) => Verdict,
): Verdict {
  if (isExempt(request.type)) return undefined
  const { current } = source
  if (current !== undefined) return judge(current)
  return source.ready().then((isReady) => {
    const known = source.current
    return isReady && known !== undefined ? judge(known) : refusal(request, 'not yet ready to handle request')
  })
}
