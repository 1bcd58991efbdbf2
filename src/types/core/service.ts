/** Services: called like a host, and fixed to the addresses that they have been given. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, invalidValue } from '../../status/causes.ts'
import type { ModuleFactory } from '../module.ts'
import { type Causes, checkText } from '../validation/checks.ts'
import { hostLabelProblems } from '../validation/names.ts'
import { type Given, has, jsonOf, numberIn, objectIn, specOf, textIn, textsIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'
import { dropFormerType, followAddress, keepAllocated } from './service-kept.ts'
import { checkServiceSpec, headless } from './service-rules.ts'
import { serviceWarnings } from './service-warnings.ts'

export const service: ModuleFactory = ({ names }) => ({
  strategy: {
    prepareForUpdate(object, old) {
      keepAllocated(object, old)
      followAddress(object, old)
      dropFormerType(object, old)
    },
    changeFirst: true,
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
    warnings: (object) => serviceWarnings(object, names.labelDomain),
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

const one: Readonly<Record<string, string>> = { clusterIPs: 'clusterIP', ipFamilies: 'ipFamily' }

/** The second may come and go, with the policy that says so; what stays is what it was. */
function checkFixedList(causes: Causes, name: string, after: JsonObject, before: JsonObject): void {
  const [now, then] = [textsIn(after, name), textsIn(before, name)]
  const refuse = (i: number, why: string) => causes.push(invalidValue(`spec.${name}[${i}]`, now, why))
  if (now.length === 0 && then.length > 0) refuse(0, `primary ${one[name]} can not be unset`)
  const kept = now.length === then.length ? now.length : Math.min(now.length, then.length, 1)
  for (let i = 0; i < kept; i++) if (now[i] !== then[i]) refuse(i, 'may not change once set')
  if (now.length === 1 && then.length > 1 && textIn(after, 'ipFamilyPolicy') !== 'SingleStack')
    refuse(0, `must be set to 'SingleStack' when releasing the secondary ${one[name]}`)
}

const isInside = (spec: JsonObject): boolean => textIn(spec, 'type') !== 'ExternalName'

function checkFixedAddresses(causes: Causes, after: JsonObject, before: JsonObject): void {
  if (isInside(after) && isInside(before)) {
    if (textIn(before, 'clusterIP') !== headless || textIn(after, 'clusterIP') !== headless)
      checkFixedList(causes, 'clusterIPs', after, before)
    // Where nothing is said of them they follow from the addresses.
    if (textsIn(after, 'ipFamilies').length > 0) checkFixedList(causes, 'ipFamilies', after, before)
  }
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
