/**
 * Priority: the class that a pod names becomes a number, and there is one default class at most.
 */

import { fail, ok, type Result } from '../../../store/contract.ts'
import type { Draft } from '../../schema/defaults.ts'
import type { ApiFailure } from '../../status/status.ts'
import { draftOf, ensureObject, objectAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import type { Lookup, Lookups } from '../lookup.ts'
import { createdPodSpec, isOf, pods, refusal } from '../request.ts'

const classesPrefix = 'scheduling/priorityclasses'

interface Priority {
  /** '' = of no class. */
  readonly className: string
  readonly value: number
  /** '' = the class says nothing. */
  readonly preemptionPolicy: string
}

const usual: Priority = { className: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' }

export function createPriority(lookups: Lookups): AdmissionPlugin {
  const classes = lookups(classesPrefix)
  return {
    name: 'Priority',
    changes: [pods],
    concerns: [pods, classesPrefix],
    async mutate(request) {
      if (request.subresource !== '' || !isOf(request, pods)) return undefined
      if (request.operation === 'UPDATE') return keepPriority(request)
      const spec = createdPodSpec(request)
      if (spec === undefined) return undefined
      const priority = await priorityOf(spec, classes, request)
      return priority.ok ? setPriority(spec, priority.value, request) : priority.failure
    },
    async validate(request) {
      const { object, operation, subresource } = request
      if (subresource !== '' || !isOf(request, classesPrefix) || object?.['globalDefault'] !== true)
        return undefined
      const found = await defaultClass(classes)
      if (!found.ok) return found.failure
      const name = found.value?.metadata.name
      if (name === undefined || (operation === 'UPDATE' && name === object.metadata.name)) return undefined
      return refusal(
        request,
        `PriorityClass ${name} is already marked as default. Only one default can exist`,
      )
    },
  }
}

/** Clients that do not know these fields leave them out when they write a pod back. */
function keepPriority({ object, oldObject }: AdmissionRequest): undefined {
  if (object === undefined || oldObject === undefined) return
  const spec = ensureObject(draftOf(object), 'spec')
  const before = objectAt(oldObject, 'spec')
  for (const name of ['priority', 'preemptionPolicy']) {
    const value = before?.[name]
    if (value !== undefined) spec[name] ??= value
  }
}

async function priorityOf(
  spec: Draft,
  classes: Lookup,
  request: AdmissionRequest,
): Promise<Result<Priority, ApiFailure>> {
  const name = textAt(spec, 'priorityClassName')
  const found = name === '' ? await defaultClass(classes) : await classes.get({ namespace: '', name })
  if (!found.ok) return found
  if (found.value !== undefined) return ok(readClass(found.value))
  return name === '' ? ok(usual) : fail(refusal(request, `no PriorityClass with name ${name} was found`))
}

function readClass(object: ApiObject): Priority {
  const { value, preemptionPolicy } = object
  return {
    className: object.metadata.name ?? '',
    value: typeof value === 'number' ? value : 0,
    preemptionPolicy: typeof preemptionPolicy === 'string' ? preemptionPolicy : '',
  }
}

/** Where two came through at once, the one of least value. */
async function defaultClass(classes: Lookup): Promise<Result<ApiObject | undefined, ApiFailure>> {
  const all = await classes.list('')
  if (!all.ok) return all
  const marked = all.value.filter((one) => one['globalDefault'] === true)
  return ok(marked.sort((a, b) => readClass(a).value - readClass(b).value)[0])
}

function setPriority(
  spec: Draft,
  { className, value, preemptionPolicy }: Priority,
  request: AdmissionRequest,
): ApiFailure | undefined {
  const { priority: givenValue, preemptionPolicy: givenPolicy } = spec
  if (typeof givenValue === 'number' && givenValue !== value) {
    return refusal(
      request,
      `the integer value of priority (${givenValue}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    )
  }
  if (className !== '') spec['priorityClassName'] = className
  spec['priority'] = value
  if (preemptionPolicy === '') return undefined
  if (typeof givenPolicy === 'string' && givenPolicy !== preemptionPolicy) {
    return refusal(
      request,
      `the string value of PreemptionPolicy (${givenPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    )
  }
  spec['preemptionPolicy'] = preemptionPolicy
  return undefined
}
