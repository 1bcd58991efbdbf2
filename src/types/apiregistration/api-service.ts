/** API services: who serves a version of a group, called by both. */

import type { JsonObject } from '../../json.ts'
import { invalidValue, required } from '../../status/causes.ts'
import type { ModuleFactory } from '../module.ts'
import type { ApiObject } from '../object.ts'
import { allMetadataParts } from '../resource.ts'
import { type Causes, checkName, isPort, portText } from '../validation/checks.ts'
import { hostLabelProblems, subdomainProblems } from '../validation/names.ts'
import { numberIn, objectIn, specOf, textIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'

export const apiService: ModuleFactory = () => ({
  strategy: { keptByStatus: allMetadataParts, validate: validates(checkApiService) },
})

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
  if (version === '') causes.push(required('spec.version'))
  checkName(causes, 'spec', spec, 'version', hostLabelProblems)
  checkPriority(causes, spec, 'groupPriorityMinimum', groupPriorityMax)
  checkPriority(causes, spec, 'versionPriority', versionPriorityMax)
  const skips = spec['insecureSkipTLSVerify'] === true
  const service = objectIn(spec, 'service')
  if (service === undefined) {
    if (skips)
      causes.push(
        invalidValue('spec.insecureSkipTLSVerify', true, 'local APIServices may not skip TLS verification'),
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
