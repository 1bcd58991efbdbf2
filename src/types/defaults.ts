/**
 * The default rules of all types, by message id. Plain values stand in the schema (`(default)`); a rule is for what
 * depends on something. It runs when the plain values of its own message are set, before those of its members.
 */

import type { DefaultRule, Draft } from '../schema/defaults.ts'
import { appsDefaults } from './apps/defaults.ts'
import { autoscalingDefaults } from './autoscaling/defaults.ts'
import { batchDefaults } from './batch/defaults.ts'
import { coreDefaults } from './core/defaults.ts'
import type { DefaultOptions, DefaultRules } from './default-rules.ts'
import { ensureObject, objectAt, objectsAt, setDefault, textAt } from './draft.ts'

const groups: readonly DefaultRules[] = [
  coreDefaults,
  appsDefaults,
  batchDefaults,
  autoscalingDefaults,
  // Groups with one rule each.
  () => ({ 'networking/v1.NetworkPolicySpec': policyTypes }),
  () => ({
    'networking/v1.IngressClassParametersReference': (reference) => setDefault(reference, 'scope', 'Cluster'),
  }),
  ({ names }) => ({ 'rbac/v1.Subject': subject(names.expand('rbac.authorization.{groups}')) }),
  ({ names }) => ({
    'flowcontrol/v1beta3.PriorityLevelConfiguration': shares(
      names.expand('flowcontrol.{groups}/v1beta3-preserve-zero-concurrency-shares'),
    ),
  }),
  () => ({
    'apiextensions/v1.CustomResourceDefinitionSpec': definitionNames,
    'apiextensions/v1.CustomResourceDefinition': storedVersions,
  }),
]

export function defaultRules(options: DefaultOptions): ReadonlyMap<string, DefaultRule> {
  return new Map(groups.flatMap((rules) => Object.entries(rules(options))))
}

function policyTypes(spec: Draft): void {
  if (Array.isArray(spec['policyTypes']) && spec['policyTypes'].length > 0) return
  spec['policyTypes'] = objectsAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress']
}

function subject(group: string) {
  return (object: Draft): void => {
    if (textAt(object, 'apiGroup') !== '') return
    if (object['kind'] === 'User' || object['kind'] === 'Group') object['apiGroup'] = group
  }
}

/** v1beta3 has no pointer for it: zero means absent unless the annotation says that zero was meant. */
function shares(annotation: string) {
  return (object: Draft): void => {
    const limited = objectAt(object, 'spec', 'limited')
    const zeroIsMeant = objectAt(object, 'metadata', 'annotations')?.[annotation] !== undefined
    if (limited === undefined || zeroIsMeant) return
    if ((limited['nominalConcurrencyShares'] ?? 0) === 0) limited['nominalConcurrencyShares'] = 30
  }
}

function definitionNames(spec: Draft): void {
  const names = ensureObject(spec, 'names')
  const kind = textAt(names, 'kind')
  if (kind === '') return
  if (textAt(names, 'singular') === '') names['singular'] = kind.toLowerCase()
  if (textAt(names, 'listKind') === '') names['listKind'] = `${kind}List`
}

function storedVersions(object: Draft): void {
  const status = ensureObject(object, 'status')
  if (Array.isArray(status['storedVersions']) && status['storedVersions'].length > 0) return
  const stored = objectsAt(objectAt(object, 'spec'), 'versions').find(
    (version) => version['storage'] === true,
  )
  if (stored !== undefined) status['storedVersions'] = [textAt(stored, 'name')]
}
