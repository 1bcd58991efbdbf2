/** RuntimeClass: what a runtime costs beside the containers, and where it can run, becomes part of the pods that use it. */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { JsonObject } from '../../json.ts'
import type { Draft } from '../../schema/defaults.ts'
import { parseQuantity } from '../../schema/quantity.ts'
import type { ApiFailure } from '../../status/status.ts'
import { ensureObject, objectAt, objectsAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import type { Lookup, Lookups } from '../lookup.ts'
import { createdPodSpec, pods, refusal } from '../request.ts'

export function createRuntimeClass(lookups: Lookups): AdmissionPlugin {
  const classes = lookups('node/runtimeclasses')
  return {
    name: 'RuntimeClass',
    changes: [pods],
    concerns: [pods],
    async mutate(request) {
      const spec = createdPodSpec(request)
      if (spec === undefined) return undefined
      const found = await classOf(spec, classes, request)
      if (!found.ok) return found.failure
      const runtimeClass = found.value
      if (runtimeClass === undefined) return undefined
      return setOverhead(spec, runtimeClass, request) ?? setScheduling(spec, runtimeClass, request)
    },
    async validate(request) {
      const spec = createdPodSpec(request)
      if (spec === undefined) return undefined
      const found = await classOf(spec, classes, request)
      if (!found.ok) return found.failure
      const overhead = objectAt(spec, 'overhead')
      const wanted = found.value === undefined ? undefined : objectAt(found.value, 'overhead')
      if (wanted !== undefined)
        return sameAmounts(overhead, objectAt(wanted, 'podFixed')) ? undefined : mismatch(request)
      return overhead === undefined || Object.keys(overhead).length === 0
        ? undefined
        : refusal(
            request,
            'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
          )
    },
  }
}

async function classOf(
  spec: Draft,
  classes: Lookup,
  request: AdmissionRequest,
): Promise<Result<ApiObject | undefined, ApiFailure>> {
  const name = spec['runtimeClassName']
  if (typeof name !== 'string') return ok(undefined)
  const found = await classes.get({ namespace: '', name })
  if (!found.ok || found.value !== undefined) return found
  return fail(refusal(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`))
}

function mismatch(request: AdmissionRequest): ApiFailure {
  return refusal(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
}

function setOverhead(
  spec: Draft,
  runtimeClass: ApiObject,
  request: AdmissionRequest,
): ApiFailure | undefined {
  const wanted = objectAt(runtimeClass, 'overhead')
  if (wanted === undefined) return undefined
  const fixed = objectAt(wanted, 'podFixed') ?? {}
  const given = objectAt(spec, 'overhead')
  if (given !== undefined && Object.keys(given).length > 0 && !sameAmounts(given, fixed))
    return mismatch(request)
  spec['overhead'] = { ...fixed }
  return undefined
}

function setScheduling(
  spec: Draft,
  runtimeClass: ApiObject,
  request: AdmissionRequest,
): ApiFailure | undefined {
  const scheduling = objectAt(runtimeClass, 'scheduling')
  if (scheduling === undefined) return undefined
  const wanted = Object.entries(objectAt(scheduling, 'nodeSelector') ?? {})
  if (wanted.length > 0) {
    const selector = ensureObject(spec, 'nodeSelector')
    for (const [key, value] of wanted) {
      const given = Object.hasOwn(selector, key) ? selector[key] : undefined
      if (given !== undefined && given !== value) {
        return refusal(
          request,
          `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${String(value)}; pod.spec.nodeSelector[${key}] = ${String(given)}`,
        )
      }
    }
    spec['nodeSelector'] = Object.fromEntries([...Object.entries(selector), ...wanted])
  }
  mergeTolerations(spec, objectsAt(scheduling, 'tolerations'))
  return undefined
}

/** Only those that no toleration of the pod covers already. */
function mergeTolerations(spec: Draft, wanted: readonly Draft[]): void {
  if (wanted.length === 0) return
  const own = objectsAt(spec, 'tolerations')
  const all = [...own, ...wanted]
  const merged = all.filter(
    (one, at) =>
      !all.some(
        (other, otherAt) => otherAt !== at && covers(other, one) && (otherAt < at || !covers(one, other)),
      ),
  )
  spec['tolerations'] = merged.map((one) => ({ ...one }))
}

/** Everything that `narrow` tolerates, `wide` tolerates for as long. */
function covers(wide: JsonObject, narrow: JsonObject): boolean {
  const [key, effect] = [textAt(wide, 'key'), textAt(wide, 'effect')]
  if (key !== '' && key !== textAt(narrow, 'key')) return false
  if (effect !== '' && effect !== textAt(narrow, 'effect')) return false
  if (effect === 'NoExecute' && !staysAsLong(wide['tolerationSeconds'], narrow['tolerationSeconds']))
    return false
  switch (textAt(wide, 'operator')) {
    case 'Exists':
      return true
    case '':
    case 'Equal':
      return (
        key === textAt(narrow, 'key') &&
        textAt(narrow, 'operator') !== 'Exists' &&
        textAt(wide, 'value') === textAt(narrow, 'value')
      )
    default:
      return false
  }
}

function staysAsLong(wide: unknown, narrow: unknown): boolean {
  if (typeof wide !== 'number') return true
  return typeof narrow === 'number' && wide >= narrow
}

function sameAmounts(a: JsonObject | undefined, b: JsonObject | undefined): boolean {
  const [left, right] = [Object.entries(a ?? {}), new Map(Object.entries(b ?? {}))]
  return (
    left.length === right.size && left.every(([name, amount]) => nanos(amount) === nanos(right.get(name)))
  )
}

function nanos(amount: unknown): bigint | undefined {
  return typeof amount === 'string' ? parseQuantity(amount)?.nanos : undefined
}
