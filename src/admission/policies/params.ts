/** The objects that give a policy its parameters. Source: admissionregistration/v1 ParamKind, ParamRef. */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { JsonObject } from '../../json.ts'
import { selectorMatches } from '../../types/label-selector.ts'
import type { ApiObject } from '../../types/object.ts'
import type { Converted, ResourceType, TypeRegistry } from '../../types/resource.ts'
import { jsonOf } from '../dynamic/shown-as.ts'
import type { Lookups } from '../lookup.ts'
import type { ParamRef, Policy } from './policy.ts'

export interface ParamParts {
  readonly types: TypeRegistry
  readonly lookups: Lookups
}

/** Each is to be judged by; null = without parameters. The failure is a sentence. */
type Params = Result<readonly (JsonObject | null)[], string>

/** Undefined = the policy takes none; the failure: there is no such kind. */
export function paramTypeOf(
  { paramKind }: Policy,
  { types }: ParamParts,
): Result<ResourceType | undefined, string> {
  if (paramKind === undefined) return ok(undefined)
  const { apiVersion, kind } = paramKind
  const slash = apiVersion.indexOf('/')
  const type = types.kind(apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1), kind)
  return type?.storage === undefined
    ? fail(`failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`)
    : ok(type)
}

/** @param requestNamespace '' = the request is for an object of the cluster */
export async function findParams(
  type: ResourceType | undefined,
  ref: ParamRef | undefined,
  requestNamespace: string,
  { lookups }: ParamParts,
): Promise<Params> {
  if (type === undefined || ref === undefined) return ok([null])
  const namespace = ref.namespace === '' && type.namespaced ? requestNamespace : ref.namespace
  if (type.namespaced && namespace === '')
    return fail('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources')
  if (!type.namespaced && namespace !== '')
    return fail('paramRef.namespace must not be provided for a cluster-scoped `paramKind`')
  const found = await lookUp(type, ref, namespace, lookups)
  if (!found.ok) return found
  if (found.value.length > 0) {
    const shown = await shownIn(type, found.value)
    return shown.ok ? ok(shown.value.map(jsonOf)) : shown
  }
  return ref.mayBeAbsent
    ? ok([])
    : fail('no params found for policy binding with `Deny` parameterNotFoundAction')
}

/** In the version that the policy names. */
async function shownIn(type: ResourceType, stored: readonly ApiObject[]): Promise<Converted> {
  return type.conversion === undefined
    ? ok(stored.map((object) => type.fromStorage(object)))
    : type.conversion.read(structuredClone(stored))
}

async function lookUp(
  type: ResourceType,
  { name, selector }: ParamRef,
  namespace: string,
  lookups: Lookups,
): Promise<Result<readonly ApiObject[], string>> {
  const lookup = lookups(type.storage?.prefix ?? '')
  if (name !== '') {
    const found = await lookup.get({ namespace, name })
    if (!found.ok) return fail(found.failure.message)
    return ok(found.value === undefined ? [] : [found.value])
  }
  const all = await lookup.list(namespace)
  if (!all.ok) return fail(all.failure.message)
  return ok(all.value.filter(({ metadata }) => selectorMatches(selector, metadata.labels)))
}
