/** Texts that are constant and would always fail: patterns, durations, timestamps. */

import { compilePattern } from '../library/pattern.ts'
import { type Call, childrenOf, type Expr } from '../syntax/ast.ts'
import type { Finding } from '../syntax/source.ts'
import { isInt } from '../values/int.ts'
import { parseDuration, parseTimestamp, timestampOf } from '../values/time.ts'
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
  const seconds = argument?.kind === 'literal' && isInt(argument.value) ? argument.value : undefined
  if (call.name === 'timestamp' && seconds !== undefined)
    return isUsable(timestampOf(BigInt(seconds) * 1_000_000_000n)) ? undefined : invalid(argument)
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

/** Why the expression cannot be run although nothing is wrong with it: a constant pattern that is none. */
export function uselessPattern(expr: Expr): string | undefined {
  for (const call of callsIn(expr)) {
    const pattern = call.name === 'find' || call.name === 'findAll' ? constantOf(call.args[0]) : undefined
    const compiled = pattern === undefined ? undefined : compilePattern(pattern)
    if (compiled instanceof CelError) return compiled.message
  }
  return undefined
}

/** A finding for each such text, wherever it stands in the expression. */
export function checkLiterals(expr: Expr): readonly Finding[] {
  return callsIn(expr).flatMap((call) => check(call) ?? [])
}

function callsIn(expr: Expr): readonly Call[] {
  const calls: Call[] = []
  const open: Expr[] = [expr]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === 'call') calls.push(next)
    open.push(...childrenOf(next))
  }
  return calls
}
