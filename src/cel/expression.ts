/**
 * The expression engine's door: an expression of the Common Expression Language (CEL), as Kubernetes 1.30 uses it, is
 * compiled once (parsed, type-checked, turned into closures) and evaluated many times under a budget of cost.
 *
 *     const environment = { variables: new Map([['claims', cel.map(cel.string, cel.dyn)]]) }
 *     const compiled = compileExpression('claims.hd == "example.com"', environment, cel.bool)
 *     if (compiled.ok) compiled.value.evaluate({ claims: { hd: 'example.com' } }, { costMax: perCallCostMax })
 *
 * Specification: "Expression language", "Limits".
 */

import { fail, ok, type Result } from '../../store/contract.ts'
import { type Checked, check } from './check/checker.ts'
import { estimateCost } from './check/estimate.ts'
import { checkLiterals, uselessPattern } from './check/literals.ts'
import { createVocabulary, objectTypesOf, type Vocabulary } from './check/scope.ts'
import { Frame, type Step } from './eval/frame.ts'
import { plan } from './eval/plan.ts'
import { kubernetesLibraries } from './library/kubernetes.ts'
import type { Library } from './library/library.ts'
import type { Expr } from './syntax/ast.ts'
import { parse } from './syntax/parser.ts'
import { readsField } from './syntax/references.ts'
import { describeFindings, type Finding, placeOf } from './syntax/source.ts'
import { type CelType, describeType, type ObjectType, sameType } from './types.ts'
import { work } from './values/compare.ts'
import { DeferredValue } from './values/json.ts'
import { type CelOutput, outputOf } from './values/output.ts'
import { CelError, halted, type Value } from './values/value.ts'

export { perCallCostMax } from './limits.ts'
export { type CelType, cel } from './types.ts'
export type { CelOutput } from './values/output.ts'

/** What an expression may name. Keep and reuse one: what is derived from it is cached with it. */
export interface Environment {
  readonly variables: ReadonlyMap<string, CelType>
  /** Absent = what Kubernetes 1.30 has; give these and more to add functions: `[...kubernetesLibraries, authorizer]`. */
  readonly libraries?: readonly Library[]
  /**
   * Whether elements of list literals, keys and values of map literals must have one type. Absent = true, as in
   * Kubernetes.
   */
  readonly homogeneousLiterals?: boolean
}

/** Why an expression was refused. */
export interface CelProblem {
  /**
   * One or several findings in the form of cel-go, each with the source line and a caret:
   *
   *     ERROR: <input>:1:5: undeclared reference to 'x' (in container '')
   *      | 1 + x
   *      | ....^
   *
   * or, when only the result's type is wrong, `must evaluate to bool`, or, when only a constant pattern of `find` is wrong,
   * `program instantiation failed: …`.
   */
  readonly message: string
  /** Place of the first finding, both from 1. */
  readonly line: number
  readonly column: number
}

export type EvaluationFailure =
  /** The expression met an error: `no such key: hd`. */
  | { readonly code: 'EvaluationFailed'; readonly message: string }
  /** The budget ended it; no `||` hides that. */
  | { readonly code: 'CostExceeded'; readonly message: string }

export interface Program {
  readonly source: string
  /** What the checker inferred; `dyn` when only run time can tell. */
  readonly type: CelType
  /**
   * Units of cost that Kubernetes 1.30 takes for its worst case, by the sizes that the type of `self` declares
   * (`cel.atMost(cel.string, 253)`); 2^64 = no bound. It is for refusing the rules of CustomResourceDefinitions when they
   * are written (10,000,000 for a rule, 100,000,000 for a definition); other expressions are bound only when they run.
   */
  estimatedCost(self: CelType): number
  /** Whether the variable is named anywhere in it. */
  names(variable: string): boolean
  /** Whether `variable.field` stands anywhere in it, in whatever form: `.field`, `.?field`, `['field']`, `has(…)`. */
  reads(variable: string, field: string): boolean
  /**
   * Evaluates once. Never throws, whatever the values.
   * @param variables JSON values by the declared types (a missing one is an evaluation failure when it is read); values
   *   of opaque types as their own classes. They are read lazily and never written.
   * @param limits `costMax`: cost units, see {@link perCallCostMax}
   */
  evaluate(
    variables: Readonly<Record<string, unknown>>,
    limits: { readonly costMax: number },
  ): Result<CelOutput, EvaluationFailure>
  /** The same, and says what it cost: for budgets that several expressions share. */
  measure(
    variables: Readonly<Record<string, unknown>>,
    limits: { readonly costMax: number },
  ): { readonly result: Result<CelOutput, EvaluationFailure>; readonly cost: number }
  /**
   * A property for an object among the variables of other expressions: evaluated when one of them reads it, once. What it
   * costs is taken from `budget` then; its error is the error of whoever reads it.
   */
  defer(variables: Readonly<Record<string, unknown>>, budget: { left: number }): DeferredValue
}

/** What is derived from an environment, once. */
interface Derived {
  readonly vocabulary: Vocabulary
  readonly objects: ReadonlyMap<string, ObjectType>
}

const derivedOf = new WeakMap<Environment, Derived>()
const vocabularies = new WeakMap<readonly Library[], Vocabulary>()

