/** Core types with few rules of their own. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, invalidValue, notSupported, required } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import { semanticallyEqual } from '../equality.ts'
import { forbiddenChanges, immutable, valueAt } from '../immutable.ts'
import type { ModuleFactory } from '../module.ts'
import type { ApiObject } from '../object.ts'
import { type Causes, checkText } from '../validation/checks.ts'
import { parseRange, rangeProblems } from '../validation/ip.ts'
import { labelValueProblems, qualifiedNameProblems } from '../validation/names.ts'
import { createResourceNames, isNegative, notNegativeText } from '../validation/quantities.ts'
import { entriesIn, has, itemsIn, jsonOf, objectIn, specOf, textIn, textsIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import { checkDuplicateTaint, checkLimitRangeSpec, checkQuotaSpec } from './quota-rules.ts'

/** A node's agent knows its state when it registers. */
export const node: ModuleFactory = () => ({
  strategy: {
    keepsStatusOnCreate: true,
    validate: validates(checkNode),
    validateUpdate: nodeUpdate,
  },
})

const fixedOnce = ['podCIDRs', 'providerID']

/** Who a node is and which addresses its pods have is said once; what else it is for changes by labels and taints. */
function nodeUpdate(object: ApiObject, old: ApiObject): readonly Cause[] {
  const causes = fixedOnce
    .filter((name) => valueAt(old, `spec.${name}`) !== undefined)
    .flatMap((name) =>
      forbiddenChanges(
        object,
        old,
        [`spec.${name}`],
        `node updates may not change ${name === 'podCIDRs' ? 'podCIDR' : name} except from "" to valid`,
      ),
    )
  const same = semanticallyEqual(protectedSpec(object, old), protectedSpec(old, old))
  if (same && causes.length === 0) return causes
  // A cause without a field has this one.
  const detail = 'node updates may only change labels, taints, or capacity'
  return [...causes, forbiddenField('[]', detail)]
}

/** The spec without what may change, or may still be said. */
function protectedSpec(node: ApiObject, old: ApiObject): JsonObject {
  const { taints: _taints, unschedulable: _unschedulable, configSource: _source, ...spec } = specOf(node)
  const { podCIDR: _range, podCIDRs: _ranges, providerID: _provider, ...rest } = spec
  const before = specOf(old)
  return has(before, 'providerID') ? { ...rest, providerID: spec['providerID'] ?? '' } : rest
}

const podRangesMax = 2

function checkNode(causes: Causes, object: ApiObject): void {
  const spec = specOf(object)
  // They are in the spec, whatever causes call it.
  checkTaints(causes, 'metadata', spec)
  const ranges = textsIn(spec, 'podCIDRs')
  for (const [i, range] of ranges.entries()) checkText(causes, `spec.podCIDRs[${i}]`, range, rangeProblems)
  if (ranges.length > podRangesMax)
    causes.push(invalidValue('spec.podCIDRs', ranges, 'may specify no more than one CIDR for each IP family'))
  else if (new Set(ranges.map((range) => parseRange(range)?.family)).size < ranges.length)
    causes.push(invalidValue('spec.podCIDRs', ranges, 'may specify no more than one CIDR for each IP family'))
  const status = objectIn(jsonOf(object), 'status')
  for (const name of ['capacity', 'allocatable']) {
    for (const [resource, amount] of entriesIn(status, name)) {
      if (isNegative(String(amount)))
        causes.push(invalidValue(`status.${name}[${resource}]`, amount, notNegativeText))
    }
  }
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

function checkTaints(causes: Causes, path: string, spec: JsonObject): void {
  const seen = new Set<string>()
  for (const [i, taint] of itemsIn(spec, 'taints').entries()) {
    const at = `${path}.taints[${i}]`
    const effect = textIn(taint, 'effect')
    checkText(causes, `${at}.key`, textIn(taint, 'key'), qualifiedNameProblems)
    checkText(causes, `${at}.value`, textIn(taint, 'value'), labelValueProblems)
    if (effect === '') causes.push(required(`${at}.effect`))
    else if (!effects.includes(effect)) causes.push(notSupported(`${at}.effect`, effect, effects))
    checkDuplicateTaint(causes, at, taint, seen)
  }
}

export const resourceQuota: ModuleFactory = ({ names }) => {
  const resources = createResourceNames(names.labelDomain)
  return {
    strategy: {
      validate: validates((causes, object) => checkQuotaSpec(causes, 'spec', specOf(object), resources)),
      validateUpdate: immutable('spec.scopes'),
    },
  }
}

export const limitRange: ModuleFactory = ({ names }) => {
  const resources = createResourceNames(names.labelDomain)
  return {
    strategy: {
      validate: validates((causes, object) => checkLimitRangeSpec(causes, 'spec', specOf(object), resources)),
    },
  }
}

/** The finalizers of the spec are held to the same form as those of the metadata. */
export function checkNamespaceFinalizers(causes: Causes, object: ApiObject, product: string): void {
  for (const finalizer of textsIn(specOf(object), 'finalizers')) {
    const at = 'spec.finalizers'
    checkText(causes, at, finalizer, qualifiedNameProblems)
    if (!finalizer.includes('/') && finalizer !== product)
      causes.push(
        invalidValue(at, finalizer, 'name is neither a standard finalizer name nor is it fully qualified'),
      )
  }
}
