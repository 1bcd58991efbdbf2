/**
 * Acting as somebody else: what the `Impersonate-` headers ask for, whether the caller may, and who the request is from
 * then on.
 *
 * Source: specification, "Impersonation".
 */

import { type Authorizer, denial, type ResourceAttributes } from '../authz/authorizer.ts'
import type { Names } from '../names/names.ts'
import type { Exchange } from '../pipeline/exchange.ts'
import type { User } from '../pipeline/user.ts'
import { internalError } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'
import { anonymousName, authenticatedGroup, unauthenticatedGroup } from './authenticate.ts'
import { decodeExtraKey } from './extra-key.ts'
import { serviceAccountGroups, splitServiceAccountName } from './service-account-name.ts'

/** Everything that the headers name, in order: each needs permission. */
interface Impersonation {
  /** '' = not given. */
  readonly user: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: readonly { readonly key: string; readonly value: string }[]
}

const extraPrefix = 'impersonate-extra-'

/** Undefined = the caller acts as themselves. */
export function readImpersonation(exchange: Exchange): Impersonation | undefined {
  const names = exchange.headerNames().filter((name) => name.startsWith('impersonate-'))
  if (names.length === 0) return undefined
  const extra = [...new Set(names)]
    .filter((name) => name.startsWith(extraPrefix))
    .flatMap((name) =>
      exchange
        .headerValues(name)
        .map((value) => ({ key: decodeExtraKey(name.slice(extraPrefix.length)), value })),
    )
  const user = exchange.headerValues('impersonate-user')[0] ?? ''
  const uid = exchange.headerValues('impersonate-uid')[0] ?? ''
  const groups = exchange.headerValues('impersonate-group')
  return user === '' && uid === '' && groups.length + extra.length === 0
    ? undefined
    : { user, uid, groups, extra }
}

type Impersonated =
  | { readonly type: 'user'; readonly user: User }
  | { readonly type: 'refused'; readonly failure: ApiFailure }

/** Checks every part; the first that is not allowed ends the request. */
export async function impersonate(
  caller: User,
  asked: Impersonation,
  authorizer: Authorizer,
  names: Names,
): Promise<Impersonated> {
  if (asked.user === '') {
    const what = JSON.stringify({ groups: asked.groups, uid: asked.uid, extra: asked.extra })
    return { type: 'refused', failure: internalError(`requested ${what} without impersonating a user`) }
  }
  for (const request of permissionsFor(asked, names)) {
    const { decision, reason } = await authorizer.authorize({ user: caller, request })
    if (decision !== 'allow') return { type: 'refused', failure: denial({ user: caller, request }, reason) }
  }
  return { type: 'user', user: impersonatedUser(asked) }
}

function permissionsFor({ user, uid, groups, extra }: Impersonation, names: Names): ResourceAttributes[] {
  const group = names.expand('authentication.{groups}')
  const core = (resource: string, name: string, namespace = ''): ResourceAttributes => ({
    type: 'resource',
    verb: 'impersonate',
    group: '',
    version: 'v1',
    namespace,
    resource,
    subresource: '',
    name,
  })
  const account = splitServiceAccountName(user)
  return [
    account === undefined ? core('users', user) : core('serviceaccounts', account.name, account.namespace),
    ...groups.map((name) => core('groups', name)),
    ...extra.map(({ key, value }) => ({ ...core('userextras', value), group, subresource: key })),
    ...(uid === '' ? [] : [{ ...core('uids', uid), group }]),
  ]
}

function impersonatedUser({ user, uid, groups, extra }: Impersonation): User {
  const account = splitServiceAccountName(user)
  const own = groups.length === 0 && account !== undefined ? serviceAccountGroups(account.namespace) : groups
  const values = new Map<string, string[]>()
  for (const { key, value } of extra) values.set(key, [...(values.get(key) ?? []), value])
  return { name: user, uid, groups: withStanding(user, own), extra: values }
}

/** Everybody but the anonymous user is authenticated, unless the groups say otherwise. */
function withStanding(user: string, groups: readonly string[]): readonly string[] {
  if (user === anonymousName)
    return groups.includes(unauthenticatedGroup) ? groups : [...groups, unauthenticatedGroup]
  const said = groups.includes(authenticatedGroup) || groups.includes(unauthenticatedGroup)
  return said ? groups : [...groups, authenticatedGroup]
}
