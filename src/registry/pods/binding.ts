/**
 * pods/binding, and bindings: puts a pod on a node, once. For schedulers. Source: specification, "Operations" (subresources).
 */

import { fail, ok } from '../../../store/contract.ts'
import { forbiddenField, notSupported, required } from '../../status/causes.ts'
import { badRequest, conflict, invalid } from '../../status/failures.ts'
import type { ApiFailure, Cause } from '../../status/status.ts'
import { draftOf, ensureObject, objectAt, objectsAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { Subresource } from '../../types/resource.ts'
import type { Creator } from '../facet.ts'
import { guardedWrite } from '../guarded-write.ts'
import { type Checked, timestamp } from '../machinery.ts'
import { isTerminating } from '../metadata.ts'
import { setCondition } from './condition.ts'
import { operateOnPod } from './created.ts'

export function bindingCreator(subresource: Subresource): Creator {
  return (route, request, machinery) =>
    operateOnPod(route, request, machinery, subresource, async ({ body, name, options }) => {
      const target = objectAt(body, 'target') ?? {}
      if (name.name === '') return fail(badRequest('Name parameter required.'))
      const causes = targetCauses(textAt(target, 'kind'), textAt(target, 'name'))
      if (causes.length > 0) return fail(invalid(subresource.kind, body.metadata.name ?? '', causes))
      const now = timestamp(machinery.clock)
      return guardedWrite(route, {
        name,
        dryRun: options.dryRun,
        async change(old) {
          const bound = bind(old, body, textAt(target, 'name'), now)
          if (!bound.ok) return bound
          const object = machinery.schema.normalize(route.type.storageMessage, bound.value)
          // Nobody owns the name of the node: it is the server that writes it.
          return ok({ type: 'write', object })
        },
      })
    })
}

function targetCauses(kind: string, name: string): readonly Cause[] {
  return [
    ...(kind === '' || kind === 'Node' ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(name === '' ? [required('target.name')] : []),
  ]
}

/** The pod (storage version) on the node. */
function bind(old: ApiObject, binding: ApiObject, node: string, now: string): Checked<ApiObject> {
  const problem = bindProblem(old, binding)
  if (problem !== undefined) return fail(problem)
  const pod = structuredClone(old)
  const { annotations } = binding.metadata
  if (annotations !== undefined) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations }
  ensureObject(draftOf(pod), 'spec')['nodeName'] = node
  setCondition(pod, { type: 'PodScheduled', status: 'True' }, now)
  return ok(pod)
}

function bindProblem(pod: ApiObject, { metadata }: ApiObject): ApiFailure | undefined {
  const { name = '', uid, resourceVersion } = pod.metadata
  const refuse = (why: string): ApiFailure => conflict({ group: '', resource: 'pods/binding' }, name, why)
  if ((metadata.uid ?? uid) !== uid)
    return refuse(
      `Precondition failed: UID in precondition: ${metadata.uid ?? ''}, UID in object meta: ${uid ?? ''}`,
    )
  if ((metadata.resourceVersion ?? resourceVersion) !== resourceVersion)
    return refuse(
      `Precondition failed: ResourceVersion in precondition: ${metadata.resourceVersion ?? ''}, ResourceVersion in object meta: ${resourceVersion ?? ''}`,
    )
  if (isTerminating(pod)) return refuse(`pod ${name} is being deleted, cannot be assigned to a host`)
  const spec = objectAt(pod, 'spec')
  const node = textAt(spec, 'nodeName')
  if (node !== '') return refuse(`pod ${name} is already assigned to node ${JSON.stringify(node)}`)
  if (objectsAt(spec, 'schedulingGates').length === 0) return undefined
  return invalid({ group: '', kind: 'Binding' }, name, [
    forbiddenField('spec.schedulingGates', `pod ${name} has non-empty .spec.schedulingGates`),
  ])
}
