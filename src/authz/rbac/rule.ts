/** Rules of roles as values, read from stored objects. Source: specification, "Access-control resources". */

import { isJsonObject, type JsonValue } from '../../json.ts'
import type { ApiObject, ObjectMeta } from '../../types/object.ts'

/** Absent lists are empty. */
export interface PolicyRule {
  readonly verbs: readonly string[]
  /** '' is the core group; `*` all. */
  readonly apiGroups: readonly string[]
  /** `pods`, `pods/log`, `*` (all, subresources too), an asterisk and `/scale` (that subresource of all). */
  readonly resources: readonly string[]
  /** Empty = any name, and no name. */
  readonly resourceNames: readonly string[]
  /** `/healthz`, `/healthz/*`, `*`. */
  readonly nonResourceURLs: readonly string[]
}

export interface Subject {
  readonly kind: string
  readonly name: string
  /** Of service accounts alone; '' = the namespace of the binding. */
  readonly namespace: string
}

export interface RoleRef {
  readonly apiGroup: string
  /** `Role` or `ClusterRole`. */
  readonly kind: string
  readonly name: string
}

type Field = JsonValue | ObjectMeta | undefined

/** The rules of a role, as they are stored; none where there are none. */
export function rulesOf(role: ApiObject): readonly PolicyRule[] {
  return objects(role['rules']).map((rule) => ({
    verbs: texts(rule['verbs']),
    apiGroups: texts(rule['apiGroups']),
    resources: texts(rule['resources']),
    resourceNames: texts(rule['resourceNames']),
    nonResourceURLs: texts(rule['nonResourceURLs']),
  }))
}

/** Who is bound, as it is stored. */
export function subjectsOf(binding: ApiObject): readonly Subject[] {
  return objects(binding['subjects']).map((subject) => ({
    kind: text(subject['kind']),
    name: text(subject['name']),
    namespace: text(subject['namespace']),
  }))
}

/** The role that a binding gives. */
export function roleRefOf(binding: ApiObject): RoleRef {
  const given = binding['roleRef']
  const ref = isJsonObject(given) ? given : {}
  return { apiGroup: text(ref['apiGroup']), kind: text(ref['kind']), name: text(ref['name']) }
}

/** As it is written into objects: lists that are empty are left out. */
export function ruleJson(rule: PolicyRule): { readonly [field: string]: readonly string[] } {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule
  return {
    verbs,
    ...(apiGroups.length > 0 ? { apiGroups } : {}),
    ...(resources.length > 0 ? { resources } : {}),
    ...(resourceNames.length > 0 ? { resourceNames } : {}),
    ...(nonResourceURLs.length > 0 ? { nonResourceURLs } : {}),
  }
}

function objects(list: Field): readonly { readonly [key: string]: JsonValue | undefined }[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : []
}

function texts(list: JsonValue | undefined): readonly string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
