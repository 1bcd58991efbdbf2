/** Shorthand for what is authorized: `get core pods/log web in default`. */

import type { RequestAttributes } from '../../../src/authz/authorizer.ts'
import type { User } from '../../../src/pipeline/user.ts'

/**
 * `<verb> /path`, or `<verb> <group> <resource>[/<subresource>] [<name>] [in <namespace>]`; `core` is the group without
 * a name.
 */
export function attributes(text: string): RequestAttributes {
  const [target = '', namespace = ''] = text.split(' in ')
  const [verb = '', group = '', path = '', name = ''] = target.split(' ')
  if (group.startsWith('/')) return { type: 'nonResource', verb, path: group }
  const [resource = '', subresource = ''] = path.split('/')
  return {
    type: 'resource',
    verb,
    group: group === 'core' ? '' : group,
    version: 'v1',
    namespace,
    resource,
    subresource,
    name,
  }
}

export function userOf(name: string, ...groups: readonly string[]): User {
  return { name, uid: '', groups, extra: new Map() }
}
