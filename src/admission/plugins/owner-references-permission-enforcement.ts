/**
 * OwnerReferencesPermissionEnforcement: who changes the owners of an object needs the right to delete it, since that may
 * delete it; and who makes an owner wait for it (`blockOwnerDeletion`) needs the right to set the owner's finalizers.
 *
 * Source: specification, "Plugin behaviors"; the plugin of that name of the Kubernetes API.
 */

import type { Authorizer, Decision, ResourceAttributes } from '../../authz/authorizer.ts'
import type { ApiFailure } from '../../status/status.ts'
import type { ApiObject, OwnerReference } from '../../types/object.ts'
import type { TypeRegistry } from '../../types/resource.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import { isOf, pods, refusal } from '../request.ts'

export function createOwnerReferencesPermissionEnforcement(
  types: Pick<TypeRegistry, 'kind'>,
  authorizer: Authorizer,
): AdmissionPlugin {
  const ask = async (
    { user }: AdmissionRequest,
    request: Omit<ResourceAttributes, 'type'>,
  ): Promise<Decision> => authorizer.authorize({ user, request: { type: 'resource', ...request } })

  function mayDelete(request: AdmissionRequest): Promise<Decision> {
    const { type, namespace, name, subresource } = request
    const { group, version, plural: resource } = type
    return ask(request, { verb: 'delete', group, version, namespace, resource, subresource, name })
  }

  async function blockingProblem(
    request: AdmissionRequest,
    reference: OwnerReference,
  ): Promise<string | undefined> {
    const { apiVersion, kind, name } = reference
    const slash = apiVersion.indexOf('/')
    const [group, version] =
      slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)]
    const owner = types.kind(group, version, kind)
    if (owner === undefined) {
      return `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`
    }
    const { decision, reason } = await ask(request, {
      verb: 'update',
      group,
      version,
      namespace: owner.namespaced ? request.namespace : '',
      resource: owner.plural,
      subresource: 'finalizers',
      name,
    })
    return decision === 'allow'
      ? undefined
      : `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${reason}, <nil>`
  }

  async function check(
    request: AdmissionRequest,
    blocking: readonly OwnerReference[],
  ): Promise<ApiFailure | undefined> {
    const { decision, reason } = await mayDelete(request)
    if (decision !== 'allow')
      return refusal(request, `cannot set an ownerRef on a resource you can't delete: ${reason}, <nil>`)
    for (const reference of blocking) {
      const problem = await blockingProblem(request, reference)
      if (problem !== undefined) return refusal(request, problem)
    }
    return undefined
  }

  return {
    name: 'OwnerReferencesPermissionEnforcement',
    validate(request) {
      const { object, oldObject, subresource } = request
      if (object === undefined || (isOf(request, pods) && subresource === 'status')) return undefined
      const [after, before] = [ownersOf(object), ownersOf(oldObject)]
      if (JSON.stringify(after) === JSON.stringify(before)) return undefined
      return check(request, newlyBlocking(after, before))
    },
  }
}

function ownersOf(object: ApiObject | undefined): readonly OwnerReference[] {
  return object?.metadata.ownerReferences ?? []
}

function newlyBlocking(
  after: readonly OwnerReference[],
  before: readonly OwnerReference[],
): readonly OwnerReference[] {
  const blocked = new Set(before.filter((owner) => owner.blockOwnerDeletion === true).map(({ uid }) => uid))
  return after.filter(({ blockOwnerDeletion, uid }) => blockOwnerDeletion === true && !blocked.has(uid))
}
