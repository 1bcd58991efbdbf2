/** Texts that are constant and would always fail: patterns, durations, timestamps. */

import { compilePattern } from '../library/pattern.ts'
import { type Call, childrenOf, type Expr } from '../syntax/ast.ts'
import type { Finding } from '../syntax/source.ts'
import { parseDuration, parseTimestamp } from '../values/time.ts'
import { CelError } from '../values/value.ts'

function constantOf(expr: Expr | undefined): string | undefined {
  return expr?.kind === 'literal' && typeof expr.value === 'string' ? expr.value : undefined
}

function check(call: Call): Finding | undefined {
  const operands = call.target === undefined ? call.args : [call.target, ...call.args]
  const invalid = (at: Expr | undefined): Finding => ({
    offset: at?.offset ?? call.offset,
    message: `invalid ${call.name} argument`,
  })
  const argument = operands[call.name === 'matches' ? 1 : 0]
  const text = constantOf(argument)
  if (text === undefined) return undefined
  switch (call.name) {
    case 'matches':
      return compilePattern(text) instanceof CelError ? invalid(argument) : undefined
    case 'duration':
      return isUsable(parseDuration(text)) ? undefined : invalid(argument)
    case 'timestamp':
      return isUsable(parseTimestamp(text)) ? undefined : invalid(argument)
    default:
      return undefined
  }
}

function isUsable(value: unknown): boolean {
  return value !== undefined && !(value instanceof CelError)
}

/** A finding for each such text, wherever it stands in the expression. */
export function checkLiterals(expr: Expr): readonly Finding[] {
  const findings: Finding[] = []
  const open: Expr[] = [expr]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const finding = next.kind === 'call' ? check(next) : undefined
    if (finding !== undefined) findings.push(finding)
    open.push(...childrenOf(next))
  }
  return findings
}
