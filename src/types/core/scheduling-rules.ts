/** Where pods may run: affinity, tolerations, spreading, gates. */

import type { JsonObject } from '../../json.ts'
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../../status/causes.ts'
import { type Causes, checkName, checkText, createUnique } from '../validation/checks.ts'
import { checkLabels, checkSelector } from '../validation/labels.ts'
import {
  labelNameProblems,
  labelValueProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from '../validation/names.ts'
import { type Given, has, itemsIn, numberIn, objectIn, textIn, textsIn } from '../validation/read.ts'

const requiredTerms = 'requiredDuringSchedulingIgnoredDuringExecution'
const preferredTerms = 'preferredDuringSchedulingIgnoredDuringExecution'

export function checkScheduling(causes: Causes, path: string, spec: JsonObject): void {
  checkLabels(causes, path, spec, 'nodeSelector')
  checkAffinity(causes, `${path}.affinity`, objectIn(spec, 'affinity'))
  checkTolerations(causes, path, spec)
  checkSpreading(causes, path, spec)
  const unique = createUnique(causes)
  for (const [i, gate] of itemsIn(spec, 'schedulingGates').entries()) {
    const at = `${path}.schedulingGates[${i}]`
    checkText(causes, at, textIn(gate, 'name'), qualifiedNameProblems)
    unique(at, textIn(gate, 'name'))
  }
}

function checkAffinity(causes: Causes, path: string, affinity: Given): void {
  if (affinity === undefined) return
  const ofNodes = objectIn(affinity, 'nodeAffinity')
  if (ofNodes !== undefined) checkNodeAffinity(causes, `${path}.nodeAffinity`, ofNodes)
  for (const name of ['podAffinity', 'podAntiAffinity']) {
    const ofPods = objectIn(affinity, name)
    if (ofPods === undefined) continue
    for (const [i, term] of itemsIn(ofPods, requiredTerms).entries()) {
      checkPodTerm(causes, `${path}.${name}.${requiredTerms}[${i}]`, term)
    }
    for (const [i, weighted] of itemsIn(ofPods, preferredTerms).entries()) {
      const at = `${path}.${name}.${preferredTerms}[${i}]`
      checkWeight(causes, at, weighted)
      checkPodTerm(causes, `${at}.podAffinityTerm`, objectIn(weighted, 'podAffinityTerm'))
    }
  }
}

function checkNodeAffinity(causes: Causes, path: string, affinity: JsonObject): void {
  checkNodeSelector(causes, `${path}.${requiredTerms}`, objectIn(affinity, requiredTerms))
  for (const [i, preferred] of itemsIn(affinity, preferredTerms).entries()) {
    const at = `${path}.${preferredTerms}[${i}]`
    checkWeight(causes, at, preferred)
    checkNodeTerm(causes, `${at}.preference`, objectIn(preferred, 'preference'))
  }
}

function checkWeight(causes: Causes, path: string, weighted: JsonObject): void {
  const weight = numberIn(weighted, 'weight') ?? 0
  if (weight < 1 || weight > 100)
    causes.push(invalidValue(`${path}.weight`, weight, 'must be in the range 1-100'))
}

/** A NodeSelector. */
export function checkNodeSelector(causes: Causes, path: string, selector: Given): void {
  if (selector === undefined) return
  const terms = selector['nodeSelectorTerms']
  if (Array.isArray(terms) && terms.length === 0)
    causes.push(required(`${path}.nodeSelectorTerms`, 'must have at least one node selector term'))
  for (const [i, term] of itemsIn(selector, 'nodeSelectorTerms').entries()) {
    checkNodeTerm(causes, `${path}.nodeSelectorTerms[${i}]`, term)
  }
}

function checkNodeTerm(causes: Causes, path: string, term: Given): void {
  for (const [i, expression] of itemsIn(term, 'matchExpressions').entries()) {
    checkNodeExpression(causes, `${path}.matchExpressions[${i}]`, expression)
  }
  for (const [i, expression] of itemsIn(term, 'matchFields').entries()) {
    checkNodeField(causes, `${path}.matchFields[${i}]`, expression)
  }
}

function checkNodeExpression(causes: Causes, path: string, expression: JsonObject): void {
  const { length } = textsIn(expression, 'values')
  switch (textIn(expression, 'operator')) {
    case 'In':
    case 'NotIn':
      if (length === 0)
        causes.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
      break
    case 'Exists':
    case 'DoesNotExist':
      if (length > 0)
        causes.push(
          forbiddenField(
            `${path}.values`,
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
          ),
        )
      break
    case 'Gt':
    case 'Lt':
      if (length !== 1)
        causes.push(
          required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"),
        )
      break
    default:
      causes.push(
        invalidValue(`${path}.operator`, textIn(expression, 'operator'), 'not a valid selector operator'),
      )
  }
  checkText(causes, `${path}.key`, textIn(expression, 'key'), qualifiedNameProblems)
}

function checkNodeField(causes: Causes, path: string, expression: JsonObject): void {
  const key = textIn(expression, 'key')
  const values = textsIn(expression, 'values')
  const operator = textIn(expression, 'operator')
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length !== 1)
      causes.push(
        required(
          `${path}.values`,
          "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
        ),
      )
  } else {
    causes.push(invalidValue(`${path}.operator`, operator, 'not a valid selector operator'))
  }
  if (key !== 'metadata.name') causes.push(invalidValue(`${path}.key`, key, 'not a valid field selector key'))
  else
    for (const [i, value] of values.entries())
      checkText(causes, `${path}.values[${i}]`, value, subdomainProblems)
}

