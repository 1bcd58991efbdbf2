/** API services: who serves a version of a group, called by both. */

import type { JsonObject } from '../../json.ts'
import { invalidValue, required } from '../../status/causes.ts'
import type { ModuleFactory } from '../module.ts'
import type { ApiObject } from '../object.ts'
import { allMetadataParts } from '../resource.ts'
import { type Causes, checkName, checkText, isPort, portText } from '../validation/checks.ts'
import { hostLabelProblems, subdomainProblems } from '../validation/names.ts'
import { numberIn, objectIn, specOf, textIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'

export const apiService: ModuleFactory = () => ({
  strategy: {
    finalizersWithoutDomain: true,
    keptByStatus: allMetadataParts,
    prepareForCreate: (object, { now }) => stampLocal(object, now),
    validate: validates(checkApiService),
  },
})

/** What this server serves itself is there at once. */
function stampLocal(object: ApiObject, now: string): void {
  if (objectIn(specOf(object), 'service') !== undefined) return
  const condition = {
    type: 'Available',
    status: 'True',
    lastTransitionTime: now,
    reason: 'Local',
    message: 'Local APIServices are always available',
  }
  object['status'] = { conditions: [condition] }
}

const groupPriorityMax = 20_000
const versionPriorityMax = 1000

function checkApiService(causes: Causes, object: ApiObject): void {
  const spec = specOf(object)
  const { name = '' } = object.metadata
  const [group, version] = [textIn(spec, 'group'), textIn(spec, 'version')]
  if (name !== `${version}.${group}`)
    causes.push(
      invalidValue('metadata.name', name, `must be \`spec.version+"."+spec.group\`: "${version}.${group}"`),
    )
  checkName(causes, 'spec', spec, 'group', subdomainProblems)
  if (group === '' && version !== 'v1')
    causes.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'))
  checkText(causes, 'spec.version', version, hostLabelProblems)
  checkPriority(causes, spec, 'groupPriorityMinimum', groupPriorityMax)
  checkPriority(causes, spec, 'versionPriority', versionPriorityMax)
  const skips = spec['insecureSkipTLSVerify'] === true
  const service = objectIn(spec, 'service')
  if (service === undefined) {
    const bundle = textIn(spec, 'caBundle')
    if (bundle !== '')
      causes.push(invalidValue('spec.caBundle', bundle, 'local APIServices may not have a caBundle'))
    if (skips)
      causes.push(
        invalidValue(
          'spec.insecureSkipTLSVerify',
          true,
          'local APIServices may not have insecureSkipTLSVerify',
        ),
      )
    return
  }
  for (const member of ['namespace', 'name']) {
    if (textIn(service, member) === '') causes.push(required(`spec.service.${member}`))
  }
  const port = service['port']
  if (port !== undefined && !isPort(port))
    causes.push(invalidValue('spec.service.port', port, `port is not valid: ${portText}`))
  if (skips && textIn(spec, 'caBundle') !== '')
    causes.push(invalidValue('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'))
}

/** Which group, and which of its versions, clients find first. */
function checkPriority(causes: Causes, spec: JsonObject, name: string, max: number): void {
  const value = numberIn(spec, name) ?? 0
  if (value <= 0 || value > max)
    causes.push(invalidValue(`spec.${name}`, value, `must be positive and less than ${max}`))
}
