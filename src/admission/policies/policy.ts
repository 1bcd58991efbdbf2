/** Policies and bindings as data: expressions compiled, what is wrong with them told by field. */

import { type CelType, cel, type Environment, type Program } from '../../cel/expression.ts'
import type { JsonObject } from '../../json.ts'
import { required } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import { objectAt, objectsAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import { compileRule } from '../../types/validation/expression.ts'
import type { Condition } from '../dynamic/conditions.ts'
import { type ResourceMatch, resourceMatchOf } from '../dynamic/match.ts'
import { policyEnvironment } from './environment.ts'

export interface Validation {
  readonly program: Program
  /** Makes the message of a refusal; undefined = {@link message} says it. */
  readonly messageProgram: Program | undefined
  /** '' = none is given. */
  readonly message: string
  readonly reason: string
}

export interface Policy {
  readonly name: string
  readonly match: ResourceMatch
  /** What cannot be evaluated counts as kept. */
  readonly failsOpen: boolean
  /** Undefined = it takes no parameters. */
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined
  readonly conditions: readonly Condition[]
  readonly variables: readonly { readonly name: string; readonly program: Program }[]
  readonly validations: readonly Validation[]
  /** Their values stand in the audit log; what fails among them refuses all the same. */
  readonly annotations: readonly { readonly key: string; readonly program: Program }[]
}

export type Action = 'Deny' | 'Warn' | 'Audit'

export interface Binding {
  readonly name: string
  readonly policyName: string
  /** Narrows what the policy is about; undefined = it does not. */
  readonly match: ResourceMatch | undefined
  readonly actions: readonly Action[]
  readonly paramRef: ParamRef | undefined
}

export interface ParamRef {
  readonly name: string
  readonly namespace: string
  readonly selector: JsonObject | undefined
  /** A binding whose parameters are not there is taken for kept. */
  readonly mayBeAbsent: boolean
}

/** The policy as far as it compiles; `causes` hears what does not. */
export function compilePolicy(object: ApiObject, causes: Cause[]): Policy {
  const spec = objectAt(object, 'spec') ?? {}
  const kind = objectAt(spec, 'paramKind')
  const types = new Map<string, CelType>()
  const environment = (): Environment => policyEnvironment(kind !== undefined, types)
  const variables = objectsAt(spec, 'variables').flatMap((variable, at) => {
    const name = textAt(variable, 'name')
    const program = compiled(variable, 'expression', environment(), cel.dyn, `spec.variables[${at}]`, causes)
    types.set(name, program?.type ?? cel.dyn)
    return program === undefined ? [] : [{ name, program }]
  })
  const final = environment()
  return {
    name: object.metadata.name ?? '',
    match: resourceMatchOf(objectAt(spec, 'matchConstraints') ?? {}, 'resourceRules'),
    failsOpen: textAt(spec, 'failurePolicy') === 'Ignore',
    paramKind:
      kind === undefined ? undefined : { apiVersion: textAt(kind, 'apiVersion'), kind: textAt(kind, 'kind') },
    conditions: objectsAt(spec, 'matchConditions').flatMap((condition, at) => {
      const field = `spec.matchConditions[${at}]`
      const program = compiled(condition, 'expression', final, cel.bool, field, causes)
      return program === undefined ? [] : [{ name: textAt(condition, 'name'), program }]
    }),
    variables,
    validations: objectsAt(spec, 'validations').flatMap((validation, at) =>
      validationOf(validation, final, `spec.validations[${at}]`, causes),
    ),
    annotations: objectsAt(spec, 'auditAnnotations').flatMap((annotation, at) => {
      const field = `spec.auditAnnotations[${at}]`
      const program = compiled(annotation, 'valueExpression', final, textOrNull, field, causes)
      return program === undefined ? [] : [{ key: textAt(annotation, 'key'), program }]
    }),
  }
}

const textOrNull = [cel.string, cel.null]

function validationOf(
  validation: JsonObject,
  environment: Environment,
  field: string,
  causes: Cause[],
): readonly Validation[] {
  const program = compiled(validation, 'expression', environment, cel.bool, field, causes)
  const messageProgram =
    textAt(validation, 'messageExpression') === ''
      ? undefined
      : compiled(validation, 'messageExpression', environment, cel.string, field, causes)
  if (program === undefined) return []
  const [message, reason] = [textAt(validation, 'message').trim(), textAt(validation, 'reason')]
  return [{ program, messageProgram, message, reason: reason === '' ? 'Invalid' : reason }]
}

function compiled(
  object: JsonObject,
  name: string,
  environment: Environment,
  expected: CelType | readonly CelType[],
  path: string,
  causes: Cause[],
): Program | undefined {
  const source = textAt(object, name)
  const field = `${path}.${name}`
  if (source.trim() !== '') return compileRule(source, environment, expected, field, causes)
  causes.push(required(field, `${name} is not specified`))
  return undefined
}

export function bindingOf(object: ApiObject): Binding {
  const spec = objectAt(object, 'spec') ?? {}
  const match = objectAt(spec, 'matchResources')
  const actions = spec['validationActions']
  return {
    name: object.metadata.name ?? '',
    policyName: textAt(spec, 'policyName'),
    match: match === undefined ? undefined : resourceMatchOf(match, 'resourceRules'),
    actions: Array.isArray(actions) ? actions.filter(isAction) : [],
    paramRef: paramRefOf(objectAt(spec, 'paramRef')),
  }
}

function isAction(value: unknown): value is Action {
  return value === 'Deny' || value === 'Warn' || value === 'Audit'
}

function paramRefOf(ref: JsonObject | undefined): ParamRef | undefined {
  if (ref === undefined) return undefined
  return {
    name: textAt(ref, 'name'),
    namespace: textAt(ref, 'namespace'),
    selector: objectAt(ref, 'selector'),
    mayBeAbsent: textAt(ref, 'parameterNotFoundAction') === 'Allow',
  }
}
