/** Whether a rule of a webhook or a policy names a request. Source: admissionregistration/v1 Rule. */

import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { AdmissionRequest, Operation } from '../admission.ts'
import type { ShownAs } from './shown-as.ts'

export interface Rule {
  readonly operations: readonly string[]
  readonly apiGroups: readonly string[]
  readonly apiVersions: readonly string[]
  /** `pods`, `pods/status`, `*`, `pods/*`, … */
  readonly resources: readonly string[]
  readonly scope: string
  /** Empty = whatever the name. */
  readonly resourceNames: readonly string[]
}

function ruleOf(rule: JsonObject): Rule {
  const { scope } = rule
  return {
    operations: texts(rule['operations']),
    apiGroups: texts(rule['apiGroups']),
    apiVersions: texts(rule['apiVersions']),
    resources: texts(rule['resources']),
    scope: typeof scope === 'string' ? scope : '*',
    resourceNames: texts(rule['resourceNames']),
  }
}

export function rulesOf(list: JsonValue | undefined): readonly Rule[] {
  return Array.isArray(list) ? list.filter(isJsonObject).map(ruleOf) : []
}

function texts(list: JsonValue | undefined): readonly string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []
}

/** Whether the rule names the request as it is shown in this version. */
export function ruleMatches(rule: Rule, request: AdmissionRequest, { resource }: ShownAs): boolean {
  return (
    has(rule.operations, request.operation) &&
    has(rule.apiGroups, resource.group) &&
    has(rule.apiVersions, resource.version) &&
    rule.resources.some((one) => resourceMatches(one, resource.resource, request.subresource)) &&
    scopeMatches(rule, request) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(request.name))
  )
}

function has(values: readonly string[], value: string): boolean {
  return values.includes('*') || values.includes(value)
}

/** `*` means all resources but no subresources; the part behind a slash must be named, or `*`. */
function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  const [wanted = '', wantedSub = ''] = pattern.split('/', 2)
  return (wanted === '*' || wanted === resource) && (wantedSub === '*' || wantedSub === subresource)
}

/** A namespace is an object of the cluster, though its requests name it as their namespace. */
function scopeMatches({ scope }: Rule, { type }: AdmissionRequest): boolean {
  switch (scope) {
    case 'Namespaced':
      return type.namespaced
    case 'Cluster':
      return !type.namespaced
    default:
      return true
  }
}

/** Whether any rule could name a write of this resource, whatever else it asks for: says who need not be asked. */
export function mayConcern(rules: readonly Rule[], plural: string, operation: Operation): boolean {
  return rules.some(
    ({ operations, resources }) =>
      has(operations, operation) &&
      resources.some((pattern) => ['*', plural].includes(pattern.split('/', 1)[0] ?? '')),
  )
}
