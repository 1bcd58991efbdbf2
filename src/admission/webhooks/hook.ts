/** A webhook as a configuration describes it, ready to be asked. */

import type { JsonObject } from '../../json.ts'
import { type ClientConfig, readClientConfig } from '../../outside/client-config.ts'
import { objectAt, objectsAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import { type Condition, compileCondition } from '../dynamic/conditions.ts'
import { type ResourceMatch, resourceMatchOf } from '../dynamic/match.ts'

export type HookKind = 'mutating' | 'validating'
export type ReviewVersion = 'v1' | 'v1beta1'

export interface Hook {
  /** Unique among all hooks, and the same as long as the configuration names it: configuration, name, place. */
  readonly id: string
  readonly kind: HookKind
  /** Name of the configuration. */
  readonly configuration: string
  readonly name: string
  readonly match: ResourceMatch
  readonly conditions: readonly Condition[]
  /** Why a condition cannot be evaluated at all; undefined = all can. */
  readonly conditionProblem: string | undefined
  /** Goes on without an answer where there is none. */
  readonly failsOpen: boolean
  /** Asking it has no effect elsewhere, when it is a dry run. */
  readonly supportsDryRun: boolean
  readonly timeoutMs: number
  /** The first that both sides speak; undefined = none. */
  readonly reviewVersion: ReviewVersion | undefined
  /** Wants to be asked again when others have changed the object after it. */
  readonly reinvoked: boolean
  readonly client: ClientConfig
}

const timeoutSecondsUsual = 10

/** The hooks of a configuration, in its order. */
export function hooksOf(kind: HookKind, configuration: ApiObject): readonly Hook[] {
  const { name: configurationName = '' } = configuration.metadata
  return objectsAt(configuration as JsonObject, 'webhooks').map((webhook, at) => {
    const name = textAt(webhook, 'name')
    const seconds = webhook['timeoutSeconds']
    return {
      id: `${configurationName}/${name}/${at}`,
      configuration: configurationName,
      kind,
      name,
      match: resourceMatchOf(webhook, 'rules'),
      ...conditionsOf(webhook),
      failsOpen: textAt(webhook, 'failurePolicy') === 'Ignore',
      supportsDryRun: ['None', 'NoneOnDryRun'].includes(textAt(webhook, 'sideEffects')),
      timeoutMs: (typeof seconds === 'number' ? seconds : timeoutSecondsUsual) * 1000,
      reviewVersion: reviewVersionOf(webhook),
      reinvoked: textAt(webhook, 'reinvocationPolicy') === 'IfNeeded',
      client: readClientConfig(objectAt(webhook, 'clientConfig') ?? {}),
    }
  })
}

function conditionsOf(webhook: JsonObject): Pick<Hook, 'conditions' | 'conditionProblem'> {
  const conditions: Condition[] = []
  let conditionProblem: string | undefined
  for (const condition of objectsAt(webhook, 'matchConditions')) {
    const [name, expression] = [textAt(condition, 'name'), textAt(condition, 'expression')]
    const program = compileCondition(expression)
    if (program.ok) conditions.push({ name, program: program.value })
    else conditionProblem ??= `match condition ${JSON.stringify(name)}: ${program.failure.message}`
  }
  return { conditions, conditionProblem }
}

function reviewVersionOf(webhook: JsonObject): ReviewVersion | undefined {
  const versions = webhook['admissionReviewVersions']
  if (!Array.isArray(versions)) return undefined
  return versions.find((one): one is ReviewVersion => one === 'v1' || one === 'v1beta1')
}
