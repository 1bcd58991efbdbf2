/** What containers ask for and may use. Source: Kubernetes API conventions, "Resource quantities". */

import { forbiddenField, invalidValue, required } from '../../status/causes.ts'
import type { Causes } from '../validation/checks.ts'
import {
  compareAmounts,
  containerResourceProblems,
  isHugePages,
  isNegative,
  isWhole,
  notNegativeText,
  type ResourceNames,
} from '../validation/quantities.ts'
import { entriesIn, type Given, objectIn } from '../validation/read.ts'

/** A ResourceRequirements. */
export function checkResources(causes: Causes, path: string, resources: Given, names: ResourceNames): void {
  if (resources === undefined) return
  const limits = objectIn(resources, 'limits')
  const requests = objectIn(resources, 'requests')
  if (limits !== undefined) checkAmounts(causes, `${path}.limits`, resources, 'limits', names)
  if (requests === undefined && limits === undefined) return
  checkAmounts(causes, `${path}.requests`, resources, 'requests', names)
  for (const [name, amount] of entriesIn(resources, 'requests')) {
    const request = String(amount)
    const limit = limits === undefined || !Object.hasOwn(limits, name) ? undefined : String(limits[name])
    const overcommitted = !isHugePages(name) && (!name.includes('/') || names.isOwn(name))
    if (limit === undefined) {
      if (!overcommitted)
        causes.push(required(`${path}.limits`, 'Limit must be set for non overcommitable resources'))
    } else if (!overcommitted && compareAmounts(request, limit) !== 0) {
      causes.push(invalidValue(`${path}.requests`, request, `must be equal to ${name} limit of ${limit}`))
    } else if (compareAmounts(request, limit) > 0) {
      causes.push(
        invalidValue(`${path}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`),
      )
    }
  }
  checkHugePages(causes, path, limits, requests)
}

/** One map of amounts, as containers may name them. */
export function checkAmounts(
  causes: Causes,
  path: string,
  object: Given,
  member: string,
  names: ResourceNames,
): void {
  for (const [name, amount] of entriesIn(object, member)) {
    for (const problem of containerResourceProblems(name, names))
      causes.push(invalidValue(`${path}[${name}]`, name, problem))
    const text = String(amount)
    if (isNegative(text)) causes.push(invalidValue(`${path}[${name}]`, text, notNegativeText))
    else if (names.isExtended(name) && !isWhole(text))
      causes.push(invalidValue(`${path}[${name}]`, text, 'must be an integer'))
  }
}

function checkHugePages(causes: Causes, path: string, limits: Given, requests: Given): void {
  const names = [...Object.keys(limits ?? {}), ...Object.keys(requests ?? {})]
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory'))
    causes.push(forbiddenField(path, 'HugePages require cpu or memory'))
}
