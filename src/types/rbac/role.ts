/** Roles: what may be done to what. Source: specification, "Access-control resources". */

import type { JsonObject } from '../../json.ts'
import { invalidValue, required } from '../../status/causes.ts'
import type { ModuleFactory } from '../module.ts'
import { type Causes, checkNotEmpty } from '../validation/checks.ts'
import { isValidSelector } from '../validation/labels.ts'
import { itemsIn, jsonOf, objectIn, textsIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'

export const role: ModuleFactory = () => ({
  strategy: { validate: validates((causes, object) => checkRules(causes, jsonOf(object), true)) },
})

export const clusterRole: ModuleFactory = () => ({
  strategy: {
    validate: validates((causes, object) => {
      const json = jsonOf(object)
      checkRules(causes, json, false)
      checkAggregation(causes, json)
    }),
  },
})

function checkRules(causes: Causes, object: JsonObject, namespaced: boolean): void {
  for (const [i, rule] of itemsIn(object, 'rules').entries()) {
    checkRule(causes, `rules[${i}]`, rule, namespaced)
  }
}

function checkRule(causes: Causes, path: string, rule: JsonObject, namespaced: boolean): void {
  checkNotEmpty(causes, path, rule, 'verbs', 'verbs must contain at least one value')
  const urls = textsIn(rule, 'nonResourceURLs')
  const at = `${path}.nonResourceURLs`
  if (urls.length > 0) {
    if (namespaced) causes.push(invalidValue(at, urls, 'namespaced rules cannot apply to non-resource URLs'))
    const both = ['apiGroups', 'resources', 'resourceNames'].some((name) => textsIn(rule, name).length > 0)
    if (both)
      causes.push(
        invalidValue(at, urls, 'rules cannot apply to both regular resources and non-resource URLs'),
      )
    return
  }
  if (textsIn(rule, 'apiGroups').length === 0)
    causes.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'))
  if (textsIn(rule, 'resources').length === 0)
    causes.push(required(`${path}.resources`, 'resource rules must supply at least one resource'))
}

function checkAggregation(causes: Causes, object: JsonObject): void {
  const aggregation = objectIn(object, 'aggregationRule')
  if (aggregation === undefined) return
  const at = 'aggregationRule.clusterRoleSelectors'
  const selectors = itemsIn(aggregation, 'clusterRoleSelectors')
  if (selectors.length === 0)
    causes.push(required(at, 'at least one clusterRoleSelector required if aggregationRule is non-nil'))
  for (const [i, selector] of selectors.entries()) {
    if (!isValidSelector(causes, `${at}[${i}]`, selector))
      causes.push(invalidValue(`${at}[${i}]`, null, 'invalid label selector.'))
  }
}
