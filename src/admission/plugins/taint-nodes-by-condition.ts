/** TaintNodesByCondition: a new node takes no pods until its conditions have been seen. */

import type { Names } from '../../names/names.ts'
import { draftOf, ensureObject, objectsAt, textAt } from '../../types/draft.ts'
import type { AdmissionPlugin } from '../admission.ts'
import { append, created } from '../request.ts'

const effect = 'NoSchedule'

export function createTaintNodesByCondition(names: Names): AdmissionPlugin {
  const key = names.expand('node.{labels}/not-ready')
  return {
    name: 'TaintNodesByCondition',
    changes: ['core/nodes'],
    mutate(request) {
      const node = created(request, 'core/nodes')
      if (node === undefined) return
      const spec = ensureObject(draftOf(node), 'spec')
      const tainted = objectsAt(spec, 'taints').some(
        (taint) => textAt(taint, 'key') === key && textAt(taint, 'effect') === effect,
      )
      if (!tainted) append(spec, 'taints', { key, effect })
    },
  }
}
