/**
 * Admission policies and their bindings: that they say something. Their expressions are checked beside, where they are
 * compiled (`src/admission/policies/policy-check.ts`).
 */

import { duplicate, invalidValue, required } from '../../status/causes.ts'
import type { ModuleFactory } from '../module.ts'
import { allMetadataParts } from '../resource.ts'
import { type Causes, checkDistinct } from '../validation/checks.ts'
import { checkSelector } from '../validation/labels.ts'
import { type Given, has, itemsIn, objectIn, specOf, textIn, textsIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import { checkRules } from './rules.ts'

export const validatingAdmissionPolicy: ModuleFactory = () => ({
  strategy: {
    finalizersWithoutDomain: true,
    keptByStatus: allMetadataParts,
    validate: validates((causes, object) => {
      const spec = specOf(object)
      const constraints = objectIn(spec, 'matchConstraints')
      if (itemsIn(spec, 'validations').length === 0 && itemsIn(spec, 'auditAnnotations').length === 0)
        causes.push(
          required(
            'spec.validations',
            'validations or auditAnnotations must be non-empty; at least one is required',
          ),
        )
      if (constraints === undefined) causes.push(required('spec.matchConstraints'))
      else {
        if (itemsIn(constraints, 'resourceRules').length === 0)
          causes.push(required('spec.matchConstraints.resourceRules'))
        checkMatch(causes, 'spec.matchConstraints', constraints)
      }
      const kind = objectIn(spec, 'paramKind')
      for (const name of ['apiVersion', 'kind']) {
        if (kind !== undefined && textIn(kind, name) === '') causes.push(required(`spec.paramKind.${name}`))
      }
      const names = new Set<string>()
      for (const [i, variable] of itemsIn(spec, 'variables').entries()) {
        const name = textIn(variable, 'name')
        if (names.has(name)) causes.push(duplicate(`spec.variables[${i}].name`, name))
        names.add(name)
      }
    }),
  },
})

export const validatingAdmissionPolicyBinding: ModuleFactory = () => ({
  strategy: {
    finalizersWithoutDomain: true,
    validate: validates((causes, object) => {
      const spec = specOf(object)
      if (textIn(spec, 'policyName') === '') causes.push(required('spec.policyName'))
      if (textsIn(spec, 'validationActions').length === 0) causes.push(required('spec.validationActions'))
      checkDistinct(causes, 'spec', spec, 'validationActions')
      const actions = textsIn(spec, 'validationActions')
      if (actions.includes('Deny') && actions.includes('Warn'))
        causes.push(
          invalidValue(
            'spec.validationActions',
            actions,
            'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
          ),
        )
      checkMatch(causes, 'spec.matchResources', objectIn(spec, 'matchResources'))
      const ref = objectIn(spec, 'paramRef')
      if (ref !== undefined && textIn(ref, 'name') === '' && !has(ref, 'selector'))
        causes.push(required('spec.paramRef', 'one of name or selector must be specified'))
    }),
  },
})

function checkMatch(causes: Causes, path: string, match: Given): void {
  if (match === undefined) return
  checkSelector(causes, `${path}.namespaceSelector`, objectIn(match, 'namespaceSelector'))
  checkSelector(causes, `${path}.objectSelector`, objectIn(match, 'objectSelector'))
  for (const name of ['resourceRules', 'excludeResourceRules']) {
    checkRules(causes, `${path}.${name}`, itemsIn(match, name))
  }
}
