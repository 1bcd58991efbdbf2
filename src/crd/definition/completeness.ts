/** Every place that a junctor at the root narrows must be a place of the schema itself too. */

import { required } from '../../status/causes.ts'
import type { Causes } from '../../types/validation/checks.ts'
import { itemsIn } from '../../types/validation/read.ts'
import { junctors, namedIn, propertyOf, type Schema, schemaIn } from './json-schema.ts'

/** `path` leads to the root. */
export function checkCompleteness(causes: Causes, root: Schema, path: string): void {
  checkJunctors(causes, root, { schema: root, path }, path)
}

/** A place of the schema outside of junctors; undefined = there is none. */
interface Place {
  readonly schema: Schema | undefined
  readonly path: string
}

function checkJunctors(causes: Causes, narrowing: Schema, place: Place, path: string): void {
  const not = schemaIn(narrowing, 'not')
  if (not !== undefined) checkBranch(causes, not, place, `${path}.not`)
  for (const junctor of junctors)
    for (const [i, branch] of itemsIn(narrowing, junctor).entries())
      checkBranch(causes, branch, place, `${path}.${junctor}[${i}]`)
}

function checkBranch(causes: Causes, branch: Schema, place: Place, path: string): void {
  const { schema } = place
  if (schema === undefined) {
    causes.push(required(place.path, `because it is defined in ${path}`))
    return
  }
  checkJunctors(causes, branch, place, path)
  const items = schemaIn(branch, 'items')
  if (items !== undefined) {
    const inner = { schema: schemaIn(schema, 'items'), path: `${place.path}.items` }
    checkBranch(causes, items, inner, `${path}.items`)
  }
  for (const [name, property] of namedIn(branch, 'properties')) {
    const step = `.properties[${name}]`
    const inner = { schema: propertyOf(schema, name), path: `${place.path}${step}` }
    checkBranch(causes, property, inner, `${path}${step}`)
  }
}
