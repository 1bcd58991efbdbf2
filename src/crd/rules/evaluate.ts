/** Runs the rules of one place of a schema on one value. Facts: Kubernetes 1.30. */

import type { EvaluationFailure, Program } from '../../cel/expression.ts'
import { perCallCostMax } from '../../cel/limits.ts'
import { duplicate, forbiddenField, invalidValue, required } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import type { ValidationRule } from '../schema/structural.ts'
import type { CompiledRule } from './compile.ts'
import { childPath, shownPath } from './paths.ts'

/** What all rules of one write share. */
export interface Run {
  readonly causes: Cause[]
  /** Hears of rules that the value did not keep before either; absent = nothing is let pass. */
  readonly warn: ((cause: Cause) => void) | undefined
  /** Units of cost that are left. */
  budget: number
  /** No further rule runs. */
  isOver: boolean
}

interface Judged {
  readonly rules: readonly CompiledRule[]
  /** As messages show the value: `object`; '' = any type may stand there. */
  readonly type: string
  readonly path: string
  readonly self: unknown
  /** Undefined = there is no value that it took the place of. */
  readonly oldSelf: unknown
  /** Asked when a rule is not kept. */
  isUnchanged(): boolean
}

const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run'

/** `causes` and `isOver` of the run say what came of it. */
export function evaluateRules(judged: Judged, run: Run): void {
  const { rules, oldSelf } = judged
  if (run.budget <= 0) end(run, judged, outOfBudget)
  for (const rule of rules) {
    if (run.isOver) return
    if (rule.problem !== undefined) refuse(run, judged, `rule compile error: ${rule.problem}`)
    const isOptional = rule.rule.optionalOldSelf === true
    if (rule.program === undefined || (rule.isTransition && oldSelf === undefined && !isOptional)) continue
    evaluateRule(rule, rule.program, judged, run)
  }
}

function refuse(run: Run, { path, type }: Judged, detail: string): void {
  run.causes.push(invalidValue(shownPath(path), type, detail))
}

function end(run: Run, judged: Judged, detail: string): void {
  refuse(run, judged, detail)
  run.isOver = true
}

function evaluateRule(compiled: CompiledRule, program: Program, judged: Judged, run: Run): void {
  const { self, oldSelf } = judged
  const { result, cost } = program.measure({ self, oldSelf }, { costMax: perCallCostMax })
  if (cost > run.budget) {
    end(run, judged, outOfBudget)
    return
  }
  run.budget -= cost
  if (!result.ok) {
    refuse(run, judged, failureOf(result.failure, ruleText(compiled.rule)))
    run.isOver = result.failure.code === 'CostExceeded'
  } else if (result.value !== true) reportBroken(compiled, judged, run)
}

function failureOf({ code, message }: EvaluationFailure, rule: string): string {
  if (code === 'CostExceeded')
    return `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`
  return message.startsWith('no such overload')
    ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`
    : `${message} evaluating rule: ${rule}`
}

/** What the author calls the rule, or the rule itself. */
function ruleText({ rule, message }: ValidationRule): string {
  return (message === '' ? rule : message).trim()
}

function reportBroken(compiled: CompiledRule, judged: Judged, run: Run): void {
  const { rule, fieldPath } = compiled
  const path = fieldPath === '' ? shownPath(judged.path) : childPath(judged.path, fieldPath)
  const made = messageOf(compiled, judged, run)
  const detail = made ?? (rule.message === '' ? `failed rule: ${ruleText(rule)}` : ruleText(rule))
  const cause = run.isOver
    ? invalidValue(path, judged.type, detail)
    : causeOf(path, judged.type, detail, rule.reason)
  if (run.warn !== undefined && !compiled.isTransition && judged.isUnchanged()) run.warn(cause)
  else run.causes.push(cause)
}

function causeOf(path: string, type: string, detail: string, reason: string): Cause {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbiddenField(path, detail)
    case 'FieldValueRequired':
      return required(path, detail)
    case 'FieldValueDuplicate':
      return duplicate(path, type)
    default:
      return invalidValue(path, type, detail)
  }
}

const messageBytesMax = 5 * 1024

/** What the message's expression says; undefined = there is none, or it says nothing that can be shown. */
function messageOf({ messageProgram }: CompiledRule, judged: Judged, run: Run): string | undefined {
  if (messageProgram === undefined) return undefined
  const { self, oldSelf } = judged
  const { result, cost } = messageProgram.measure({ self, oldSelf }, { costMax: perCallCostMax })
  if (cost > run.budget) {
    run.isOver = true
    return 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run'
  }
  if (!result.ok && result.failure.code === 'CostExceeded') {
    run.isOver = true
    const source = JSON.stringify(messageProgram.source)
    return `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${source}`
  }
  run.budget -= cost
  const text = result.ok && typeof result.value === 'string' ? result.value.trim() : ''
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > messageBytesMax ? undefined : text
}
