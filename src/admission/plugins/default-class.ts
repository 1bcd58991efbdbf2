/**
 * DefaultStorageClass, DefaultIngressClass: claims and ingresses that name no class get the one that is marked as the
 * default. Source: specification, "Plugin behaviors".
 */

import type { Names } from '../../names/names.ts'
import { internalError } from '../../status/failures.ts'
import { draftOf, ensureObject } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { AdmissionPlugin } from '../admission.ts'
import type { Lookups } from '../lookup.ts'
import { created, refusal } from '../request.ts'

export function createDefaultStorageClass(names: Names, lookups: Lookups): AdmissionPlugin {
  const classes = lookups('storage/storageclasses')
  const own = names.expand('volume.beta.{labels}/storage-class')
  const marks = ['storageclass.{labels}', 'storageclass.beta.{labels}'].map((domain) =>
    names.expand(`${domain}/is-default-class`),
  )
  return {
    name: 'DefaultStorageClass',
    changes: ['core/persistentvolumeclaims'],
    concerns: ['core/persistentvolumeclaims'],
    async mutate(request) {
      const claim = created(request, 'core/persistentvolumeclaims')
      if (claim === undefined || has(claim, own)) return undefined
      const spec = ensureObject(draftOf(claim), 'spec')
      if (isGiven(spec['storageClassName'])) return undefined
      const all = await classes.list('')
      if (!all.ok) return all.failure
      const [first] = all.value.filter((one) => marks.some((mark) => isMarked(one, mark))).sort(byAge)
      if (first !== undefined) spec['storageClassName'] = first.metadata.name ?? ''
      return undefined
    },
  }
}

export function createDefaultIngressClass(names: Names, lookups: Lookups): AdmissionPlugin {
  const classes = lookups('networking/ingressclasses')
  const own = names.expand('{labels}/ingress.class')
  const mark = names.expand('ingressclass.{labels}/is-default-class')
  return {
    name: 'DefaultIngressClass',
    changes: ['networking/ingresses'],
    concerns: ['networking/ingresses'],
    async mutate(request) {
      const ingress = created(request, 'networking/ingresses')
      if (ingress === undefined || has(ingress, own)) return undefined
      const spec = ensureObject(draftOf(ingress), 'spec')
      if (isGiven(spec['ingressClassName'])) return undefined
      const all = await classes.list('')
      if (!all.ok) return all.failure
      const [first, ...more] = all.value.filter((one) => isMarked(one, mark))
      if (more.length > 0) {
        const { message } = internalError(`${more.length + 1} default IngressClasses were found`)
        return refusal(request, message)
      }
      if (first !== undefined) spec['ingressClassName'] = first.metadata.name ?? ''
      return undefined
    },
  }
}

/** '' is a class of its own: none. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null

const has = ({ metadata }: ApiObject, annotation: string): boolean =>
  metadata.annotations?.[annotation] !== undefined

const isMarked = ({ metadata }: ApiObject, mark: string): boolean => metadata.annotations?.[mark] === 'true'

/** The newest first; of equally old ones, by name. */
function byAge({ metadata: a }: ApiObject, { metadata: b }: ApiObject): number {
  const [older = '', newer = ''] = [a.creationTimestamp ?? '', b.creationTimestamp ?? '']
  if (older !== newer) return older < newer ? 1 : -1
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1
}
