/** Expressions that tell whether a webhook or a policy is concerned. Source: specification, "Expression language". */

import type { Result } from '../../../store/contract.ts'
import {
  type CelProblem,
  type CelType,
  cel,
  compileExpression,
  type Environment,
  type Program,
} from '../../cel/expression.ts'
import {
  AuthorizerValue,
  authorizerLibrary,
  authorizerType,
  ResourceCheckValue,
  resourceCheckType,
} from '../../cel/library/extensions/authorizer.ts'
import { kubernetesLibraries } from '../../cel/library/kubernetes.ts'
import { matchConditionsCostMax } from '../../cel/limits.ts'
import { isJsonObject, type JsonObject } from '../../json.ts'
import type { Cause } from '../../status/status.ts'
import { compileRule } from '../../types/validation/expression.ts'
import type { AdmissionRequest } from '../admission.ts'
import { type AccessAnswers, evaluateWithAccess } from './access-checks.ts'

export interface Condition {
  readonly name: string
  readonly program: Program
}

const groupVersionKind = cel.object('kubernetes.GroupVersionKind', {
  group: cel.string,
  version: cel.string,
  kind: cel.string,
})
const groupVersionResource = cel.object('kubernetes.GroupVersionResource', {
  group: cel.string,
  version: cel.string,
  resource: cel.string,
})
const userInfo = cel.object('kubernetes.UserInfo', {
  username: cel.string,
  uid: cel.string,
  groups: cel.list(cel.string),
  extra: cel.map(cel.string, cel.list(cel.string)),
})

/** The type of the variable `request`. */
export const admissionRequestType = cel.object('kubernetes.AdmissionRequest', {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: cel.string,
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: cel.string,
  name: cel.string,
  namespace: cel.string,
  operation: cel.string,
  userInfo,
  dryRun: cel.bool,
  options: cel.dyn,
})

export const admissionLibraries = [...kubernetesLibraries, authorizerLibrary]

/** What a condition may name. */
export const conditionEnvironment: Environment = {
  variables: new Map<string, CelType>([
    ['object', cel.dyn],
    ['oldObject', cel.dyn],
    ['request', admissionRequestType],
    ['authorizer', authorizerType],
    ['authorizer.requestResource', resourceCheckType],
  ]),
  libraries: admissionLibraries,
}

/** What a configuration asks for was checked when it was written: the failure is that of an older server's object. */
export function compileCondition(expression: string): Result<Program, CelProblem> {
  return compileExpression(expression, conditionEnvironment, cel.bool)
}

/** Undefined = the expression is wrong, and `causes` says why. */
export function checkCondition(expression: string, field: string, causes: Cause[]): Program | undefined {
  return compileRule(expression, conditionEnvironment, cel.bool, field, causes)
}

/** Values of the variables. `document` is what {@link requestDocument} makes. */
export function conditionVariables(
  request: AdmissionRequest,
  document: JsonObject,
  answers: AccessAnswers,
): Readonly<Record<string, unknown>> {
  const { object = null, oldObject = null, resource } = document
  const checker = answers.checkerFor(request.user)
  const { group = '', resource: plural = '' } = isJsonObject(resource) ? resource : {}
  return {
    object,
    oldObject,
    request: document,
    authorizer: new AuthorizerValue(checker),
    'authorizer.requestResource': new ResourceCheckValue(checker, {
      group: String(group),
      resource: String(plural),
      subresource: request.subresource,
      namespace: request.namespace,
      name: request.name,
    }),
  }
}

export type Match =
  | { readonly type: 'match' | 'excluded' }
  /** None said no, and some said nothing. */
  | { readonly type: 'error'; readonly message: string }

/** One that does not hold outweighs those that cannot be evaluated. */
export function matchConditions(
  conditions: readonly Condition[],
  variables: Readonly<Record<string, unknown>>,
  answers: AccessAnswers,
): Promise<Match> {
  return evaluateWithAccess(answers, () => matchOnce(conditions, variables, { left: matchConditionsCostMax }))
}

/** One round. What it costs is taken from `budget`. */
export function matchOnce(
  conditions: readonly Condition[],
  variables: Readonly<Record<string, unknown>>,
  budget: { left: number },
): Match {
  const problems: string[] = []
  for (const { name, program } of conditions) {
    const { result, cost } = program.measure(variables, { costMax: budget.left })
    budget.left = Math.max(0, budget.left - cost)
    if (!result.ok)
      problems.push(
        `match condition ${JSON.stringify(name)}: expression '${program.source}' resulted in error: ${result.failure.message}`,
      )
    else if (result.value !== true) return { type: 'excluded' }
  }
  if (problems.length === 0) return { type: 'match' }
  return { type: 'error', message: problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]` }
}
