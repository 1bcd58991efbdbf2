/** Services: called like a host, and fixed to the addresses that they have been given. */

import type { JsonObject } from '../../json.ts'
import { invalidValue } from '../../status/causes.ts'
import type { ModuleFactory } from '../module.ts'
import { type Causes, checkText } from '../validation/checks.ts'
import { hostLabelProblems } from '../validation/names.ts'
import { specOf, textIn, textsIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import { dropFormerType, keepAllocated } from './service-kept.ts'
import { checkServiceSpec } from './service-rules.ts'

export const service: ModuleFactory = () => ({
  strategy: {
    prepareForUpdate(object, old) {
      keepAllocated(object, old)
      dropFormerType(object, old)
    },
    validate: validates((causes, object) => {
      const { name = '' } = object.metadata
      // What is no label at all has been said already.
      if (/^[0-9]/.test(name)) checkText(causes, 'metadata.name', name, hostLabelProblems)
      checkServiceSpec(causes, 'spec', specOf(object))
    }),
    validateUpdate(object, old) {
      const causes: Causes = []
      checkFixedAddresses(causes, specOf(object), specOf(old))
      return causes
    },
  },
})

const isInside = (spec: JsonObject): boolean => textIn(spec, 'type') !== 'ExternalName'

function checkFixedAddresses(causes: Causes, after: JsonObject, before: JsonObject): void {
  const given = textIn(before, 'clusterIP')
  if (given !== '' && isInside(after) && isInside(before) && textIn(after, 'clusterIP') !== given)
    causes.push(invalidValue('spec.clusterIPs[0]', textsIn(after, 'clusterIPs'), 'may not change once set'))
  const balancer = textIn(before, 'loadBalancerClass')
  const stays = textIn(before, 'type') === 'LoadBalancer' && textIn(after, 'type') === 'LoadBalancer'
  if (stays && textIn(after, 'loadBalancerClass') !== balancer)
    causes.push(
      invalidValue('spec.loadBalancerClass', textIn(after, 'loadBalancerClass'), 'may not change once set'),
    )
}
