/** Services: called like a host, and fixed to the addresses that they have been given. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, invalidValue } from '../../status/causes.ts'
import type { ModuleFactory } from '../module.ts'
import { type Causes, checkText } from '../validation/checks.ts'
import { hostLabelProblems } from '../validation/names.ts'
import { type Given, has, jsonOf, numberIn, objectIn, specOf, textIn, textsIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import { dropFormerType, keepAllocated } from './service-kept.ts'
import { checkServiceSpec } from './service-rules.ts'

export const service: ModuleFactory = ({ names }) => ({
  strategy: {
    prepareForUpdate(object, old) {
      keepAllocated(object, old)
      dropFormerType(object, old)
    },
    validate: validates((causes, object) => {
      const { name = '' } = object.metadata
      // What is no label at all has been said already.
      if (/^[0-9]/.test(name)) checkText(causes, 'metadata.name', name, hostLabelProblems)
      const given = objectIn(objectIn(jsonOf(object), 'metadata'), 'annotations')
      checkTopology(causes, given, `service.${names.labelDomain}/topology-`)
      checkServiceSpec(causes, 'spec', specOf(object), {
        given,
        path: 'metadata.annotations',
        sourceRanges: `service.beta.${names.labelDomain}/load-balancer-source-ranges`,
      })
    }),
    validateUpdate(object, old) {
      const causes: Causes = []
      checkFixedAddresses(causes, specOf(object), specOf(old))
      return causes
    },
  },
})

/** Both names of the annotation say the same. @param prefix of both */
function checkTopology(causes: Causes, annotations: Given, prefix: string): void {
  const [hints, mode] = [`${prefix}aware-hints`, `${prefix}mode`]
  if (!has(annotations, hints) || !has(annotations, mode)) return
  const value = textIn(annotations, mode)
  if (value !== textIn(annotations, hints))
    causes.push(
      invalidValue(
        `metadata.annotations[${mode}]`,
        value,
        `must match annotations[${hints}] when both are specified`,
      ),
    )
}

const isInside = (spec: JsonObject): boolean => textIn(spec, 'type') !== 'ExternalName'

function checkFixedAddresses(causes: Causes, after: JsonObject, before: JsonObject): void {
  const given = textIn(before, 'clusterIP')
  if (given !== '' && isInside(after) && isInside(before) && textIn(after, 'clusterIP') !== given)
    causes.push(invalidValue('spec.clusterIPs[0]', textsIn(after, 'clusterIPs'), 'may not change once set'))
  const needsHealth = (spec: JsonObject): boolean =>
    textIn(spec, 'type') === 'LoadBalancer' && textIn(spec, 'externalTrafficPolicy') === 'Local'
  const healthPort = (spec: JsonObject): number => numberIn(spec, 'healthCheckNodePort') ?? 0
  if (needsHealth(before) && needsHealth(after) && healthPort(before) !== healthPort(after))
    causes.push(forbiddenField('spec.healthCheckNodePort', 'field is immutable'))
  const balancer = textIn(before, 'loadBalancerClass')
  const stays = textIn(before, 'type') === 'LoadBalancer' && textIn(after, 'type') === 'LoadBalancer'
  if (stays && textIn(after, 'loadBalancerClass') !== balancer)
    causes.push(
      invalidValue('spec.loadBalancerClass', textIn(after, 'loadBalancerClass'), 'may not change once set'),
    )
}