function checkPodTerm(causes: Causes, path: string, term: Given): void {
  checkSelector(causes, `${path}.labelSelector`, objectIn(term, 'labelSelector'))
  checkSelector(causes, `${path}.namespaceSelector`, objectIn(term, 'namespaceSelector'))
  for (const name of textsIn(term, 'namespaces')) {
    checkText(causes, `${path}.namespace`, name, labelNameProblems)
  }
  checkLabelKeys(causes, path, term)
  checkText(causes, `${path}.topologyKey`, textIn(term, 'topologyKey'), qualifiedNameProblems)
}

/** The tolerations of a pod, or of a runtime class. */
export function checkTolerations(causes: Causes, path: string, object: Given): void {
  for (const [i, toleration] of itemsIn(object, 'tolerations').entries()) {
    checkToleration(causes, `${path}.tolerations[${i}]`, toleration)
  }
}

function checkToleration(causes: Causes, path: string, toleration: JsonObject): void {
  const operator = textIn(toleration, 'operator')
  const value = textIn(toleration, 'value')
  const key = textIn(toleration, 'key')
  if (key !== '') checkName(causes, path, toleration, 'key', qualifiedNameProblems)
  else if (operator !== 'Exists')
    causes.push(
      invalidValue(
        `${path}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    )
  if (has(toleration, 'tolerationSeconds') && textIn(toleration, 'effect') !== 'NoExecute')
    causes.push(
      invalidValue(
        `${path}.effect`,
        textIn(toleration, 'effect'),
        "effect must be 'NoExecute' when `tolerationSeconds` is set",
      ),
    )
  if (operator === 'Exists') {
    if (value !== '')
      causes.push(invalidValue(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'"))
  } else checkText(causes, `${path}.operator`, value, labelValueProblems)
}

const unsatisfiableActions = ['DoNotSchedule', 'ScheduleAnyway']

function checkSpreading(causes: Causes, path: string, spec: JsonObject): void {
  const seen = new Set<string>()
  for (const [i, constraint] of itemsIn(spec, 'topologySpreadConstraints').entries()) {
    const at = `${path}.topologySpreadConstraints[${i}]`
    const maxSkew = numberIn(constraint, 'maxSkew') ?? 0
    if (maxSkew <= 0) causes.push(invalidValue(`${at}.maxSkew`, maxSkew, 'must be greater than zero'))
    const action = textIn(constraint, 'whenUnsatisfiable')
    if (!unsatisfiableActions.includes(action))
      causes.push(notSupported(`${at}.whenUnsatisfiable`, action, unsatisfiableActions))
    checkMinDomains(causes, `${at}.minDomains`, constraint, action)
    checkSpreadKeys(causes, `${at}.matchLabelKeys`, constraint)
    checkSelector(causes, `${at}.labelSelector`, objectIn(constraint, 'labelSelector'))
    const id = `{${textIn(constraint, 'topologyKey')}, ${action}}`
    if (seen.has(id)) causes.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, id))
    seen.add(id)
  }
}

function checkMinDomains(causes: Causes, path: string, constraint: JsonObject, action: string): void {
  const minDomains = numberIn(constraint, 'minDomains')
  if (minDomains === undefined) return
  if (minDomains <= 0) causes.push(invalidValue(path, minDomains, 'must be greater than zero'))
  if (action !== 'DoNotSchedule')
    causes.push(
      invalidValue(
        path,
        minDomains,
        `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`,
      ),
    )
}

const noSelectorText = 'must not be specified when labelSelector is not set'
const inBothText = 'exists in both matchLabelKeys and labelSelector'

function keysOf(selector: Given): readonly string[] {
  return [
    ...Object.keys(objectIn(selector, 'matchLabels') ?? {}),
    ...itemsIn(selector, 'matchExpressions').map((expression) => textIn(expression, 'key')),
  ]
}

/** Keys whose values come from the pod itself: the selector must leave them alone. */
function checkSpreadKeys(causes: Causes, path: string, constraint: JsonObject): void {
  const keys = textsIn(constraint, 'matchLabelKeys')
  if (keys.length === 0) return
  const selector = objectIn(constraint, 'labelSelector')
  if (selector === undefined) causes.push(forbiddenField(path, noSelectorText))
  const selected = new Set(keysOf(selector))
  for (const [i, key] of keys.entries()) {
    checkText(causes, `${path}[${i}]`, key, qualifiedNameProblems)
    if (selected.has(key)) causes.push(invalidValue(`${path}[${i}]`, key, inBothText))
  }
}

/** The same of the terms of affinities (feature gate `MatchLabelKeysInPodAffinity`). */
function checkLabelKeys(causes: Causes, path: string, term: Given): void {
  const selector = objectIn(term, 'labelSelector')
  for (const name of ['matchLabelKeys', 'mismatchLabelKeys']) {
    const keys = textsIn(term, name)
    if (keys.length === 0) continue
    if (selector === undefined) causes.push(forbiddenField(`${path}.${name}`, noSelectorText))
    else
      for (const [i, key] of keys.entries())
        checkText(causes, `${path}.${name}[${i}]`, key, qualifiedNameProblems)
  }
  const mismatched = new Set(textsIn(term, 'mismatchLabelKeys'))
  const selected = keysOf(selector)
  for (const [i, key] of textsIn(term, 'matchLabelKeys').entries()) {
    // Once it stands there for the server, which has put it there.
    if (selected.indexOf(key) !== selected.lastIndexOf(key))
      causes.push(invalidValue(`${path}[${i}]`, key, inBothText))
    if (mismatched.has(key))
      causes.push(
        invalidValue(
          `${path}.matchLabelKeys[${i}]`,
          key,
          'exists in both matchLabelKeys and mismatchLabelKeys',
        ),
      )
  }
}
