/** What a token is bound to: the pod, secret or node that a request for one names. */

import { fail, ok } from '../../../store/contract.ts'
import type { BoundClaims, ObjectRef } from '../../authn/service-account/claims.ts'
import type { JsonObject } from '../../json.ts'
import { badRequest, conflict, notFound } from '../../status/failures.ts'
import type { ApiFailure } from '../../status/status.ts'
import type { ObjectName } from '../../storage/contract.ts'
import { readApiFailure } from '../../storage/failures.ts'
import { parseObject } from '../../storage/record.ts'
import { objectAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { Checked, Machinery } from '../machinery.ts'

interface BindingParts {
  readonly machinery: Machinery
  /** Feature gates, as in `TokenGates`. */
  readonly gates: { readonly podNodes: boolean; readonly nodeBinding: boolean }
}

export type Bound = Pick<BoundClaims, 'pod' | 'secret' | 'node'>

/** Read from the quorum: what a token is bound to may have been made a moment ago. */
export async function boundTo(
  spec: JsonObject,
  account: ObjectName,
  { machinery, gates }: BindingParts,
): Promise<Checked<Bound>> {
  const reference = objectAt(spec, 'boundObjectRef')
  if (reference === undefined) return ok({})
  const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((field) => textAt(reference, field))
  const id = `${apiVersion}/${kind}`
  if (id === 'v1/Pod') {
    const pod = await stored('pods', { namespace: account.namespace, name: name ?? '' }, machinery)
    if (!pod.ok) return pod
    const { serviceAccountName, nodeName } = podFacts(pod.value)
    if (serviceAccountName !== account.name)
      return fail(
        badRequest(
          `cannot bind token for serviceaccount ${JSON.stringify(account.name)} to pod running with different serviceaccount name.`,
        ),
      )
    const moved = uidProblem(reference, 'Pod', pod.value)
    if (moved !== undefined) return fail(moved)
    const node = gates.podNodes && nodeName !== '' ? await nodeRef(nodeName, machinery) : undefined
    return ok({ pod: refOf(pod.value), ...(node === undefined ? {} : { node }) })
  }
  const place = id === 'v1/Secret' ? 'secrets' : id === 'v1/Node' && gates.nodeBinding ? 'nodes' : undefined
  if (place === undefined)
    return fail(badRequest(`cannot bind token to object of type ${gvkText(reference)}`))
  const namespace = place === 'nodes' ? '' : account.namespace
  const found = await stored(place, { namespace, name: name ?? '' }, machinery)
  if (!found.ok) return found
  const moved = uidProblem(reference, kind ?? '', found.value)
  if (moved !== undefined) return fail(moved)
  return ok(place === 'secrets' ? { secret: refOf(found.value) } : { node: refOf(found.value) })
}

function uidProblem(reference: JsonObject, kind: string, { metadata }: ApiObject): ApiFailure | undefined {
  const uid = textAt(reference, 'uid')
  return uid === '' || uid === metadata.uid
    ? undefined
    : conflict(
        { group: '', resource: kind },
        textAt(reference, 'name'),
        `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
      )
}

/** A node that is not registered is known by its name alone. */
async function nodeRef(name: string, machinery: Machinery): Promise<ObjectRef> {
  const node = await stored('nodes', { namespace: '', name }, machinery)
  return node.ok ? refOf(node.value) : { name, uid: '' }
}

function podFacts(pod: ApiObject): { readonly serviceAccountName: string; readonly nodeName: string } {
  const spec = objectAt(pod, 'spec')
  return { serviceAccountName: textAt(spec, 'serviceAccountName'), nodeName: textAt(spec, 'nodeName') }
}

function gvkText(reference: JsonObject): string {
  const [group, version] = textAt(reference, 'apiVersion').includes('/')
    ? textAt(reference, 'apiVersion').split('/')
    : ['', textAt(reference, 'apiVersion')]
  return `${group}/${version}, Kind=${textAt(reference, 'kind')}`
}

export async function stored(
  plural: string,
  name: ObjectName,
  { types, storage }: Machinery,
): Promise<Checked<ApiObject>> {
  const identity = types.resource('', 'v1', plural)?.storage
  if (identity === undefined) return fail(notFound({ group: '', resource: plural }, name.name))
  const found = await storage.resource(identity).get(name, { type: 'mostRecent' })
  if (!found.ok) return fail(readApiFailure(found.failure))
  return found.value === undefined
    ? fail(notFound({ group: '', resource: plural }, name.name))
    : ok(parseObject(found.value))
}

export function refOf({ metadata }: ApiObject): ObjectRef {
  return { name: metadata.name ?? '', uid: metadata.uid ?? '' }
}
