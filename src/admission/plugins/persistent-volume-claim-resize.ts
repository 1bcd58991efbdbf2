/** PersistentVolumeClaimResize: a claim grows only when it is bound and its class allows it. */

import type { Names } from '../../names/names.ts'
import { objectAt, textAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import { compareAmounts } from '../../types/validation/quantities.ts'
import type { AdmissionPlugin } from '../admission.ts'
import type { Lookups } from '../lookup.ts'
import { isOf, refusal } from '../request.ts'

export function createPersistentVolumeClaimResize(names: Names, lookups: Lookups): AdmissionPlugin {
  const classes = lookups('storage/storageclasses')
  const annotation = names.expand('volume.beta.{labels}/storage-class')

  const classOf = (claim: ApiObject): string =>
    claim.metadata.annotations?.[annotation] ?? textAt(objectAt(claim, 'spec'), 'storageClassName')

  return {
    name: 'PersistentVolumeClaimResize',
    concerns: ['core/persistentvolumeclaims'],
    async validate(request) {
      const { operation, subresource, object, oldObject } = request
      if (operation !== 'UPDATE' || subresource !== '' || !isOf(request, 'core/persistentvolumeclaims'))
        return undefined
      if (object === undefined || oldObject === undefined) return undefined
      if (compareAmounts(sizeOf(object), sizeOf(oldObject)) <= 0) return undefined
      if (textAt(objectAt(oldObject, 'status'), 'phase') !== 'Bound')
        return refusal(request, 'Only bound persistent volume claims can be expanded')
      const name = classOf(object)
      if (name !== '' && name === classOf(oldObject)) {
        const found = await classes.get({ namespace: '', name })
        if (!found.ok) return found.failure
        if (found.value?.['allowVolumeExpansion'] === true) return undefined
      }
      return refusal(
        request,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      )
    },
  }
}

function sizeOf(claim: ApiObject): string {
  return textAt(objectAt(claim, 'spec', 'resources', 'requests'), 'storage')
}
