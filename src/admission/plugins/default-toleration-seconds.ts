/** DefaultTolerationSeconds: a pod stays for five minutes on a node that is not ready or cannot be reached. */

import type { Names } from '../../names/names.ts'
import { draftOf, ensureObject, objectsAt, textAt } from '../../types/draft.ts'
import type { AdmissionPlugin } from '../admission.ts'
import { append, isOf, pods } from '../request.ts'

const tolerationSeconds = 300

export function createDefaultTolerationSeconds(names: Names): AdmissionPlugin {
  const keys = ['not-ready', 'unreachable'].map((state) => names.expand(`node.{labels}/${state}`))
  return {
    name: 'DefaultTolerationSeconds',
    changes: [pods],
    mutate(request) {
      const { object, operation, subresource } = request
      if (!isOf(request, pods) || subresource !== '' || operation === 'DELETE' || object === undefined) return
      const spec = ensureObject(draftOf(object), 'spec')
      for (const key of keys) {
        const tolerated = objectsAt(spec, 'tolerations').some(
          (one) =>
            ['', key].includes(textAt(one, 'key')) && ['', 'NoExecute'].includes(textAt(one, 'effect')),
        )
        if (!tolerated)
          append(spec, 'tolerations', { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds })
      }
    },
  }
}
