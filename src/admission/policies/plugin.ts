/** ValidatingAdmissionPolicy: rules as expressions, written through the API. */

import type { AdmissionPlugin } from '../admission.ts'
import { mayConcern } from '../dynamic/rules.ts'
import { isExempt, whenConfigured } from '../dynamic/when-configured.ts'
import type { PolicyDispatcher } from './dispatcher.ts'
import type { PolicySource } from './source.ts'

export interface PolicyPluginParts {
  readonly source: PolicySource
  /** Made when there is a policy. */
  readonly dispatcher: () => Promise<PolicyDispatcher>
}

export function createValidatingAdmissionPolicy({ source, dispatcher }: PolicyPluginParts): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionPolicy',
    asksOthers: (type, operation) =>
      !isExempt(type) &&
      (source.current ?? []).some(({ policy }) => mayConcern(policy.match.rules, type.plural, operation)),
    validate: (request) =>
      whenConfigured(source, request, (policies) =>
        policies.length === 0 ? undefined : dispatcher().then((judges) => judges.validate(policies, request)),
      ),
  }
}
