/** Persistent volumes and claims: pending at first, and fixed to what they were made for. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, invalidValue } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import { draftOf, ensureObject, objectAt, textAt } from '../draft.ts'
import { semanticallyEqual } from '../equality.ts'
import type { ModuleFactory } from '../module.ts'
import type { ApiObject } from '../object.ts'
import { compareAmounts } from '../validation/quantities.ts'
import { has, objectIn, specOf, textIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import { checkClaimSpec } from './claim-rules.ts'
import { checkPersistentVolumeSpec, usageFields } from './persistent-volume-rules.ts'
import { claimWarnings, volumeObjectWarnings } from './pod-warnings.ts'

export const persistentVolume: ModuleFactory = () => ({
  strategy: {
    prepareForCreate(object, { now }) {
      object['status'] = { phase: 'Pending', lastPhaseTransitionTime: now }
    },
    prepareForStatus: (object, old, { now }) => stampPhase(object, old, now),
    validate: validates((causes, object) => checkPersistentVolumeSpec(causes, 'spec', specOf(object))),
    warnings: volumeObjectWarnings,
    validateUpdate(object, old) {
      const same = semanticallyEqual(volumeSource(object), volumeSource(old))
      const source = forbiddenField(
        'spec.persistentvolumesource',
        'spec.persistentvolumesource is immutable after creation',
      )
      const [after, before] = [specOf(object), specOf(old)]
      return [
        ...(same ? [] : [source]),
        ...fixedMember(after, before, 'volumeMode'),
        ...(has(before, 'nodeAffinity') ? fixedMember(after, before, 'nodeAffinity') : []),
      ]
    },
  },
})

/** Clients know these paths without the spec. */
function fixedMember(after: JsonObject, before: JsonObject, name: string): readonly Cause[] {
  const value = after[name]
  return semanticallyEqual(value, before[name]) ? [] : [invalidValue(name, value, 'field is immutable')]
}

/** When the phase was last another: told by who writes the status, or set here. */
function stampPhase(object: ApiObject, old: ApiObject, now: string): void {
  const after = ensureObject(draftOf(object), 'status')
  const before = objectAt(old, 'status') ?? {}
  const [told, known] = [textAt(after, 'lastPhaseTransitionTime'), textAt(before, 'lastPhaseTransitionTime')]
  if (textAt(after, 'phase') !== textAt(before, 'phase')) {
    if (told === '' || told === known) after['lastPhaseTransitionTime'] = now
  } else if (told === '' && known !== '') after['lastPhaseTransitionTime'] = known
}

/** Everything of the spec that is not about how the volume is used. */
function volumeSource(object: ApiObject) {
  return Object.fromEntries(
    Object.entries(objectAt(object, 'spec') ?? {}).filter(([name]) => !usageFields.has(name)),
  )
}

export const persistentVolumeClaim: ModuleFactory = () => ({
  strategy: {
    addsOnCreate: true,
    prepareForCreate(object) {
      object['status'] = { phase: 'Pending' }
      mirrorDataSource(object)
    },
    prepareForUpdate: mirrorDataSource,
    validate: validates((causes, object) => checkClaimSpec(causes, 'spec', specOf(object))),
    warnings: claimWarnings,
    validateUpdate: claimUpdate,
  },
})

/** The old and the new way to name a source mean the same, as long as it is in the claim's own namespace. */
function mirrorDataSource(object: ApiObject): void {
  const spec = ensureObject(draftOf(object), 'spec')
  const source = objectAt(spec, 'dataSource')
  const reference = objectAt(spec, 'dataSourceRef')
  if (source !== undefined && reference === undefined) spec['dataSourceRef'] = { ...source }
  if (source === undefined && reference !== undefined && textAt(reference, 'namespace') === '') {
    const { namespace: _namespace, ...rest } = reference
    spec['dataSource'] = rest
  }
}

const claimDetail =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'

/** Binding sets the volume's name; a bound claim may ask for more room. */
function claimUpdate(object: ApiObject, old: ApiObject): readonly Cause[] {
  const bound = textAt(objectAt(old, 'status'), 'phase') === 'Bound'
  const unnamed = textAt(objectAt(old, 'spec'), 'volumeName') === ''
  const fixed = (claim: ApiObject) => {
    const { volumeName, resources, volumeAttributesClassName, ...rest } = objectAt(claim, 'spec') ?? {}
    return {
      ...rest,
      ...(unnamed || volumeName === undefined ? {} : { volumeName }),
      ...(bound || resources === undefined ? {} : { resources }),
      ...(bound || volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
    }
  }
  const same = semanticallyEqual(fixed(object), fixed(old))
  return [...(same ? [] : [forbiddenField('spec', claimDetail)]), ...shrinkCauses(object, old)]
}

/** Storage that is there cannot become less. */
function shrinkCauses(object: ApiObject, old: ApiObject): readonly Cause[] {
  const requested = (claim: ApiObject) =>
    textIn(objectIn(objectIn(specOf(claim), 'resources'), 'requests'), 'storage')
  const [after, before] = [requested(object), requested(old)]
  if (before === '' || compareAmounts(after === '' ? '0' : after, before) >= 0) return []
  return [forbiddenField('spec.resources.requests.storage', 'field can not be less than previous value')]
}
