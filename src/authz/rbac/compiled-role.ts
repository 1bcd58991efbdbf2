/**
 * A role made ready for decisions: its rules by what they name, so that a request looks only at rules that can match.
 *
 * Source: specification, "Access-control resources"; the matching rules that users of this API know.
 */

import type { RequestAttributes } from '../authorizer.ts'
import type { PolicyRule } from './rule.ts'

/** A request with the texts that rules are found by, made once for each decision. */
type Question =
  | {
      readonly type: 'resource'
      readonly verb: string
      readonly group: string
      /** `pods`, `pods/log`. */
      readonly resource: string
      /** An asterisk and `/log`; '' = the request names no subresource. */
      readonly anyWithSubresource: string
      /** '' = no single object. */
      readonly name: string
    }
  | { readonly type: 'nonResource'; readonly verb: string; readonly path: string }

/** What is the same for all rules, found out once for a request. */
export function questionOf(request: RequestAttributes): Question {
  if (request.type === 'nonResource') return request
  const { verb, group, resource, subresource, name } = request
  const named = subresource !== ''
  return {
    type: 'resource',
    verb,
    group,
    resource: named ? `${resource}/${subresource}` : resource,
    anyWithSubresource: named ? `*/${subresource}` : '',
    name,
  }
}

export interface CompiledRole {
  readonly rules: readonly PolicyRule[]
  allows(question: Question): boolean
}

/** Rules by resource, so that a decision looks only at those that may speak of it. */
export function compileRole(rules: readonly PolicyRule[]): CompiledRole {
  const byResource = new Map<string, PolicyRule[]>()
  const ofAll: PolicyRule[] = []
  const ofPaths: PolicyRule[] = []
  for (const rule of rules) {
    if (rule.nonResourceURLs.length > 0) ofPaths.push(rule)
    if (rule.resources.includes('*')) ofAll.push(rule)
    else for (const resource of new Set(rule.resources)) append(byResource, resource, rule)
  }

  return {
    rules,
    allows(question) {
      if (question.type === 'nonResource') {
        for (const rule of ofPaths) {
          if (has(rule.verbs, question.verb) && pathMatches(rule.nonResourceURLs, question.path)) return true
        }
        return false
      }
      if (anyAllows(byResource.get(question.resource), question) || anyAllows(ofAll, question)) return true
      const { anyWithSubresource } = question
      return anyWithSubresource !== '' && anyAllows(byResource.get(anyWithSubresource), question)
    },
  }
}

function append(map: Map<string, PolicyRule[]>, key: string, rule: PolicyRule): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [rule])
  else list.push(rule)
}

/** The rules are of the right resource. */
function anyAllows(
  rules: readonly PolicyRule[] | undefined,
  { verb, group, name }: Extract<Question, { type: 'resource' }>,
): boolean {
  if (rules === undefined) return false
  for (const { verbs, apiGroups, resourceNames } of rules) {
    if (!has(verbs, verb) || !has(apiGroups, group)) continue
    if (resourceNames.length === 0 || resourceNames.includes(name)) return true
  }
  return false
}

function has(list: readonly string[], wanted: string): boolean {
  for (const one of list) if (one === wanted || one === '*') return true
  return false
}

/** One path, or with a trailing asterisk all that begin so. */
function pathMatches(patterns: readonly string[], path: string): boolean {
  for (const pattern of patterns) {
    if (pattern === path || pattern === '*') return true
    if (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, ''))) return true
  }
  return false
}
