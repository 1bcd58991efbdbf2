/** The rules of one place of a schema as programs. */

import { type CelType, cel, compileExpression, type Environment, type Program } from '../../cel/expression.ts'
import { compatibleLibraries, kubernetesLibraries } from '../../cel/library/kubernetes.ts'
import type { Structural, ValidationRule } from '../schema/structural.ts'
import { fieldPathOf } from './field-path.ts'

export interface CompiledRule {
  readonly rule: ValidationRule
  /** Undefined = it is empty, or wrong ({@link problem}). */
  readonly program: Program | undefined
  /** A sentence. */
  readonly problem?: string
  /** It compares with the value before the change. */
  readonly isTransition: boolean
  /** Undefined = there is none, or it is wrong. */
  readonly messageProgram?: Program
  readonly messageProblem?: string
  /** Below the place of the rule, `spec.replicas`; '' = it points at its own place. */
  readonly fieldPath: string
}

/** Whether an expression was accepted before, so that it may use what only this release knows. */
export interface Accepted {
  readonly rules: ReadonlySet<string>
  readonly messageExpressions: ReadonlySet<string>
}

/** @param accepted undefined = all were: they are stored */
export function compileRules(
  structural: Structural,
  self: CelType,
  accepted: Accepted | undefined,
): readonly CompiledRule[] {
  const environments = environmentsOf(self)
  return structural.rules.map((rule) => {
    const { stored, fresh } = environments[rule.optionalOldSelf === true ? 'optional' : 'plain']
    const { rules, messageExpressions } = accepted ?? {}
    const isOld = (known: ReadonlySet<string> | undefined, text: string): boolean => known?.has(text) ?? true
    return compileRule(rule, structural, {
      rule: isOld(rules, rule.rule) ? stored : fresh,
      message: isOld(messageExpressions, rule.messageExpression) ? stored : fresh,
    })
  })
}

interface Environments {
  readonly stored: Environment
  readonly fresh: Environment
}

function environmentsOf(self: CelType): Readonly<Record<'plain' | 'optional', Environments>> {
  const withOld = (oldSelf: CelType): Environments => {
    const variables = new Map([
      ['self', self],
      ['oldSelf', oldSelf],
    ])
    return {
      stored: { variables, libraries: kubernetesLibraries },
      fresh: { variables, libraries: compatibleLibraries },
    }
  }
  return { plain: withOld(self), optional: withOld(cel.optional(self)) }
}

function compileRule(
  rule: ValidationRule,
  structural: Structural,
  environments: { readonly rule: Environment; readonly message: Environment },
): CompiledRule {
  const fieldPath = rule.fieldPath === '' ? '' : (fieldPathOf(rule.fieldPath, structural) ?? '')
  const base = { rule, fieldPath, program: undefined, isTransition: false }
  if (rule.rule.trim() === '') return base
  const compiled = compileExpression(rule.rule, environments.rule, cel.bool)
  if (!compiled.ok) {
    return {
      ...base,
      problem: problemOf(compiled.failure.message, 'compilation failed', 'cel expression', 'bool'),
    }
  }
  const made = { ...base, program: compiled.value, isTransition: compiled.value.names('oldSelf') }
  if (rule.messageExpression === '') return made
  const message = compileExpression(rule.messageExpression, environments.message, cel.string)
  if (message.ok) return { ...made, messageProgram: message.value }
  const [label, failed] = ['messageExpression', 'messageExpression compilation failed']
  return { ...made, messageProblem: problemOf(message.failure.message, failed, label, 'string') }
}

function problemOf(message: string, failed: string, label: string, type: string): string {
  if (message.startsWith('must evaluate to')) return `${label} must evaluate to a ${type}`
  const unusable = 'program instantiation failed'
  if (!message.startsWith(unusable)) return `${failed}: ${message}`
  return failed === 'compilation failed'
    ? message
    : message.replace(unusable, `${label} instantiation failed`)
}
