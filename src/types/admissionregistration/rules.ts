/** Which operations on which resources a webhook or a policy is asked about. */

import type { JsonObject } from '../../json.ts'
import { invalidValue, required } from '../../status/causes.ts'
import type { Causes } from '../validation/checks.ts'
import { textsIn } from '../validation/read.ts'

export function checkRules(causes: Causes, path: string, rules: readonly JsonObject[]): void {
  for (const [i, rule] of rules.entries()) checkRule(causes, `${path}[${i}]`, rule)
}

function checkRule(causes: Causes, path: string, rule: JsonObject): void {
  for (const name of ['operations', 'apiGroups', 'apiVersions', 'resources']) {
    const values = textsIn(rule, name)
    const at = `${path}.${name}`
    if (values.length === 0) causes.push(required(at))
    if (name !== 'resources' && values.length > 1 && values.includes('*')) {
      const what = name === 'apiGroups' ? 'API groups' : name === 'apiVersions' ? 'API versions' : name
      causes.push(invalidValue(at, values, `if '*' is present, must not specify other ${what}`))
    }
  }
  for (const [i, version] of textsIn(rule, 'apiVersions').entries()) {
    if (version === '') causes.push(required(`${path}.apiVersions[${i}]`))
  }
  checkResources(causes, `${path}.resources`, textsIn(rule, 'resources'))
}

/** `pods`, `pods/status`, `*`, `pods/*`, `(any)/status`, `(any)/(any)`: none that another one says already. */
function checkResources(causes: Causes, path: string, resources: readonly string[]): void {
  const wholeResources = new Set<string>()
  const wholeSubresources = new Set<string>()
  if (resources.length > 1 && resources.includes('*/*'))
    causes.push(invalidValue(path, resources, "if '*/*' is present, must not specify other resources"))
  for (const one of resources) {
    const [resource = '', subresource] = one.split('/', 2)
    if (subresource === '*') wholeResources.add(resource)
    if (resource === '*' && subresource !== undefined) wholeSubresources.add(subresource)
  }
  for (const [i, one] of resources.entries()) {
    const at = `${path}[${i}]`
    const [resource = '', subresource] = one.split('/', 2)
    if (one === '') causes.push(required(at))
    else if (subresource !== undefined && subresource !== '*' && wholeResources.has(resource))
      causes.push(invalidValue(at, one, `if '${resource}/*' is present, must not specify ${one}`))
    else if (subresource !== undefined && resource !== '*' && wholeSubresources.has(subresource))
      causes.push(invalidValue(at, one, `if '*/${subresource}' is present, must not specify ${one}`))
  }
}