function vocabularyOf(libraries: readonly Library[]): Vocabulary {
  const known = vocabularies.get(libraries)
  if (known !== undefined) return known
  const made = createVocabulary(libraries)
  vocabularies.set(libraries, made)
  return made
}

function derive(environment: Environment): Derived {
  const known = derivedOf.get(environment)
  if (known !== undefined) return known
  const made = {
    vocabulary: vocabularyOf(environment.libraries ?? kubernetesLibraries),
    objects: objectTypesOf(environment.variables.values()),
  }
  derivedOf.set(environment, made)
  return made
}

function problem(source: string, findings: readonly Finding[]): CelProblem {
  const offset = findings.reduce((first, finding) => Math.min(first, finding.offset), source.length)
  return { message: describeFindings(source, findings), ...placeOf(source, offset) }
}

/**
 * Parses and type-checks `source`.
 * @param expected what it must evaluate to: one of these exactly; `cel.dyn` = anything
 */
export function compileExpression(
  source: string,
  environment: Environment,
  expected: CelType | readonly CelType[],
): Result<Program, CelProblem> {
  const parsed = parse(source)
  if (!parsed.ok) return fail(problem(source, parsed.failure))
  const checked = check(parsed.value, {
    variables: environment.variables,
    ...derive(environment),
    homogeneousLiterals: environment.homogeneousLiterals ?? true,
  })
  const findings = checked.findings.length > 0 ? checked.findings : checkLiterals(parsed.value)
  if (findings.length > 0) return fail(problem(source, findings))
  const wanted = 'kind' in expected ? [expected] : expected
  if (!wanted.some((type) => type.kind === 'dyn' || sameType(type, checked.type))) {
    return fail({ message: mustEvaluateTo(wanted), line: 1, column: 1 })
  }
  const useless = uselessPattern(parsed.value)
  if (useless !== undefined)
    return fail({ message: `program instantiation failed: ${useless}`, line: 1, column: 1 })
  return ok(new CompiledProgram(source, parsed.value, checked))
}

function mustEvaluateTo(wanted: readonly CelType[]): string {
  const [only] = wanted
  return wanted.length === 1 && only !== undefined
    ? `must evaluate to ${describeType(only)}`
    : `must evaluate to one of [${wanted.map(describeType).join(' ')}]`
}

/** Steps that deep comparisons may take for each unit of cost. */
const stepsPerUnit = 10
/** Units of cost for each value that an output may have. */
const unitsPerValue = 4

/** Shared by programs without macros, which never write to it. */
const noLocals: Value[] = []

class CompiledProgram implements Program {
  readonly source: string
  readonly type: CelType
  readonly #expr: Expr
  readonly #checked: Checked
  readonly #step: Step
  readonly #hasLocals: boolean

  constructor(source: string, expr: Expr, checked: Checked) {
    this.source = source
    this.type = checked.type
    this.#expr = expr
    this.#checked = checked
    this.#step = plan(expr, checked)
    this.#hasLocals = checked.slots.size > 0
  }

  estimatedCost(self: CelType): number {
    return estimateCost(this.#expr, this.#checked, self)
  }

  names(variable: string): boolean {
    for (const binding of this.#checked.names.values()) {
      if (binding.kind === 'variable' && binding.name === variable) return true
    }
    return false
  }

  reads(variable: string, field: string): boolean {
    return readsField(this.#expr, variable, field)
  }

  evaluate(
    variables: Readonly<Record<string, unknown>>,
    limits: { readonly costMax: number },
  ): Result<CelOutput, EvaluationFailure> {
    return this.measure(variables, limits).result
  }

  measure(
    variables: Readonly<Record<string, unknown>>,
    limits: { readonly costMax: number },
  ): { readonly result: Result<CelOutput, EvaluationFailure>; readonly cost: number } {
    const { value, cost } = this.#run(variables, limits.costMax)
    return { result: value === halted ? exceeded : resultOf(value, limits.costMax), cost }
  }

  defer(variables: Readonly<Record<string, unknown>>, budget: { left: number }): DeferredValue {
    return new DeferredValue(() => {
      const { value, cost } = this.#run(variables, budget.left)
      budget.left = Math.max(0, budget.left - cost)
      return value
    })
  }

  #run(
    variables: Readonly<Record<string, unknown>>,
    costMax: number,
  ): { readonly value: Value; readonly cost: number } {
    const frame = new Frame(variables, costMax, this.#hasLocals ? [] : noLocals)
    // a function of the host, or a deferred value, may evaluate another expression meanwhile
    const { spent, max } = work
    work.spent = 0
    work.max = costMax * stepsPerUnit
    const value = this.#step(frame)
    const isOver = work.spent > work.max
    work.spent = spent
    work.max = max
    return { value: isOver ? halted : value, cost: frame.cost }
  }
}

const exceeded = fail<EvaluationFailure>({ code: 'CostExceeded', message: halted.message })

function resultOf(value: Value, costMax: number): Result<CelOutput, EvaluationFailure> {
  if (value === halted) return exceeded
  if (value instanceof CelError) return fail({ code: 'EvaluationFailed', message: value.message })
  const output = outputOf(value, { left: Math.max(100, costMax / unitsPerValue) })
  if (output === undefined) return exceeded
  return output instanceof CelError ? fail({ code: 'EvaluationFailed', message: output.message }) : ok(output)
}
