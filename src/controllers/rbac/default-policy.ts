/**
 * Makes the default roles and bindings, and restores what they have lost. Guarded like any write, so that more than
 * one process may run it.
 */

import type { PolicyObject } from '../../authz/rbac/defaults/notation.ts'
import { autoupdateAnnotation } from '../../authz/rbac/defaults/notation.ts'
import { defaultPolicy } from '../../authz/rbac/defaults/policy.ts'
import { reconciledBinding, reconciledRole } from '../../authz/rbac/reconcile.ts'
import { deleteOne } from '../../registry/delete.ts'
import type { Machinery, ResourceRoute } from '../../registry/machinery.ts'
import type { Router } from '../../registry/router.ts'
import type { CachedObject } from '../../storage/contract.ts'
import { parseObject } from '../../storage/record.ts'
import { everything } from '../../storage/selector/selector.ts'
import type { FeatureGates } from '../../types/feature-gates.ts'
import { systemManager, systemUser } from '../bootstrap.ts'
import { changeOwn, createOwn } from '../own-writes.ts'

const plurals = {
  ClusterRole: 'clusterroles',
  Role: 'roles',
  ClusterRoleBinding: 'clusterrolebindings',
  RoleBinding: 'rolebindings',
} as const

/** Returns what went wrong first; undefined = all is as it should be. */
export async function ensureDefaultPolicy(
  machinery: Machinery,
  router: Router,
  featureGates: FeatureGates,
): Promise<string | undefined> {
  const { names } = machinery
  const group = names.expand('rbac.authorization.{groups}')
  const { roles, bindings } = defaultPolicy(names, featureGates)
  const problems = await Promise.all(
    Object.entries(plurals).map(async ([kind, plural]) => {
      const route = router.route(group, 'v1', plural)
      const wanted = [...roles, ...bindings].filter((object) => object.kind === kind)
      return route === undefined ? undefined : ensureAll(wanted, route, machinery)
    }),
  )
  return problems.find((problem) => problem !== undefined)
}

async function ensureAll(
  wanted: readonly PolicyObject[],
  route: ResourceRoute,
  machinery: Machinery,
): Promise<string | undefined> {
  const found = await route.storage.list({ selector: everything, start: { type: 'mostRecent' } })
  if (!found.ok) return found.failure.code
  const stored = new Map(found.value.items.map((item) => [`${item.namespace}/${item.name}`, item]))
  const problems = await Promise.all(
    wanted.map((object) => {
      const { namespace = '', name } = object.metadata
      return ensureOne(object, stored.get(`${namespace}/${name}`), route, machinery)
    }),
  )
  return problems.find((problem) => problem !== undefined)
}

async function ensureOne(
  wanted: PolicyObject,
  stored: CachedObject | undefined,
  route: ResourceRoute,
  machinery: Machinery,
): Promise<string | undefined> {
  const write = { route, machinery, user: systemUser, manager: systemManager }
  const autoupdate = autoupdateAnnotation(machinery.names)
  if (stored !== undefined) {
    const reconciled = wanted.kind.endsWith('Binding') ? reconciledBinding : reconciledRole
    const verdict = reconciled(parseObject(stored), wanted, autoupdate)
    if (verdict === undefined) return undefined
    if (verdict !== 'recreate') {
      const changed = await changeOwn(write, stored, (object) => {
        const again = reconciled(object, wanted, autoupdate)
        return again === 'recreate' ? undefined : again
      })
      return changed.ok ? undefined : changed.failure.message
    }
    const deleted = await deleteOne(route, machinery, stored, systemUser, {
      kind: 'DeleteOptions',
      dryRun: false,
      gracePeriodSeconds: undefined,
      propagation: 'Background',
      uid: parseObject(stored).metadata.uid,
      resourceVersion: undefined,
      cascades: false,
    })
    if (!deleted.ok && deleted.failure.reason !== 'NotFound') return deleted.failure.message
  }
  const made = await createOwn(write, wanted)
  return made.ok || made.failure.reason === 'AlreadyExists' ? undefined : made.failure.message
}
