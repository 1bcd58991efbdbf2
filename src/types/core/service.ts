/** Services: called like a host, and fixed to the addresses that they have been given. */

import type { JsonObject } from '../../json.ts'
import { invalidValue } from '../../status/causes.ts'
import { draftOf, ensureObject } from '../draft.ts'
import type { ModuleFactory } from '../module.ts'
import type { ApiObject } from '../object.ts'
import { type Causes, checkText } from '../validation/checks.ts'
import { hostLabelProblem } from '../validation/names.ts'
import { specOf, textIn, textsIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import { checkServiceSpec } from './service-rules.ts'

export const service: ModuleFactory = () => ({
  strategy: {
    prepareForUpdate: keepAddresses,
    validate: validates((causes, object) => {
      const { name = '' } = object.metadata
      // What is no label at all has been said already.
      if (/^[0-9]/.test(name)) checkText(causes, 'metadata.name', name, hostLabelProblem)
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

/** Who leaves the addresses out of an update wants to keep them. */
function keepAddresses(object: ApiObject, old: ApiObject): void {
  const [after, before] = [specOf(object), specOf(old)]
  if (!isInside(after) || !isInside(before)) return
  const spec = ensureObject(draftOf(object), 'spec')
  if (textIn(after, 'clusterIP') === '' && before['clusterIP'] !== undefined)
    spec['clusterIP'] = before['clusterIP']
  const addresses = before['clusterIPs']
  if (
    addresses !== undefined &&
    textsIn(spec, 'clusterIPs').length === 0 &&
    spec['clusterIP'] === before['clusterIP']
  )
    spec['clusterIPs'] = addresses
}

function checkFixedAddresses(causes: Causes, after: JsonObject, before: JsonObject): void {
  const given = textIn(before, 'clusterIP')
  if (given !== '' && isInside(after) && isInside(before) && textIn(after, 'clusterIP') !== given)
    causes.push(invalidValue('spec.clusterIPs[0]', textIn(after, 'clusterIP'), 'may not change once set'))
  const balancer = textIn(before, 'loadBalancerClass')
  const stays = textIn(before, 'type') === 'LoadBalancer' && textIn(after, 'type') === 'LoadBalancer'
  if (stays && textIn(after, 'loadBalancerClass') !== balancer)
    causes.push(
      invalidValue('spec.loadBalancerClass', textIn(after, 'loadBalancerClass'), 'may not change once set'),
    )
}
