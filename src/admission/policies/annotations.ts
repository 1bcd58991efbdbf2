/** What policies have written down of a request. Source: admissionregistration/v1 ValidatingAdmissionPolicy. */

import type { AuditAnnotations } from '../../audit/annotations.ts'
import type { Names } from '../../names/names.ts'
import type { Finding, Judgement } from './evaluator.ts'
import type { Binding, Policy } from './policy.ts'

const valueLengthMax = 10 * 1024

/** Of one policy, through all its bindings and parameters. */
export class PolicyAnnotations {
  readonly #values = new Map<string, string[]>()

  /** The same value counts once. */
  add(annotations: Judgement['annotations']): void {
    for (const [key, given] of annotations) {
      const value = given.slice(0, valueLengthMax)
      const values = this.#values.get(key)
      if (values === undefined) this.#values.set(key, [value])
      else if (!values.includes(value)) values.push(value)
    }
  }

  publish({ name }: Policy, audit: AuditAnnotations): void {
    for (const [key, values] of this.#values) audit.annotate(`${name}/${key}`, values.join(', '))
  }
}

/** The action `Audit`: nobody is refused, and it is known all the same. */
export function annotateFailure(
  { name: policy }: Policy,
  { name: binding, actions }: Binding,
  { message, index }: Finding,
  audit: AuditAnnotations,
  names: Names,
): void {
  if (index === undefined) return
  const failure = { message, policy, binding, expressionIndex: index, validationActions: actions }
  audit.annotate(
    names.expand('validation.policy.admission.{groups}/validation_failure'),
    JSON.stringify([failure]),
  )
}
