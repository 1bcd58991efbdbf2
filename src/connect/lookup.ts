/** The objects that a connection goes by. */

import { fail, ok } from '../../store/contract.ts'
import type { Checked, Machinery } from '../registry/machinery.ts'
import { notFound } from '../status/failures.ts'
import type { ObjectName } from '../storage/contract.ts'
import { readApiFailure } from '../storage/failures.ts'
import { parseObject } from '../storage/record.ts'
import { objectAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'

type Plural = 'pods' | 'nodes' | 'services' | 'endpoints'

/** As it is now; 404 when it is not there. */
export async function find(
  plural: Plural,
  name: ObjectName,
  { types, storage }: Machinery,
): Promise<Checked<ApiObject>> {
  const ref = { group: '', resource: plural }
  const identity = types.resource('', 'v1', plural)?.storage
  if (identity === undefined) return fail(notFound(ref, name.name))
  const found = await storage.resource(identity).get(name, { type: 'mostRecent' })
  if (!found.ok) return fail(readApiFailure(found.failure))
  return found.value === undefined ? fail(notFound(ref, name.name)) : ok(parseObject(found.value))
}

/** '' = the pod is not scheduled. */
export function nodeNameOf(pod: ApiObject): string {
  return textAt(objectAt(pod, 'spec'), 'nodeName')
}
