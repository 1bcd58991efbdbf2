/** Jobs: each selects its own pods by its own uid, unless somebody wants to select them by hand. */

import type { JsonObject } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import { invalidMap, invalidValue, required } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import { createPodRules } from '../core/pod-rules.ts'
import { templateWarnings } from '../core/pod-warnings.ts'
import { draftOf, ensureObject, objectAt } from '../draft.ts'
import { semanticallyEqual } from '../equality.ts'
import { changedCauses, valueAt } from '../immutable.ts'
import type { ModuleFactory } from '../module.ts'
import type { ApiObject } from '../object.ts'
import { countedBy, jobCounts } from '../status-counts.ts'
import type { Causes } from '../validation/checks.ts'
import { objectIn, specOf } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import { checkIndexedName, checkJobSpec } from './rules.ts'

export const job: ModuleFactory = ({ names }) => {
  const rules = createPodRules(names.labelDomain)
  return {
    strategy: {
      addsOnCreate: true,
      prepareForCreate: (object) => selectOwnPods(object, names),
      validate: validates((causes, object) => {
        checkJobSpec(causes, 'spec', specOf(object), rules)
        checkOwnSelector(causes, object, names)
        checkIndexedName(causes, object.metadata.name ?? '', specOf(object))
      }),
      validateUpdate,
      warnings: templateWarnings(names.labelDomain, ['spec', 'template'], true),
      validateStatusUpdate: countedBy(jobCounts),
      selectableFields: (object) => ({
        'status.successful': String(objectAt(object, 'status')?.['succeeded'] ?? 0),
      }),
    },
  }
}

/** What the pods of a job are known by. */
function ownLabels({ metadata: { name = '', uid = '' } }: ApiObject, { expand }: Names) {
  return {
    [expand('batch.{labels}/controller-uid')]: uid,
    [expand('batch.{labels}/job-name')]: name,
    'controller-uid': uid,
    'job-name': name,
  }
}

function selectOwnPods(object: ApiObject, names: Names): void {
  const spec = ensureObject(draftOf(object), 'spec')
  if (spec['manualSelector'] === true) return
  const own = ownLabels(object, names)
  const metadata = ensureObject(draftOf(object), 'metadata')
  const template = ensureObject(spec, 'template', 'metadata')
  const given = objectAt(template, 'labels') ?? {}
  // A job without labels of its own has those of its template, also these.
  if (semanticallyEqual(metadata['labels'] ?? {}, given)) metadata['labels'] = { ...own, ...given }
  // What is there already stays: the check that follows refuses it then.
  template['labels'] = { ...own, ...given }
  const chosen = ensureObject(spec, 'selector', 'matchLabels')
  const [[key, uid] = ['', '']] = Object.entries(own)
  chosen[key] ??= uid
}

/** Who does not select by hand does not select at all, and leaves the labels of pods to the server. */
function checkOwnSelector(causes: Causes, object: ApiObject, names: Names): void {
  const spec = specOf(object)
  if (spec['manualSelector'] === true) return
  const labels = objectIn(objectIn(objectIn(spec, 'template'), 'metadata'), 'labels') ?? {}
  const own = Object.entries(ownLabels(object, names))
  const at = 'spec.template.metadata.labels'
  for (const [key, expected] of own) {
    const detail = `must be '${expected}'`
    if (labels[key] === undefined) causes.push(required(`${at}[${key}]`, detail))
    else if (labels[key] !== expected) causes.push(invalidMap(`${at}[${key}]`, labels, detail))
  }
  const [uid] = own
  const selector = uid === undefined ? {} : { matchLabels: Object.fromEntries([uid]) }
  if (!semanticallyEqual(spec['selector'] ?? {}, selector))
    causes.push(invalidValue('spec.selector', spec['selector'], '`selector` not auto-generated'))
}

const fixed = ['spec.selector', 'spec.completionMode', 'spec.podFailurePolicy', 'spec.backoffLimitPerIndex']

function validateUpdate(object: ApiObject, old: ApiObject): readonly Cause[] {
  const spec = objectAt(object, 'spec') ?? {}
  const indexed = spec['completionMode'] === 'Indexed'
  return [
    ...(indexed ? growthCauses(spec, objectAt(old, 'spec') ?? {}) : []),
    ...changedCauses(object, old, indexed ? fixed : ['spec.completions', ...fixed]),
    ...templateCauses(object, old),
  ]
}

/** An indexed job may grow or shrink as long as all its indexes run at once. */
function growthCauses(spec: JsonObject, old: JsonObject): readonly Cause[] {
  const { completions, parallelism } = spec
  if (completions === undefined || completions === old['completions'] || completions === parallelism)
    return []
  return [
    invalidValue('spec.completions', completions, 'can only be modified in tandem with spec.parallelism'),
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

/** Of affinities, only what a pod wants of its nodes is a directive. */
function withoutDirectives(object: ApiObject): JsonObject {
  const template = objectAt({ template: valueAt(object, 'spec.template') ?? {} }, 'template') ?? {}
  const { labels: _labels, annotations: _annotations, ...metadata } = objectAt(template, 'metadata') ?? {}
  const {
    nodeSelector: _selector,
    tolerations: _tolerations,
    schedulingGates: _gates,
    affinity: _affinity,
    ...spec
  } = objectAt(template, 'spec') ?? {}
  const { nodeAffinity: _node, ...affinity } = objectAt(template, 'spec', 'affinity') ?? {}
  return { metadata, spec, affinity }
}
