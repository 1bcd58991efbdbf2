/**
 * AlwaysPullImages: every container of a pod pulls its image at every start, so that nobody runs an image without
 * credentials for it. Source: specification, "Plugin behaviors".
 */

import { objectAt } from '../../types/draft.ts'
import type { ApiObject } from '../../types/object.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'
import { containersOf, isOf, pods } from '../request.ts'

export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  changes: [pods],
  mutate(request) {
    if (!isOf(request, pods) || request.subresource !== '' || isOldNews(request)) return
    for (const { container } of containersOf(specOf(request.object))) container['imagePullPolicy'] = 'Always'
  },
}

/** An update that brings no image: pods from before the plugin was turned on stay as they are. */
function isOldNews({ operation, object, oldObject }: AdmissionRequest): boolean {
  if (operation !== 'UPDATE') return operation !== 'CREATE'
  const before = new Set(images(oldObject))
  return images(object).every((image) => before.has(image))
}

function images(pod: ApiObject | undefined): readonly unknown[] {
  return containersOf(specOf(pod)).map(({ container }) => container['image'])
}

const specOf = (pod: ApiObject | undefined) => (pod === undefined ? undefined : objectAt(pod, 'spec'))
