/** What is asked of an authorization webhook, and when. Checked and compiled. */

import type { Environment, Program } from '../../cel/expression.ts'
import { cel } from '../../cel/types.ts'

export interface AuthorizationWebhookSettings {
  /** Of the authorizer, for metrics and reasons. */
  readonly name: string
  /** Path of a client configuration file. */
  readonly kubeconfigFile: string
  readonly version: 'v1' | 'v1beta1'
  /** For all attempts together. */
  readonly timeoutMs: number
  readonly authorizedTtlMs: number
  readonly unauthorizedTtlMs: number
  /** What a webhook says that cannot be asked: nothing, or no. */
  readonly failurePolicy: 'NoOpinion' | 'Deny'
  /** All must hold for the webhook to be asked. */
  readonly matchConditions: readonly Program[]
}

/** The variable is the `spec` of a SubjectAccessReview of version v1; texts and lists are there even when empty. */
export const requestEnvironment: Environment = {
  variables: new Map([
    [
      'request',
      cel.object('kubernetes.SubjectAccessReviewSpec', {
        user: cel.string,
        groups: cel.list(cel.string),
        uid: cel.string,
        extra: cel.map(cel.string, cel.list(cel.string)),
        resourceAttributes: cel.maybe(
          cel.object('kubernetes.ResourceAttributes', {
            namespace: cel.string,
            verb: cel.string,
            group: cel.string,
            version: cel.string,
            resource: cel.string,
            subresource: cel.string,
            name: cel.string,
          }),
        ),
        nonResourceAttributes: cel.maybe(
          cel.object('kubernetes.NonResourceAttributes', { path: cel.string, verb: cel.string }),
        ),
      }),
    ],
  ]),
}
