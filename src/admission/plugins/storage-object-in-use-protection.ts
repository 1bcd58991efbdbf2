/** StorageObjectInUseProtection: volumes and claims outlive their deletion while they are in use. */

import type { Names } from '../../names/names.ts'
import type { AdmissionPlugin } from '../admission.ts'
import { created } from '../request.ts'

export function createStorageObjectInUseProtection(names: Names): AdmissionPlugin {
  const protections = [
    ['core/persistentvolumes', names.expand('{labels}/pv-protection')],
    ['core/persistentvolumeclaims', names.expand('{labels}/pvc-protection')],
  ] as const
  return {
    name: 'StorageObjectInUseProtection',
    changes: protections.map(([prefix]) => prefix),
    mutate(request) {
      for (const [prefix, finalizer] of protections) {
        const metadata = created(request, prefix)?.metadata
        if (metadata === undefined || metadata.finalizers?.includes(finalizer)) continue
        metadata.finalizers = [...(metadata.finalizers ?? []), finalizer]
      }
    },
  }
}
