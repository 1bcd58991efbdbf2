/**
 * The rules of a schema when its definition is written: what is wrong with them, and whether they may cost too much.
 *
 * Specification: "Expression language", "Limits". Messages and figures: Kubernetes 1.30.
 */

import { invalidValue } from '../../status/causes.ts'
import { quote } from '../../status/quote.ts'
import type { Cause } from '../../status/status.ts'
import type { Structural, ValidationRule } from '../schema/structural.ts'
import { type Cardinality, cardinalityWithin, TotalCost, timesRun } from './cardinality.ts'
import { type Accepted, type CompiledRule, compileRules } from './compile.ts'
import { type Declared, declare } from './declare.ts'
import { escapeName } from './escape.ts'
import { hasRules } from './present.ts'

export interface RuleCheckOptions {
  /** Of the definition as it is stored. Absent = it is new. */
  readonly accepted?: Accepted
  /** The schema is the stored one: single rules may cost what they will. */
  readonly isUnchanged?: boolean
}

const none: Accepted = { rules: new Set(), messageExpressions: new Set() }

/** Empty = all rules are good. Their form has been checked. @param path of the schema, `spec.versions[0].schema.openAPIV3Schema` */
export function checkRules(
  structural: Structural,
  path: string,
  { accepted = none, isUnchanged = false }: RuleCheckOptions = {},
): readonly Cause[] {
  if (!hasRules(structural)) return []
  const checker = new Checker(accepted, isUnchanged)
  checker.visit({
    structural,
    path,
    isRoot: true,
    cardinality: 1,
    isSeen: false,
    declared: undefined,
    unordered: undefined,
  })
  return checker.causes(path)
}

/** A node of the schema on the way down. */
interface Node {
  readonly structural: Structural
  readonly path: string
  /** Of a resource, or of one that is embedded. */
  readonly isRoot: boolean
  readonly cardinality: Cardinality
  /** A rule further out sees it, so that its type is known as that has it. */
  readonly isSeen: boolean
  readonly declared: Declared | undefined
  /** The outermost list whose elements cannot be told from those before a change; undefined = none is around. */
  readonly unordered: string | undefined
}

class Checker {
  readonly #accepted: Accepted
  readonly #isUnchanged: boolean
  readonly #causes: Cause[] = []
  readonly #total = new TotalCost()

  constructor(accepted: Accepted, isUnchanged: boolean) {
    this.#accepted = accepted
    this.#isUnchanged = isUnchanged
  }

  causes(path: string): readonly Cause[] {
    return [...this.#causes, ...this.#total.causes(path)]
  }

  visit(given: Node): void {
    if (!hasRules(given.structural)) return
    const { structural } = given
    const isSeen = given.isSeen || structural.rules.length > 0
    const declared = isSeen ? (given.declared ?? declare(structural, given.isRoot, '@self')) : undefined
    const node = { ...given, isSeen, declared }
    this.#visitChildren(node)
    if (structural.rules.length === 0) return
    const field = `${node.path}.x-kubernetes-validations`
    if (declared === undefined) this.#causes.push(withoutType(field))
    else this.#checkMeaning(node, declared, field)
  }

  #visitChildren(node: Node): void {
    const { structural, path, declared } = node
    const { items, additionalProperties, properties } = structural
    const cardinality = cardinalityWithin(structural, node.cardinality)
    const inner = (child: Structural, step: string): Node => ({
      ...node,
      structural: child,
      path: `${path}.${step}`,
      isRoot: child.embeddedResource,
      cardinality,
      declared: declared?.element,
    })
    if (typeof additionalProperties === 'object')
      this.visit(inner(additionalProperties, 'additionalProperties'))
    for (const [name, child] of properties) {
      const field = escapeName(name)
      const known = field === undefined ? undefined : declared?.fields?.get(field)
      this.visit({ ...inner(child, `properties[${name}]`), declared: known })
    }
    if (items === undefined) return
    const unordered = node.unordered ?? (structural.listType === 'map' ? undefined : path)
    this.visit({ ...inner(items, 'items'), unordered })
  }

  #checkMeaning(node: Node, declared: Declared, field: string): void {
    const compiled = compileRules(node.structural, declared.type, this.#accepted)
    for (const [at, rule] of compiled.entries()) {
      const place = `${field}[${at}]`
      this.#checkRule(rule, node, declared, place)
      this.#checkTransition(rule, node.unordered, place)
    }
  }

  #checkRule(compiled: CompiledRule, node: Node, declared: Declared, field: string): void {
    const { rule, program, problem, messageProgram, messageProblem } = compiled
    const times = timesRun(node.cardinality, declared.bytesMin)
    const cost = (program?.estimatedCost(declared.type) ?? 0) * times
    this.#addCost(`${field}.rule`, 'estimated rule cost', cost)
    if (problem !== undefined) this.#causes.push(wrongRule(`${field}.rule`, rule, problem))
    const at = `${field}.messageExpression`
    if (messageProblem !== undefined) this.#causes.push(wrongRule(at, rule, messageProblem))
    if (messageProgram === undefined) return
    this.#addCost(at, 'estimated messageExpression cost', messageProgram.estimatedCost(declared.type))
  }

  #addCost(field: string, label: string, cost: number): void {
    const cause = this.#total.add(field, label, cost)
    if (cause !== undefined && !this.#isUnchanged) this.#causes.push(cause)
  }

  #checkTransition({ rule, isTransition }: CompiledRule, unordered: string | undefined, field: string): void {
    if (isTransition && unordered !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${unordered}`
      this.#causes.push(invalidValue(`${field}.rule`, rule.rule, detail))
    }
    if (isTransition || rule.optionalOldSelf === undefined) return
    const detail = 'may not be set if oldSelf is not used in rule'
    this.#causes.push(invalidValue(`${field}.optionalOldSelf`, rule.optionalOldSelf, detail))
  }
}

function withoutType(field: string): Cause {
  const why = 'unable to convert structural schema to CEL declarations'
  return {
    reason: 'InternalError',
    message: `Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: ${why}`,
    field,
  }
}

/** Shown as clients of this API know it: a value of Go, in which what is set beside texts is an address. */
function wrongRule(field: string, rule: ValidationRule, detail: string): Cause {
  const set = '0xc000000000'
  const members = [
    `Rule:${quote(rule.rule)}`,
    `Message:${quote(rule.message)}`,
    `MessageExpression:${quote(rule.messageExpression)}`,
    `Reason:(*apiextensions.FieldValueErrorReason)(${rule.reason === '' ? 'nil' : set})`,
    `FieldPath:${quote(rule.fieldPath)}`,
    `OptionalOldSelf:(*bool)(${rule.optionalOldSelf === undefined ? 'nil' : set})`,
  ]
  const message = `Invalid value: apiextensions.ValidationRule{${members.join(', ')}}: ${detail}`
  return { reason: 'FieldValueInvalid', message, field }
}
