/** Where a resource keeps its size: the paths of the subresource `scale`. */

import type { JsonObject } from '../../json.ts'
import { invalidValue, required } from '../../status/causes.ts'
import type { Causes } from '../../types/validation/checks.ts'
import { objectIn, textIn } from '../../types/validation/read.ts'
import { checkSimplePath } from './simple-path.ts'

export function checkSubresources(causes: Causes, path: string, subresources: JsonObject | undefined): void {
  const scale = objectIn(subresources, 'scale')
  if (scale === undefined) return
  const under = (name: string, roots: readonly string[], where: string): void => {
    const at = `${path}.scale.${name}`
    const value = textIn(scale, name)
    if (!checkSimplePath(causes, at, value)) return
    if (!roots.some((root) => value.startsWith(root)))
      causes.push(invalidValue(at, value, `should be a json path under ${where}`))
  }
  const needed = (name: string, root: string): void => {
    if (textIn(scale, name) === '') causes.push(required(`${path}.scale.${name}`))
    else under(name, [`${root}.`], root)
  }
  needed('specReplicasPath', '.spec')
  needed('statusReplicasPath', '.status')
  if (textIn(scale, 'labelSelectorPath') !== '')
    under('labelSelectorPath', ['.spec.', '.status.'], 'either .spec or .status')
}

/** Are spec and status of the objects written apart? */
export function hasStatus(subresources: JsonObject | undefined): boolean {
  return objectIn(subresources, 'status') !== undefined
}
