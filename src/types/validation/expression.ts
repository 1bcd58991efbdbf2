/** Expressions of objects and configuration files, compiled when they are read: what is wrong with one is told with its field. */

import { type CelType, compileExpression, type Environment, type Program } from '../../cel/expression.ts'
import { invalidValue } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'

/** Undefined = it is wrong, and `causes` says why. */
export function compileRule(
  source: string,
  environment: Environment,
  expected: CelType | readonly CelType[],
  field: string,
  causes: Cause[],
): Program | undefined {
  const compiled = compileExpression(source, environment, expected)
  if (compiled.ok) return compiled.value
  const { message } = compiled.failure
  const isWhole = message.startsWith('must evaluate to') || message.startsWith('program instantiation failed')
  const detail = isWhole ? message : `compilation failed: ${message}`
  causes.push(invalidValue(field, source, detail))
  return undefined
}
