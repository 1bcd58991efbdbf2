/**
 * Roles and bindings by whom they concern. A change of a binding touches its subjects alone, a change of a role one
 * slot; a decision looks at the grants of one user and of that user's groups, in the whole cluster and in one
 * namespace.
 *
 *     binding ──▶ grants (one for each subject) ──▶ slot ──▶ role, or nothing yet
 *                   ▲ by user name, by group
 */

import type { User } from '../../pipeline/user.ts'
import type { ObjectName } from '../../storage/contract.ts'
import type { ApiObject } from '../../types/object.ts'
import { type CompiledRole, compileRole } from './compiled-role.ts'
import { type RoleRef, roleRefOf, rulesOf, type Subject, subjectsOf } from './rule.ts'

/** The place of a role: bindings may come before their role, and outlive it. */
interface Slot {
  role: CompiledRole | undefined
  uses: number
}

/** What one binding gives to one subject. */
export interface Grant {
  readonly slot: Slot
  readonly roleRef: RoleRef
  readonly subject: Subject
  /** Namespace '' = of the whole cluster. */
  readonly binding: ObjectName
  /** The answer when this grant allows; made on first use. */
  reason: string | undefined
}

class Grants {
  readonly byUser = new Map<string, Grant[]>()
  readonly byGroup = new Map<string, Grant[]>()

  get isEmpty(): boolean {
    return this.byUser.size === 0 && this.byGroup.size === 0
  }
}

interface BindingEntry {
  readonly slotKey: string
  readonly grants: readonly Grant[]
}

export class PolicyIndex {
  readonly #slots = new Map<string, Slot>()
  readonly #bindings = new Map<string, BindingEntry>()
  /** By namespace; '' = of the whole cluster. */
  readonly #scopes = new Map<string, Grants>()

  /** Role (with a namespace) or cluster role. */
  setRole(role: ApiObject): void {
    this.#slot(keyOf(role.metadata)).role = compileRole(rulesOf(role))
  }

  removeRole(name: ObjectName): void {
    const key = keyOf(name)
    const slot = this.#slots.get(key)
    if (slot === undefined) return
    slot.role = undefined
    this.#forgetUnused(key, slot)
  }

  role(name: ObjectName): CompiledRole | undefined {
    return this.#slots.get(keyOf(name))?.role
  }

  /** Role binding (with a namespace) or cluster role binding. */
  setBinding(object: ApiObject): void {
    const { namespace = '', name = '' } = object.metadata
    this.removeBinding({ namespace, name })
    const roleRef = roleRefOf(object)
    const slotKey = keyOf({ namespace: roleRef.kind === 'Role' ? namespace : '', name: roleRef.name })
    const slot = this.#slot(slotKey)
    slot.uses++
    const grants = subjectsOf(object).map(
      (subject): Grant => ({ slot, roleRef, subject, binding: { namespace, name }, reason: undefined }),
    )
    this.#bindings.set(keyOf({ namespace, name }), { slotKey, grants })
    const scope = this.#scope(namespace)
    for (const grant of grants) {
      const place = placeOf(scope, grant)
      if (place === undefined) continue
      const list = place.map.get(place.key)
      if (list === undefined) place.map.set(place.key, [grant])
      else list.push(grant)
    }
  }

  removeBinding(name: ObjectName): void {
    const key = keyOf(name)
    const entry = this.#bindings.get(key)
    if (entry === undefined) return
    this.#bindings.delete(key)
    const scope = this.#scope(name.namespace)
    for (const grant of entry.grants) removeGrant(scope, grant)
    if (scope.isEmpty) this.#scopes.delete(name.namespace)
    const slot = this.#slot(entry.slotKey)
    slot.uses--
    this.#forgetUnused(entry.slotKey, slot)
  }

  /** The first grant to the user that satisfies `test`: cluster-wide ones before those of the namespace ('' = none). */
  find(user: User, namespace: string, test: (grant: Grant) => boolean): Grant | undefined {
    const found = findIn(this.#scopes.get(''), user, test)
    if (found !== undefined || namespace === '') return found
    return findIn(this.#scopes.get(namespace), user, test)
  }

  #scope(namespace: string): Grants {
    let scope = this.#scopes.get(namespace)
    if (scope === undefined) {
      scope = new Grants()
      this.#scopes.set(namespace, scope)
    }
    return scope
  }

  #slot(key: string): Slot {
    let slot = this.#slots.get(key)
    if (slot === undefined) {
      slot = { role: undefined, uses: 0 }
      this.#slots.set(key, slot)
    }
    return slot
  }

  #forgetUnused(key: string, { role, uses }: Slot): void {
    if (role === undefined && uses === 0) this.#slots.delete(key)
  }
}

/** `/` is in no name. */
function keyOf({
  namespace = '',
  name = '',
}: {
  readonly namespace?: string
  readonly name?: string
}): string {
  return `${namespace}/${name}`
}

function findIn(grants: Grants | undefined, user: User, test: (grant: Grant) => boolean): Grant | undefined {
  if (grants === undefined) return undefined
  const own = grants.byUser.get(user.name)
  if (own !== undefined) for (const grant of own) if (test(grant)) return grant
  for (const group of user.groups) {
    const shared = grants.byGroup.get(group)
    if (shared !== undefined) for (const grant of shared) if (test(grant)) return grant
  }
  return undefined
}

/** Where a grant is found; undefined = its subject is nobody. */
function placeOf(
  scope: Grants,
  { subject, binding }: Grant,
): { readonly map: Map<string, Grant[]>; readonly key: string } | undefined {
  switch (subject.kind) {
    case 'User':
      return { map: scope.byUser, key: subject.name }
    case 'Group':
      return { map: scope.byGroup, key: subject.name }
    case 'ServiceAccount': {
      const namespace = subject.namespace === '' ? binding.namespace : subject.namespace
      if (namespace === '') return undefined
      return { map: scope.byUser, key: `system:serviceaccount:${namespace}:${subject.name}` }
    }
    default:
      return undefined
  }
}

function removeGrant(scope: Grants, grant: Grant): void {
  const place = placeOf(scope, grant)
  const list = place?.map.get(place.key)
  if (place === undefined || list === undefined) return
  const at = list.indexOf(grant)
  if (at >= 0) list.splice(at, 1)
  if (list.length === 0) place.map.delete(place.key)
}
