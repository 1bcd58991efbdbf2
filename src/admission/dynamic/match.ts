/** Which requests a webhook, a policy or its binding is about, by resource, namespace and labels. */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { JsonObject } from '../../json.ts'
import type { ApiFailure } from '../../status/status.ts'
import { conversionFailure } from '../../storage/failures.ts'
import { objectAt, textAt } from '../../types/draft.ts'
import type { TypeRegistry } from '../../types/resource.ts'
import type { AdmissionRequest } from '../admission.ts'
import type { Lookup } from '../lookup.ts'
import { type Rule, ruleMatches, rulesOf } from './rules.ts'
import { namespaceMatches, type ObjectSelector, objectMatches } from './selectors.ts'
import { otherVersions, type ShownAs, shownAsRequested } from './shown-as.ts'

export interface ResourceMatch {
  readonly rules: readonly Rule[]
  /** What is left out again. */
  readonly excludeRules: readonly Rule[]
  /** Other versions of a resource than those that rules name are meant, too. */
  readonly equivalent: boolean
  readonly namespaceSelector: ObjectSelector
  readonly objectSelector: ObjectSelector
}

export interface MatchParts {
  readonly types: TypeRegistry
  readonly namespaces: Lookup
}

/** `source`: a webhook (`rules`), or the matchConstraints or matchResources of a policy (`resourceRules`). */
export function resourceMatchOf(source: JsonObject, rules: 'rules' | 'resourceRules'): ResourceMatch {
  return {
    rules: rulesOf(source[rules]),
    excludeRules: rulesOf(source['excludeResourceRules']),
    equivalent: textAt(source, 'matchPolicy') !== 'Exact',
    namespaceSelector: objectAt(source, 'namespaceSelector'),
    objectSelector: objectAt(source, 'objectSelector'),
  }
}

/** The version in which it is about the request; undefined = it is not. The failure: the namespace cannot be found. */
export async function matchRequest(
  match: ResourceMatch,
  request: AdmissionRequest,
  parts: MatchParts,
): Promise<Result<ShownAs | undefined, ApiFailure>> {
  const shown = versionNamed(match.rules, match, request, parts.types)
  if (shown === undefined) return ok(undefined)
  const found = await narrowed(match, shown, request, parts)
  if (!found.ok || found.value?.prepare === undefined) return found
  const prepared = await found.value.prepare(request)
  return prepared.ok ? found : fail(conversionFailure(prepared.failure))
}

/** The same for what narrows a choice that is made already: without rules it is about every resource. */
export async function matchFurther(
  match: ResourceMatch,
  shown: ShownAs,
  request: AdmissionRequest,
  parts: MatchParts,
): Promise<Result<boolean, ApiFailure>> {
  const isNamed =
    match.rules.length === 0 || versionNamed(match.rules, match, request, parts.types) !== undefined
  if (!isNamed) return ok(false)
  const found = await narrowed(match, shown, request, parts)
  return found.ok ? ok(found.value !== undefined) : found
}

async function narrowed(
  match: ResourceMatch,
  shown: ShownAs,
  request: AdmissionRequest,
  { types, namespaces }: MatchParts,
): Promise<Result<ShownAs | undefined, ApiFailure>> {
  if (!objectMatches(match.objectSelector, request)) return ok(undefined)
  if (versionNamed(match.excludeRules, match, request, types) !== undefined) return ok(undefined)
  const inNamespace = await namespaceMatches(match.namespaceSelector, request, namespaces)
  if (!inNamespace.ok) return inNamespace
  return ok(inNamespace.value ? shown : undefined)
}

/** The version that a rule names: that of the request, or for an equivalent match another; earlier rules first. */
function versionNamed(
  rules: readonly Rule[],
  { equivalent }: ResourceMatch,
  request: AdmissionRequest,
  types: TypeRegistry,
): ShownAs | undefined {
  if (rules.length === 0) return undefined
  const requested = shownAsRequested(request)
  if (rules.some((rule) => ruleMatches(rule, request, requested))) return requested
  if (!equivalent) return undefined
  const others = otherVersions(types, request)
  for (const rule of rules) {
    const found = others.find((shown) => ruleMatches(rule, request, shown))
    if (found !== undefined) return found
  }
  return undefined
}
