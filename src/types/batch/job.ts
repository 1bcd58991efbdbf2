/** Jobs: each selects its own pods by its own uid, unless somebody wants to select them by hand. */

import type { JsonObject } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import { invalidValue } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import { createPodRules } from '../core/pod-rules.ts'
import { draftOf, ensureObject, objectAt } from '../draft.ts'
import { semanticallyEqual } from '../equality.ts'
import { changedCauses, valueAt } from '../immutable.ts'
import type { ModuleFactory } from '../module.ts'
import type { ApiObject } from '../object.ts'
import type { Causes } from '../validation/checks.ts'
import { specOf } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import { checkJobSpec } from './rules.ts'

export const job: ModuleFactory = ({ names }) => {
  const rules = createPodRules(names.labelDomain)
  return {
    strategy: {
      addsOnCreate: true,
      prepareForCreate: (object) => selectOwnPods(object, names),
      validate: validates((causes, object) => checkJobSpec(causes, 'spec', specOf(object), rules)),
      validateCreate: validates((causes, object) => checkOwnSelector(causes, object, names)),
      validateUpdate,
      selectableFields: (object) => ({
        'status.successful': String(objectAt(object, 'status')?.['succeeded'] ?? 0),
      }),
    },
  }
}

function selectOwnPods(object: ApiObject, { expand }: Names): void {
  const spec = ensureObject(draftOf(object), 'spec')
  if (spec['manualSelector'] === true) return
  const { name = '', uid = '' } = object.metadata
  const own = {
    [expand('batch.{labels}/controller-uid')]: uid,
    [expand('batch.{labels}/job-name')]: name,
    'controller-uid': uid,
    'job-name': name,
  }
  const metadata = ensureObject(draftOf(object), 'metadata')
  const template = ensureObject(spec, 'template', 'metadata')
  const given = objectAt(template, 'labels') ?? {}
  // A job without labels of its own has those of its template, also these.
  if (semanticallyEqual(metadata['labels'] ?? {}, given)) metadata['labels'] = { ...given, ...own }
  template['labels'] = { ...given, ...own }
  // What is there already stays: the check that follows refuses it then.
  const chosen = ensureObject(spec, 'selector', 'matchLabels')
  chosen[expand('batch.{labels}/controller-uid')] ??= uid
}

/** Who does not select by hand does not select at all. */
function checkOwnSelector(causes: Causes, object: ApiObject, { expand }: Names): void {
  const spec = specOf(object)
  if (spec['manualSelector'] === true) return
  const own = { matchLabels: { [expand('batch.{labels}/controller-uid')]: object.metadata.uid ?? '' } }
  if (!semanticallyEqual(spec['selector'] ?? {}, own))
    causes.push(invalidValue('spec.selector', spec['selector'], '`selector` not auto-generated'))
}

const fixed = ['spec.selector', 'spec.completionMode', 'spec.podFailurePolicy', 'spec.backoffLimitPerIndex']

function validateUpdate(object: ApiObject, old: ApiObject): readonly Cause[] {
  const spec = objectAt(object, 'spec') ?? {}
  // An indexed job may grow or shrink as long as all its indexes run at once.
  const elastic = spec['completionMode'] === 'Indexed' && spec['completions'] === spec['parallelism']
  return [
    ...changedCauses(object, old, elastic ? fixed : ['spec.completions', ...fixed]),
    ...templateCauses(object, old),
  ]
}

/** A suspended job that has not started may still be told where its pods shall run. */
function templateCauses(object: ApiObject, old: ApiObject): readonly Cause[] {
  const unstarted =
    objectAt(old, 'spec')?.['suspend'] === true && objectAt(old, 'status')?.['startTime'] === undefined
  if (!unstarted) return changedCauses(object, old, ['spec.template'])
  const same = semanticallyEqual(withoutDirectives(object), withoutDirectives(old))
  return same ? [] : changedCauses(object, old, ['spec.template'])
}

function withoutDirectives(object: ApiObject): JsonObject {
  const template = valueAt(object, 'spec.template')
  const {
    nodeSelector: _selector,
    affinity: _affinity,
    tolerations: _tolerations,
    schedulingGates: _gates,
    ...spec
  } = objectAt({ template: template ?? {} }, 'template', 'spec') ?? {}
  return spec
}
