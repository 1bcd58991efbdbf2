/** What a rule must look like, before what it says is looked at. Messages: Kubernetes 1.30. */

import { invalidValue, notSupported, required } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import type { Structural, ValidationRule } from '../schema/structural.ts'
import { fieldPathOf } from './field-path.ts'

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

/** @param field of the rule, `….x-kubernetes-validations[0]` */
export function checkForm(rule: ValidationRule, structural: Structural, field: string): readonly Cause[] {
  return [
    ...checkTexts(rule, field),
    ...(rule.messageExpression !== '' && rule.messageExpression.trim() === ''
      ? [required(`${field}.messageExpression`, 'messageExpression must be non-empty if specified')]
      : []),
    ...(rule.reason === '' || reasons.includes(rule.reason)
      ? []
      : [notSupported(`${field}.reason`, rule.reason, reasons)]),
    ...checkFieldPath(rule.fieldPath, structural, `${field}.fieldPath`),
  ]
}

function checkTexts({ rule, message }: ValidationRule, field: string): readonly Cause[] {
  const [trimmedRule, trimmedMessage] = [rule.trim(), message.trim()]
  if (trimmedRule === '') return [required(`${field}.rule`, 'rule is not specified')]
  const at = `${field}.message`
  if (message !== '' && trimmedMessage === '')
    return [invalidValue(at, message, 'message must be non-empty if specified')]
  if (hasLineBreak(trimmedMessage)) return [invalidValue(at, message, 'message must not contain line breaks')]
  return hasLineBreak(trimmedRule) && trimmedMessage === ''
    ? [required(at, 'message must be specified if rule contains line breaks')]
    : []
}

function checkFieldPath(path: string, structural: Structural, field: string): readonly Cause[] {
  if (path === '') return []
  const wrong = [
    ...(path.trim() === '' ? ['fieldPath must be non-empty if specified'] : []),
    ...(hasLineBreak(path) ? ['fieldPath must not contain line breaks'] : []),
    ...(fieldPathOf(path, structural) === undefined ? ['fieldPath must be a valid path'] : []),
  ]
  return wrong.map((detail) => invalidValue(field, path, detail))
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text)
}
