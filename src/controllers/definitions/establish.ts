/** What becomes of a new or changed definition: its names are settled, then it is served. Pure. */

import { type Condition, hasTrue, setCondition } from '../../crd/definition/set-condition.ts'
import { sameJson } from '../../same-json.ts'
import { draftOf, ensureObject, objectAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import { type Names, nameDefinition } from './naming.ts'

const established: Condition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
}
const notAccepted: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
}

/**
 * Changes the definition. It is established with its names: whoever asks for the resource is made to wait for the newest
 * definitions, so there is nothing to wait for. What is established stays so, whatever names it wants next.
 */
export function establish(definition: ApiObject, others: readonly Names[], now: string): void {
  const accepted = acceptedNames(definition)
  const { names, condition } = nameDefinition(wantedNames(definition), accepted, others)
  if (!sameJson(names, accepted)) ensureObject(draftOf(definition), 'status')['acceptedNames'] = { ...names }
  setCondition(definition, condition, now)
  if (hasTrue(definition, 'Established')) return
  setCondition(definition, condition.status === 'True' ? established : notAccepted, now)
}

/** It has all names that it wants, and is served. */
export function isSettled(definition: ApiObject): boolean {
  return (
    hasTrue(definition, 'Established') &&
    hasTrue(definition, 'NamesAccepted') &&
    sameJson(wantedNames(definition), acceptedNames(definition))
  )
}

function wantedNames(definition: ApiObject): Names {
  return objectAt(definition, 'spec', 'names') ?? {}
}

export function acceptedNames(definition: ApiObject): Names {
  return objectAt(definition, 'status', 'acceptedNames') ?? {}
}
