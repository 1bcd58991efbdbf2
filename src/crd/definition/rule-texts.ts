/** What can be said of `x-kubernetes-validations` without compiling them. */

import type { JsonObject } from '../../json.ts'
import { invalidValue, notSupported, required } from '../../status/causes.ts'
import type { Causes } from '../../types/validation/checks.ts'
import { has, itemsIn, textIn } from '../../types/validation/read.ts'
import { fieldPath } from './field-path.ts'
import type { Schema } from './json-schema.ts'
import { unsupportedPart } from './unsupported.ts'

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

/** The rules of one schema, not of those below it. */
export function checkRuleTexts(causes: Causes, schema: Schema, path: string): void {
  for (const [i, rule] of itemsIn(schema, 'x-kubernetes-validations').entries()) {
    const at = `${path}.x-kubernetes-validations[${i}]`
    checkRuleAndMessage(causes, rule, at)
    const expression = textIn(rule, 'messageExpression')
    if (expression !== '' && expression.trim() === '')
      causes.push(required(`${at}.messageExpression`, 'messageExpression must be non-empty if specified'))
    const reason = rule['reason']
    if (has(rule, 'reason') && !reasons.some((one) => one === reason))
      causes.push(notSupported(`${at}.reason`, reason, reasons))
    checkFieldPath(causes, schema, textIn(rule, 'fieldPath'), `${at}.fieldPath`)
  }
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text)
}

function checkRuleAndMessage(causes: Causes, rule: JsonObject, at: string): void {
  const text = textIn(rule, 'rule').trim()
  const given = textIn(rule, 'message')
  const message = given.trim()
  if (text === '') causes.push(required(`${at}.rule`, 'rule is not specified'))
  else if (given !== '' && message === '')
    causes.push(invalidValue(`${at}.message`, given, 'message must be non-empty if specified'))
  else if (hasLineBreak(message))
    causes.push(invalidValue(`${at}.message`, given, 'message must not contain line breaks'))
  else if (hasLineBreak(text) && message === '')
    causes.push(required(`${at}.message`, 'message must be specified if rule contains line breaks'))
}

function checkFieldPath(causes: Causes, schema: Schema, path: string, at: string): void {
  if (path === '') return
  const wrong = (detail: string): void => void causes.push(invalidValue(at, path, detail))
  if (path.trim() === '') wrong('fieldPath must be non-empty if specified')
  if (hasLineBreak(path)) wrong('fieldPath must not contain line breaks')
  if (unsupportedPart(schema) === undefined && !fieldPath(path, schema, { brackets: true }).ok)
    wrong('fieldPath must be a valid path')
}
