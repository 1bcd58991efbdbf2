/** The user names of service accounts. Source: specification, "Access-control resources". */

import type { ObjectName } from '../storage/contract.ts'

const prefix = 'system:serviceaccount:'
const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const subdomainLengthMax = 253

export function serviceAccountUserName({ namespace, name }: ObjectName): string {
  return `${prefix}${namespace}:${name}`
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
}

/** Undefined = not the name of a service account. */
export function splitServiceAccountName(user: string): ObjectName | undefined {
  if (!user.startsWith(prefix)) return undefined
  const [namespace = '', name = '', ...rest] = user.slice(prefix.length).split(':')
  const valid =
    rest.length === 0 && label.test(namespace) && subdomain.test(name) && name.length <= subdomainLengthMax
  return valid ? { namespace, name } : undefined
}
