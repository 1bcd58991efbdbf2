/** What a reader of a container's log asks for, as parameters of the request. Source: core/v1 PodLogOptions. */

import { fail, ok } from '../../store/contract.ts'
import type { Query } from '../pipeline/query.ts'
import type { Checked } from '../registry/machinery.ts'
import { canonicalTime } from '../schema/time.ts'
import { forbiddenField, invalidValue } from '../status/causes.ts'
import { badRequest, invalid } from '../status/failures.ts'
import type { Cause } from '../status/status.ts'

interface PodLogOptions {
  /** '' = the only one. */
  readonly container: string
  readonly insecureSkipTLSVerifyBackend: boolean
  /** The parameters that the node's agent is given, as it wants them. */
  readonly passedOn: URLSearchParams
}

const flags = ['follow', 'previous', 'timestamps'] as const
/** With the least that each may be. */
const counts = [
  ['sinceSeconds', 1],
  ['tailLines', 0],
  ['limitBytes', 1],
] as const

/** @param name of the pod, for messages */
export function readPodLogOptions(query: Query, name: string): Checked<PodLogOptions> {
  const passedOn = new URLSearchParams()
  const causes: Cause[] = []
  for (const flag of flags) if (query.flag(flag) === true) passedOn.set(flag, 'true')
  for (const [parameter, least] of counts) {
    const count = query.integer(parameter)
    if (!count.ok) return fail(badRequest(count.failure))
    if (count.value === undefined) continue
    if (count.value < least) causes.push(tooLittle(parameter, count.value, least))
    passedOn.set(parameter, String(count.value))
  }
  const sinceTime = query.text('sinceTime') ?? ''
  if (sinceTime !== '') {
    const time = canonicalTime(sinceTime)
    if (time === undefined)
      return fail(badRequest(`sinceTime is ${JSON.stringify(sinceTime)}, expected a time as of RFC 3339`))
    if (passedOn.has('sinceSeconds'))
      causes.push(forbiddenField('<nil>', 'at most one of `sinceTime` or `sinceSeconds` may be specified'))
    passedOn.set('sinceTime', time)
  }
  if (causes.length > 0) return fail(invalid({ group: '', kind: 'PodLogOptions' }, name, causes))
  return ok({
    container: query.text('container') ?? '',
    insecureSkipTLSVerifyBackend: query.flag('insecureSkipTLSVerifyBackend') === true,
    passedOn,
  })
}

function tooLittle(field: string, found: number, least: 0 | 1): Cause {
  return invalidValue(field, found, `must be greater than ${least === 0 ? 'or equal to ' : ''}0`)
}
