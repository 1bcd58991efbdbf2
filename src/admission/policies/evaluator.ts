/** Judges one request by one policy, with one set of parameters. Source: specification, "Expression language", "Limits". */

import type { Program } from '../../cel/expression.ts'
import { matchConditionsCostMax, perCallCostMax, policyCostMax } from '../../cel/limits.ts'
import { type AccessAnswers, evaluateWithAccess } from '../dynamic/access-checks.ts'
import { matchOnce } from '../dynamic/conditions.ts'
import type { Policy, Validation } from './policy.ts'

/** A rule that is not kept, or could not be evaluated. */
export interface Finding {
  readonly message: string
  /** As clients read it: `Invalid`. */
  readonly reason: string
  /** True = an expression failed; what that means is the policy's to say. */
  readonly isError: boolean
  /** Which of the policy's validations; absent = none of them. */
  readonly index?: number
}

export interface Judgement {
  readonly findings: readonly Finding[]
  /** What the policy wants written down: keys without the policy's name, values that are not empty. */
  readonly annotations: readonly (readonly [key: string, value: string])[]
}

export type Variables = Readonly<Record<string, unknown>>

/** Undefined = its conditions leave the request out. No findings = all rules are kept. */
export function judge(
  policy: Policy,
  variables: Variables,
  answers: AccessAnswers,
): Promise<Judgement | undefined> {
  return evaluateWithAccess(answers, () => judgeOnce(policy, variables))
}

function judgeOnce(policy: Policy, given: Variables): Judgement | undefined {
  const conditionsBudget = { left: matchConditionsCostMax }
  const match = matchOnce(policy.conditions, withOwn(policy, given, conditionsBudget), conditionsBudget)
  if (match.type === 'excluded') return undefined
  if (match.type === 'error') return { findings: [{ ...failed(match.message), index: 0 }], annotations: [] }
  const budget = { left: policyCostMax }
  const variables = withOwn(policy, given, budget)
  const findings: Finding[] = []
  for (const [index, validation] of policy.validations.entries()) {
    const finding = validate(validation, variables, budget)
    if (finding !== undefined) findings.push({ ...finding, index })
    if (budget.left <= 0)
      return { findings: [...findings, { ...failed(outOfBudget), index: index + 1 }], annotations: [] }
  }
  const annotations: [string, string][] = []
  for (const { key, program } of policy.annotations) {
    const value = evaluate(program, variables, budget)
    if (value.type === 'error') findings.push(failed(value.message))
    else if (typeof value.value === 'string' && value.value.trim() !== '')
      annotations.push([key, value.value.trim()])
  }
  return { findings, annotations }
}

const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run'

interface Budget {
  left: number
}

/** The variables, and the policy's own among them, evaluated when somebody names them. */
function withOwn({ variables: own }: Policy, given: Variables, budget: Budget): Variables {
  const values: Record<string, unknown> = Object.create(null)
  const all: Variables = { ...given, variables: values }
  for (const { name, program } of own) values[name] = program.defer(all, budget)
  return all
}

type Value =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'error'; readonly message: string }

function evaluate(program: Program, variables: Variables, budget: Budget): Value {
  const { result, cost } = program.measure(variables, { costMax: Math.min(budget.left, perCallCostMax) })
  budget.left = Math.max(0, budget.left - cost)
  if (result.ok) return { type: 'value', value: result.value }
  const message = `expression '${program.source.trim()}' resulted in error: ${result.failure.message}`
  return { type: 'error', message }
}

function validate(validation: Validation, variables: Variables, budget: Budget): Finding | undefined {
  const outcome = evaluate(validation.program, variables, budget)
  if (outcome.type === 'error') return failed(outcome.message)
  if (outcome.value === true) return undefined
  return { message: messageOf(validation, variables, budget), reason: validation.reason, isError: false }
}

const messageBytesMax = 5 * 1024

/** What the message's expression says, where it says one line; else the message; else the rule itself. */
function messageOf(
  { program, messageProgram, message }: Validation,
  variables: Variables,
  budget: Budget,
): string {
  const made = messageProgram === undefined ? undefined : evaluate(messageProgram, variables, budget)
  if (made?.type === 'value' && typeof made.value === 'string') {
    const text = made.value.trim()
    if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= messageBytesMax) return text
  }
  return message === '' ? `failed expression: ${program.source.trim()}` : message
}

function failed(message: string): Finding {
  return { message, reason: 'Invalid', isError: true }
}
