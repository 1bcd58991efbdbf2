/** Which container of a pod is meant. */

import { fail, ok } from '../../store/contract.ts'
import type { Checked } from '../registry/machinery.ts'
import { badRequest } from '../status/failures.ts'
import { objectAt, objectsAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'

/** @param asked '' = the only one that there is */
export function containerOf(pod: ApiObject, asked: string): Checked<string> {
  const spec = objectAt(pod, 'spec')
  const named = (list: string): readonly string[] => objectsAt(spec, list).map((one) => textAt(one, 'name'))
  const containers = named('containers')
  const init = named('initContainers')
  const ephemeral = named('ephemeralContainers')
  const { name } = pod.metadata
  if (asked !== '') {
    return [...init, ...containers, ...ephemeral].includes(asked)
      ? ok(asked)
      : fail(badRequest(`container ${asked} is not valid for pod ${name}`))
  }
  const [only] = containers
  if (only !== undefined && containers.length === 1) return ok(only)
  if (only === undefined) return fail(badRequest(`a container name must be specified for pod ${name}`))
  const others = [
    ...(init.length === 0 ? [] : [` or one of the init containers: [${init.join(' ')}]`]),
    ...(ephemeral.length === 0 ? [] : [` or one of the ephemeral containers: [${ephemeral.join(' ')}]`]),
  ]
  return fail(
    badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${containers.join(' ')}]${others.join('')}`,
    ),
  )
}
