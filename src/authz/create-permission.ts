/**
 * What a replacement or an apply makes anew needs the permission to create it too: the request itself has only been
 * judged as an update or a patch. An admission step, since nothing before the write knows which of both it is.
 *
 * Source: specification, "Authorization" 4.
 */

import type { AdmissionPlugin } from '../admission/admission.ts'
import { type Authorizer, type Decision, denial } from './authorizer.ts'

export function createCreatePermission(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CreatePermission',
    mutate({ operation, type, subresource, namespace, name, user }) {
      if (operation !== 'CREATE') return undefined
      const { group, version, plural: resource } = type
      const attributes = {
        user,
        request: { type: 'resource', verb: 'create', group, version, namespace, resource, subresource, name },
      } as const
      const judge = ({ decision, reason }: Decision) =>
        decision === 'allow' ? undefined : denial(attributes, reason)
      const decided = authorizer.authorize(attributes)
      return decided instanceof Promise ? decided.then(judge) : judge(decided)
    },
  }
}
